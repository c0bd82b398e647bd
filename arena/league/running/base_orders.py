"""The base order of each match: shuffled, and evened out over the league: who sits next to whom with `balanced`
rotations, and in games with partners who plays with whom."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations, permutations

from arena.core.chance import Stream
from arena.core.ruleset import Rotations
from arena.core.seatings import seatings
from arena.core.ticket import match_seed
from results.base.scoring import NO_PARTNERS, Partners, Sides

BLOCK_MATCHES = 4096
"""Neighbours are evened out within blocks of so many matches, so no more need be read when a league continues."""


def starting_circle(secret: bytes, match_no: int, table: Sequence[int]) -> tuple[int, ...]:
    """Return a table's entries in base order, shuffled by the match's own random stream."""
    circle = list(table)
    Stream(match_seed(secret, match_no), "circle").shuffle(circle)
    return tuple(circle)


class BaseOrders:
    """Chooses base orders, one match after the other.

    A match of `balanced` rotations can't have every entry right after each other equally often. Which pairs get one
    game more or less follows from its base order. So that is chosen to even out what the matches before it have left.
    The same goes for partners, whom the base order draws.
    """

    def __init__(self, secret: bytes, rotations: Rotations, partners: Partners = NO_PARTNERS) -> None:
        """`secret` is that of the league."""
        self._secret = secret
        self._rotations = rotations
        self._partners = partners
        self._block = 0
        self._excess: Counter[tuple[int, int]] = Counter()
        """By entry and the one right after it, or its partner: how often more than the mean of its tables, times their
        other seats."""

    def first_needed(self, planned: int) -> int:
        """Return the first of the planned matches that must be added before the next one is chosen."""
        has_state = self._rotations == "balanced" or self._partners.sides
        return planned - planned % BLOCK_MATCHES if has_state else planned

    def _uneven(self, seats: int) -> tuple[tuple[int, int, int], ...]:
        """Return the places of the base order that are together more or less often than others, and by how much."""
        if sides := self._partners.at(seats):
            return _partnered(sides)
        return _uneven(seats) if self._rotations == "balanced" else ()

    def choose(self, match_no: int, table: Iterable[int]) -> tuple[int, ...]:
        """Return the base order of a match; those before it in its block must have been added."""
        order = list(starting_circle(self._secret, match_no, sorted(table)))
        if not (uneven := self._uneven(len(order))):
            return tuple(order)
        self._begin_block(match_no)
        least = self._cost(order, uneven)
        moved = True
        while moved:
            moved = False
            for i, j in combinations(range(len(order)), 2):
                order[i], order[j] = order[j], order[i]
                cost = self._cost(order, uneven)
                if cost < least:
                    least, moved = cost, True
                else:
                    order[i], order[j] = order[j], order[i]
        return tuple(order)

    def add(self, match_no: int, order: tuple[int, ...]) -> None:
        """Count the neighbours, or the partners, of a match."""
        if not (uneven := self._uneven(len(order))):
            return
        self._begin_block(match_no)
        others = len(order) - 1
        mean = sum(more for *_, more in uneven) // len(order)
        for pair in permutations(order, 2):
            self._excess[pair] -= mean
        for i, j, more in uneven:
            self._excess[order[i], order[j]] += more * others

    def _cost(self, order: Sequence[int], uneven: Iterable[tuple[int, int, int]]) -> int:
        """Return how much a base order adds to the squares of the excess, but for what all orders add."""
        return sum(more * self._excess[order[i], order[j]] for i, j, more in uneven)

    def _begin_block(self, match_no: int) -> None:
        if match_no // BLOCK_MATCHES != self._block:
            self._block = match_no // BLOCK_MATCHES
            self._excess.clear()


@cache
def _partnered(sides: Sides) -> tuple[tuple[int, int, int], ...]:
    """Return the places of the base order that are partners, as `_uneven`."""
    return tuple((i, j, 1) for i, j in permutations(range(len(sides)), 2) if sides[i] == sides[j])


@cache
def _uneven(seats: int) -> tuple[tuple[int, int, int], ...]:
    """Return the places of the base order that are right after each other more or less than once: (i, j, how much)."""
    games = seatings(tuple(range(seats)), "balanced")
    after = Counter(pair for game in games for pair in zip(game, (*game[1:], game[0]), strict=True))
    if len(set(after.values())) == 1 and len(after) == seats * (seats - 1):
        return ()
    return tuple((i, j, more) for i, j in permutations(range(seats), 2) if (more := after[i, j] - 1))
