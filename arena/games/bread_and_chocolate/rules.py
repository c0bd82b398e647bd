"""The state of a game of Bread and Chocolate, and what differs by ruleset, as tables (sources 001, 003, 004)."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

from arena.core.ruleset import Ruleset

RANKS = "A23456789TJQK"
"""In ascending order, with the ace as one."""
SUITS = "cdhs"

NAMES = tuple(rank + suit for rank in RANKS for suit in SUITS)
"""Name of each card in messages."""
CARDS = {name: card for card, name in enumerate(NAMES)}
"""Card by name."""
RED = tuple(card % 4 in (1, 2) for card in range(52))
"""Whether each card is red: diamonds and hearts."""


def rank(card: int) -> int:
    """Return the rank of a card, from 0 for an ace to 12 for a king."""
    return card // 4


def names(cards: Iterable[int]) -> list[str]:
    """Return the names of cards, in the same order."""
    return [NAMES[card] for card in cards]


MOST_HELD = 11
"""A hand of at least this many cards has room for every discard: ten cards besides the one laid."""

_DECK = range(52)
_Reach = tuple[tuple[tuple[frozenset[int], ...], ...], tuple[tuple[frozenset[int], ...], ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """A ruleset in the form that play uses."""

    name: str
    """Source of the rules: pagat, gamerules or shram."""
    going_out: int
    """Points for the player who goes out."""
    turn_limit: int
    """A hand ends after this many turns."""
    reach: _Reach
    """`reach[spread][held][top]`: the cards that a player holding this many cards may lay on the top, depending on
    whether a spread lasts (MOST_HELD stands for more)."""
    effect: tuple[tuple[int, ...], ...]
    """`effect[top][card]`: the number of cards that the player then draws, or, if negative, discards."""
    cost: tuple[int, ...]
    """What each card costs the player who holds it when the hand ends."""

    def playable(self, top: int, spread: bool, held: int) -> frozenset[int]:
        """Return the cards that a player holding `held` cards may lay on a top card."""
        return self.reach[spread][held if held < MOST_HELD else MOST_HELD][top]


def rules_of(ruleset: Ruleset) -> Rules:
    """Return the rules of a resolved ruleset; equal ones share one object."""
    return _rules(
        ruleset.choice("rules"),
        ruleset.choice("values"),
        ruleset.count("going_out"),
        ruleset.count("turn_limit"),
    )


@cache
def _rules(name: str, values: str, going_out: int, turn_limit: int) -> Rules:
    if name == "shram":
        reach, effect, cost = _shram(values)
    else:
        reach, effect, cost = _pagat()
    return Rules(name, going_out, turn_limit, reach, effect, cost)


def number(card: int) -> int:
    """Return the number of a card in `pagat` and `gamerules`: ace 1, 2 to 10 as printed, J Q K none."""
    return rank(card) + 1 if rank(card) < 10 else 0


def steps(low: int, high: int) -> int:
    """Return how far the rank of one card is above another's, 0 to 12: an ace follows a king."""
    return (rank(high) - rank(low)) % 13


@cache
def _pagat() -> tuple[_Reach, tuple[tuple[int, ...], ...], tuple[int, ...]]:
    """Return the tables of sources 001 and 003, which have the same rules for laying a card."""

    def lies_on(top: int, card: int, spread: bool, room: int) -> bool:
        if rank(card) == rank(top):
            return spread or (RED[top] and not RED[card])
        if steps(top, card) == 1:
            return True
        return steps(card, top) == 1 and number(card) <= room

    def effect(top: int, card: int) -> int:
        if steps(top, card) == 1:
            return number(card)
        return -number(card) if steps(card, top) == 1 else 0

    return _reach(lies_on), _table(effect), (1,) * len(_DECK)


@cache
def _shram(values: str) -> tuple[_Reach, tuple[tuple[int, ...], ...], tuple[int, ...]]:
    """Return the tables of source 004, in which a 2 is lowest, an ace highest, and colours matter.

    `values` is the option of that name: ranks (J 11, Q 12, K 13, A 14) or note (J, Q, K 10, A 11).
    """
    height = tuple((rank(card) - 1) % 13 for card in _DECK)
    court, ace = ((11, 12, 13), 14) if values == "ranks" else ((10, 10, 10), 11)
    by_height = (*range(2, 11), *court, ace)
    cost = tuple(by_height[height[card]] for card in _DECK)

    def lies_on(top: int, card: int, spread: bool, room: int) -> bool:  # noqa: ARG001 - asked as in _pagat
        return abs(height[card] - height[top]) == 1

    def effect(top: int, card: int) -> int:
        return cost[card] if RED[card] == RED[top] else 0

    return _reach(lies_on), _table(effect), cost


def _reach(lies_on: Callable[[int, int, bool, int], bool]) -> _Reach:
    """Return `Rules.reach` for a rule that says if a card goes on a top, given spread and room for discards."""

    def reach(spread: bool) -> tuple[tuple[frozenset[int], ...], ...]:
        return tuple(
            tuple(
                frozenset(card for card in _DECK if card != top and lies_on(top, card, spread, held - 1))
                for top in _DECK
            )
            for held in range(MOST_HELD + 1)
        )

    return reach(False), reach(True)


def _table(effect: Callable[[int, int], int]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(effect(top, card) for card in _DECK) for top in _DECK)


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
