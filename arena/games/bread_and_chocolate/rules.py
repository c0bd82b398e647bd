"""What the rulesets of Bread and Chocolate differ in, worked out once as tables (sources 001, 003, 004)."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from arena.core.ruleset import Ruleset
from arena.games.bread_and_chocolate.cards import RED, rank

MOST_HELD = 11
"""A hand of this many cards or more has room for every discard: ten cards beside the one laid."""

_DECK = range(52)
_Reach = tuple[tuple[tuple[frozenset[int], ...], ...], tuple[tuple[frozenset[int], ...], ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """A ruleset as the game is played by it."""

    name: str
    """Whose rules: pagat, gamerules or shram."""
    going_out: int
    """Points of the player who goes out."""
    turn_limit: int
    """A hand ends after so many turns."""
    reach: _Reach
    """`reach[spread][held][top]`: the cards that may be laid on the top, whether a spread lasts, by a player
    who holds so many cards (MOST_HELD stands for more)."""
    effect: tuple[tuple[int, ...], ...]
    """`effect[top][card]`: how many cards the player then draws, or, below 0, discards."""
    cost: tuple[int, ...]
    """What each card costs who still holds it when the hand ends."""

    def playable(self, top: int, spread: bool, held: int) -> frozenset[int]:
        """Return the cards that may be laid on a top card by a player who holds `held` cards."""
        return self.reach[spread][held if held < MOST_HELD else MOST_HELD][top]


def rules_of(ruleset: Ruleset) -> Rules:
    """Return the rules of a ruleset that is resolved; the same object for equal ones."""
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
    """Return how far the rank of one card is above that of another, 0 to 12: an ace follows a king."""
    return (rank(high) - rank(low)) % 13


@cache
def _pagat() -> tuple[_Reach, tuple[tuple[int, ...], ...], tuple[int, ...]]:
    """Return the tables of sources 001 and 003, which play a card by the same rules."""

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
    """Return the tables of source 004, where a 2 is lowest, an ace highest, and colours decide.

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
    """Return `Rules.reach` by a rule that says whether a card lies on a top, given spread and room for discards."""

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
