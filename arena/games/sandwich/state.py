"""The complete state of a game of Sandwich."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar, Literal

from arena.core.chance import Chance
from arena.core.game import JSON
from arena.games.sandwich.ingredients import FAMILY_COUNT, FAMILY_OF, MILLION, NAMES, PAIRS_OF_CARDS, names
from arena.games.sandwich.rules import Rules

LIKING_SIGMA = 1.0
QUIRK_SIGMA = 0.5
DECIMALS = 6

Sandwich = tuple[int, int, int]
"""Three cards, in the order their maker named them."""


@dataclass(frozen=True)
class Palate:
    """The tastes of one seat, in millionths."""

    likings: tuple[int, ...]
    """By family."""
    quirks: tuple[int, ...]
    """By ingredient."""

    @cached_property
    def tastes(self) -> tuple[int, ...]:
        """What each card alone is worth to the seat: the liking for its family plus the quirk."""
        return tuple([self.likings[FAMILY_OF[card]] + quirk for card, quirk in enumerate(self.quirks)])

    def worth(self, sandwich: Sandwich) -> int:
        """Return what a sandwich is worth: its three ingredients and its three pairs."""
        a, b, c = sandwich
        tastes, pairs = self.tastes, PAIRS_OF_CARDS
        return tastes[a] + tastes[b] + tastes[c] + pairs[a][b] + pairs[a][c] + pairs[b][c]

    def ranking(self, sandwiches: Sequence[Sandwich]) -> tuple[int, ...]:
        """Return the indices of the sandwiches, best first; equal ones in their given order."""
        worths = [self.worth(sandwich) for sandwich in sandwiches]
        return tuple(sorted(range(len(worths)), key=lambda place: -worths[place]))


def draw_palate(chance: Chance, seat: int) -> Palate:
    """Return the palate of a seat, drawn from the streams `likings/SEAT` and `quirks/SEAT`."""
    likings = chance.normals(f"likings/{seat}", FAMILY_COUNT, LIKING_SIGMA, DECIMALS)
    quirks = chance.normals(f"quirks/{seat}", len(NAMES), QUIRK_SIGMA, DECIMALS)
    return Palate(millionths(likings), millionths(quirks))


def millionths(figures: Sequence[float]) -> tuple[int, ...]:
    """Return figures as whole millionths."""
    return tuple([round(figure * MILLION) for figure in figures])


def figure(millionths: int) -> float:
    """Return whole millionths as a figure for messages, with at most six decimals."""
    return millionths / MILLION


NOBODY = -1

Phase = Literal["grab", "offer", "answer", "serve", "taste", "over"]
"""The next decision; `over` after the last round."""


@dataclass(frozen=True, slots=True)
class Deal:
    """Everything that chance decides in one game."""

    decks: tuple[tuple[int, ...], ...]
    """The shuffled cards of each round, in draw order; past ones may be empty."""
    grab_orders: tuple[tuple[int, ...], ...]
    """The seats of each round in the order in which they grab in its first market turn."""
    palates: tuple[Palate, ...]
    """By seat."""
    shown: tuple[tuple[tuple[int, ...], ...], ...]
    """In free tasting, the order in which each taster's sandwiches are read out in each round: indices into
    them, nearest giver first. Empty otherwise."""


@dataclass(frozen=True, slots=True)
class Offer:
    """One card for another, proposed in a trade round; its number is its index among all offers of that round."""

    seat: int
    """The seat that offers."""
    to: int
    give: int
    want: int


@dataclass(slots=True)
class State:
    """The state of a game. `rules` and `deal` never change; everything else changes in place."""

    rules: Rules
    deal: Deal
    round_no: int
    """From 0."""
    phase: Phase
    market_turn: int
    """From 0; the number of market turns, once the market is over."""
    market: list[int]
    """The card that each seat turned up, by seat; empty outside the market."""
    hands: list[list[int]]
    """The open cards before each seat, in the order they came."""
    trade_round: int
    """From 0."""
    offers: tuple[Offer, ...]
    """The offers that wait for an answer."""
    plates: list[tuple[Sandwich, ...]]
    """The sandwiches that each seat was served and has not tasted yet, nearest giver first."""
    taster: int
    """The seat that tastes; NOBODY outside the tasting."""
    scores: list[int]
    """Points of each seat in all rounds so far, including this one."""
    before: tuple[int, ...]
    """The scores at the start of this round."""

    def copy(self) -> "State":
        """Return an independent copy."""
        return State(
            self.rules,
            self.deal,
            self.round_no,
            self.phase,
            self.market_turn,
            self.market[:],
            [hand[:] for hand in self.hands],
            self.trade_round,
            self.offers,
            self.plates[:],
            self.taster,
            self.scores[:],
            self.before,
        )

    @property
    def grab_order(self) -> tuple[int, ...]:
        """The seats in grab order for this market turn; outside the market, the round's own order."""
        order = self.deal.grab_orders[self.round_no]
        first = self.market_turn % len(order) if self.phase == "grab" else 0
        return order[first:] + order[:first]

    def read_out(self) -> list[Sandwich]:
        """Return the sandwiches before the taster in the order in which it sees them."""
        plate = self.plates[self.taster]
        return [plate[place] for place in self.deal.shown[self.round_no][self.taster]]


@dataclass(frozen=True, slots=True)
class Grab:
    """A ranking of the cards on the market."""

    type: ClassVar[str] = "grab"
    order: tuple[int, ...]
    """All positions, best first; position p is the card that seat p turned up."""


@dataclass(frozen=True, slots=True)
class MakeOffer:
    """An offer of one of your cards for one of another seat's."""

    type: ClassVar[str] = "offer"
    to: int
    give: int
    want: int


@dataclass(frozen=True, slots=True)
class NoOffer:
    """No offer in this trade round."""

    type: ClassVar[str] = "no_offer"


@dataclass(frozen=True, slots=True)
class Answer:
    """The offers that a seat accepts."""

    type: ClassVar[str] = "answer"
    accept: tuple[int, ...]
    """Their numbers, most wanted first."""


@dataclass(frozen=True, slots=True)
class Serve:
    """Sandwiches made from all cards of a hand, one for each receiver in turn."""

    type: ClassVar[str] = "serve"
    sandwiches: tuple[Sandwich, ...]
    words: tuple[str, ...] = ()
    """One for each sandwich, or none at all."""


@dataclass(frozen=True, slots=True)
class Taste:
    """A ranking of the sandwiches that were read out."""

    type: ClassVar[str] = "taste"
    ranking: tuple[int, ...]
    """Their indices in the order read out, best first."""


Move = Grab | MakeOffer | NoOffer | Answer | Serve | Taste


@lru_cache(maxsize=1 << 14)
def grab(order: tuple[int, ...]) -> Grab:
    """Return the grab with an order of whole numbers; equal ones share one object."""
    return Grab(order)


def format_(move: Move) -> dict[str, JSON]:
    """Return a move as a JSON object."""
    if isinstance(move, Grab):
        return {"type": "grab", "order": list(move.order)}
    if isinstance(move, Serve):
        served = {"type": "serve", "sandwiches": [names(sandwich) for sandwich in move.sandwiches]}
        return {**served, "words": list(move.words)} if move.words else served
    if isinstance(move, MakeOffer):
        return {"type": "offer", "to": move.to, "give": NAMES[move.give], "want": NAMES[move.want]}
    if isinstance(move, Answer):
        return {"type": "answer", "accept": list(move.accept)}
    if isinstance(move, Taste):
        return {"type": "taste", "ranking": list(move.ranking)}
    return {"type": "no_offer"}
