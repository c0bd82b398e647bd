"""The complete state of a game of Sandwich."""

from dataclasses import dataclass
from typing import Literal

from arena.games.sandwich.palates import Palate, Sandwich
from arena.games.sandwich.rules import Rules

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
