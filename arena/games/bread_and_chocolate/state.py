"""All that there is to know of a game of Bread and Chocolate at one moment."""

from dataclasses import dataclass

from arena.games.bread_and_chocolate.rules import Rules

NOTHING = -1
"""No seat."""


@dataclass(slots=True)
class State:
    """One moment of a game. `rules` and `decks` never change; everything else does, in place."""

    rules: Rules
    decks: tuple[tuple[int, ...], ...]
    """The shuffled deck of each hand of the game, in draw order; past ones may be empty."""
    hand_no: int
    """Which hand of the game is played, from 0."""
    stock: list[int]
    """Face down; the last is drawn first."""
    up: list[int]
    """Face up, the oldest first: the last is the top, which is in play."""
    down: list[int]
    """Face down, the oldest first."""
    held: list[list[int]]
    """The cards each seat holds, in the order they came."""
    to_move: int
    """Whose decision it is; NOTHING after the last hand."""
    opening: int
    """How many players may still act in the opening; 0 once cards are played."""
    owed: int
    """How many cards the player has to discard now, for a card laid one below; else 0."""
    spread: bool
    """Whether a spread lasts: any card of the top's rank may be laid."""
    turns: int
    """Turns made in this hand."""
    scores: list[int]
    """Points of each seat in all hands that have ended."""

    def copy(self) -> "State":
        """Return a state that can be changed without changing this one."""
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
        """The seat that dealt this hand: the right neighbour of the one that begins it."""
        return (self.hand_no - 1) % len(self.held)
