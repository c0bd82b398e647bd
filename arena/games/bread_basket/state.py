"""The complete state of a game of Bread Basket."""

from dataclasses import dataclass

NOTHING = -1
"""No card, or no seat."""


@dataclass(slots=True)
class State:
    """The state of a game. `decks`, `stock` and `chef_second` never change; everything else changes in place."""

    decks: tuple[tuple[int, ...], ...]
    """The shuffled deck of each hand of the game; past ones may be empty."""
    hand_no: int
    """The current hand of the game, from 0."""
    stock: tuple[int, ...]
    stock_at: int
    """The stock is the rest of `stock` from this position on."""
    held: list[list[int]]
    """The cards each seat holds, in the order they came."""
    line: list[int]
    """Oldest card first."""
    aside: int
    """Chefs laid aside in this hand."""
    to_move: int
    """Whose turn it is; NOTHING after the last hand."""
    played: int
    """The first card of this turn; NOTHING before it is played."""
    scores: list[int]
    """Points of each seat in all hands so far, including this one."""
    before: tuple[int, ...]
    """The scores when this hand was dealt."""
    chef_second: bool = False
    """Whether a Chef's ability may follow a first card."""

    def copy(self) -> "State":
        """Return an independent copy."""
        return State(
            self.decks,
            self.hand_no,
            self.stock,
            self.stock_at,
            [cards[:] for cards in self.held],
            self.line[:],
            self.aside,
            self.to_move,
            self.played,
            self.scores[:],
            self.before,
            self.chef_second,
        )

    @property
    def dealer(self) -> int:
        """The seat that dealt this hand: the right neighbour of the seat that begins."""
        return (self.hand_no - 1) % len(self.held)

    @property
    def stock_count(self) -> int:
        """How many cards are left in the stock."""
        return len(self.stock) - self.stock_at
