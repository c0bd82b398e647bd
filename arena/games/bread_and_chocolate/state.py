"""The complete state of a game of Bread and Chocolate."""

from dataclasses import dataclass

from arena.games.bread_and_chocolate.rules import Rules

NOTHING = -1
"""No seat."""


@dataclass(slots=True)
class State:
    """The state of a game. `rules` and `decks` never change; everything else changes in place."""

    rules: Rules
    decks: tuple[tuple[int, ...], ...]
    """The shuffled deck of each hand of the game, in draw order; past ones may be empty."""
    hand_no: int
    """The current hand of the game, from 0."""
    stock: list[int]
    """Face down; the last card is drawn first."""
    up: list[int]
    """Face up, oldest first: the last card is the top, which is in play."""
    down: list[int]
    """Face down, oldest first."""
    held: list[list[int]]
    """The cards each seat holds, in the order they came."""
    to_move: int
    """The seat to decide; NOTHING after the last hand."""
    opening: int
    """How many players may still act in the opening; 0 once play has started."""
    owed: int
    """How many cards the player has to discard now, for a card laid one below; otherwise 0."""
    spread: bool
    """Whether a spread lasts: any card of the top's rank may be laid."""
    turns: int
    """Turns made in this hand."""
    scores: list[int]
    """Points of each seat in all finished hands."""

    def copy(self) -> "State":
        """Return an independent copy."""
        return State(
            self.rules,
            self.decks,
            self.hand_no,
            self.stock[:],
            self.up[:],
            self.down[:],
            [cards[:] for cards in self.held],
            self.to_move,
            self.opening,
            self.owed,
            self.spread,
            self.turns,
            self.scores[:],
        )

    @property
    def dealer(self) -> int:
        """The seat that dealt this hand: the right neighbour of the seat that begins."""
        return (self.hand_no - 1) % len(self.held)
