"""All that there is to know of a game of Sandwich at one moment."""

from dataclasses import dataclass
from typing import Literal

from arena.games.sandwich.palates import Palate, Sandwich
from arena.games.sandwich.rules import Rules

NOBODY = -1

Phase = Literal["grab", "offer", "answer", "serve", "taste", "over"]
"""What is to be decided next; `over` after the last round."""


@dataclass(frozen=True, slots=True)
class Deal:
    """Everything that chance decides in one game."""

    decks: tuple[tuple[int, ...], ...]
    """The shuffled cards of each round, in draw order; past ones may be empty."""
    grab_orders: tuple[tuple[int, ...], ...]
    """The seats of each round in the order in which they grab in its first turn of the market."""
    palates: tuple[Palate, ...]
    """By seat."""
    shown: tuple[tuple[tuple[int, ...], ...], ...]
    """In free tasting, for each round and taster the order in which its sandwiches are read out: places among
    them, nearest giver first. Empty otherwise."""


@dataclass(frozen=True, slots=True)
class Offer:
    """One card for another, proposed in a trade round; its number is its place among all of that round."""

    seat: int
    """Who offers."""
    to: int
    give: int
    want: int


@dataclass(slots=True)
class State:
    """One moment of a game. `rules` and `deal` never change; everything else does, in place."""

    rules: Rules
    deal: Deal
    round_no: int
    """From 0."""
    phase: Phase
    market_turn: int
    """From 0; how many turns of the market there were, once it is over."""
    market: list[int]
    """The card that each seat turned up, by seat; empty outside the market."""
    hands: list[list[int]]
    """The cards that lie open before each seat, in the order they came."""
    trade_round: int
    """From 0."""
    offers: tuple[Offer, ...]
    """Those that wait for an answer."""
    plates: list[tuple[Sandwich, ...]]
    """What each seat was served and has not tasted yet, nearest giver first."""
    taster: int
    """Whose turn it is to taste; NOBODY outside the tasting."""
    scores: list[int]
    """Points of each seat in all rounds so far, this one included."""
    before: tuple[int, ...]
    """The scores at the start of this round."""

    def copy(self) -> "State":
        """Return a state that can be changed without changing this one."""
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
        """The seats in the order in which they grab in this turn of the market; outside it, the round's own order."""
        order = self.deal.grab_orders[self.round_no]
        first = self.market_turn % len(order) if self.phase == "grab" else 0
        return order[first:] + order[:first]

    def read_out(self) -> list[Sandwich]:
        """Return the sandwiches before the taster in the order in which it is shown them."""
        plate = self.plates[self.taster]
        return [plate[place] for place in self.deal.shown[self.round_no][self.taster]]
