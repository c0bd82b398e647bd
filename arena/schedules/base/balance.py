"""Rounds that depend on no results, and balanced tables: every pair meets as equally often as possible.

Which pairs share a table is a block design. Only a few combinations of entries, seats
and tables have a perfect design, and for most none is known. So tables are first set
in a way that is always allowed, and then improved by swapping two entries at a time,
as long as that brings the pairs closer to equal.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

from arena.core.chance import Stream
from arena.schedules.base import Field, Summary


class Rounds:
    """Schedules whose rounds depend on no results: `Open` and `Sized`, with `settings.rounds` over all fields."""

    def a_round(self, field: Field, settings: Any) -> Mapping[int, int]:
        """Return the number of tables of each size per round; 0 for a size that the field can't fill."""
        raise NotImplementedError

    def rounds_left(self, field: Field, settings: Any) -> int:
        """Return how many rounds the field plays."""
        return max(0, int(settings.rounds) - field.from_round)

    def tally(self, field: Field, settings: Any) -> None:
        """Return None: no results are needed."""

    def sees(self, field: Field, settings: Any, planned: int) -> int:  # noqa: ARG002 - needs no results
        """Return 0: who meets whom does not depend on results."""
        return 0

    def total(self, field: Field, settings: Any) -> int:
        """Return the number of matches: those of earlier fields, and those of the rounds that remain."""
        return field.from_match + self.rounds_left(field, settings) * sum(
            self.a_round(field, settings).values()
        )

    def sizes(self, field: Field, settings: Any) -> Mapping[int, int | None]:
        """Return the number of matches by table size; None if earlier fields played several sizes."""
        if field.from_match and len(field.seats) > 1:
            return dict.fromkeys(field.seats)
        rounds = self.rounds_left(field, settings)
        a_round = self.a_round(field, settings)
        return {seats: field.from_match + rounds * tables for seats, tables in a_round.items()}

    def changes_at(self, field: Field, settings: Any, planned: int) -> int | None:
        """Return the first match of the next round, `planned` if none of it is planned yet; None for no round."""
        matches = sum(self.a_round(field, settings).values())
        begun = -(-(planned - field.from_match) // matches) if matches else 0
        return field.from_match + begun * matches if field.from_round + begun < settings.rounds else None

    def rests(self, field: Field, settings: Any, summary: Summary) -> str:  # noqa: ARG002 - never rests
        """Return an empty string: all rounds are played."""
        return ""


def pairs_before(
    pairs: Mapping[tuple[int, int], int], tables: Iterable[tuple[int, ...]]
) -> dict[tuple[int, int], int]:
    """Return how often each pair had met before these tables.

    >>> pairs_before({(1, 2): 5, (1, 3): 1}, [(1, 2), (1, 2)])
    {(1, 2): 3, (1, 3): 1}
    """
    before = dict(pairs)
    for table in tables:
        count_pairs(before, sorted(table), -1)
    return before


def count_pairs(pairs: dict[tuple[int, int], int], table: Iterable[int], times: int = 1) -> None:
    """Count that all at a table, in ascending order, have met."""
    for pair in combinations(table, 2):
        pairs[pair] = pairs.get(pair, 0) + times


SWAPS_A_SEAT = 400
"""The most swaps to try per seat if the pairs aren't balanced before."""
MOST_SWAPS = 200_000


def turns(
    entries: Sequence[int], first: int, tables: int, seats: int, group_of: Mapping[int, Hashable]
) -> dict[int, int]:
    """Return how many seats each entry takes if the seats of all tables are handed out in turn.

    `first` seats were handed out before, so entries left out last time come first now. No group gets more seats
    than there are tables, unless it has more than (entries / `seats`) members.

    >>> turns((5, 6, 7), 4, 2, 2, {5: 5, 6: 6, 7: 7})
    {5: 1, 6: 2, 7: 1}
    """
    whole, rest = divmod(tables * seats, len(entries))
    taking = dict.fromkeys(entries, whole)
    room = {
        group: tables - whole * members
        for group, members in Counter(map(group_of.__getitem__, entries)).items()
    }
    start = first % len(entries)
    for entry in (*entries[start:], *entries[:start]):
        if rest and room[group_of[entry]] > 0:
            taking[entry] += 1
            room[group_of[entry]] -= 1
            rest -= 1
    return taking


def balanced_tables(
    taking: Mapping[int, int],
    tables: int,
    group_of: Mapping[int, Hashable],
    pairs: Mapping[tuple[int, int], int],
    name: str,
) -> list[tuple[int, ...]]:
    """Return that many tables of equal size, on which each entry takes the number of seats in `taking`.

    Nobody shares a table with their own group; an entry alone is a group too. So no group may take more seats than
    there are tables. `pairs` counts how often two met before, the lower number first. `name` is the name of the random
    stream; the same arguments give the same tables. Entries of a table are in ascending order.
    """
    chance = Stream(b"arena/schedules/balance", name)
    order = [entry for entry, count in taking.items() if count]
    chance.shuffle(order)
    by_group: dict[Hashable, list[int]] = {}
    for entry in order:
        by_group.setdefault(group_of[entry], []).extend([entry] * taking[entry])
    largest_first = sorted(by_group.values(), key=len, reverse=True)
    if largest_first and len(largest_first[0]) > tables:
        raise ValueError(f"a group takes {len(largest_first[0])} seats at {tables} tables")
    dealt = [entry for group in largest_first for entry in group]
    search = _Search([dealt[table::tables] for table in range(tables)], group_of, pairs)
    search.improve(chance)
    return [tuple(sorted(table)) for table in search.tables]


class _Search:
    """Tables while they are improved by swaps."""

    def __init__(
        self, tables: list[list[int]], group_of: Mapping[int, Hashable], pairs: Mapping[tuple[int, int], int]
    ) -> None:
        self.tables = tables
        self._group_of = group_of
        self._entries = sorted({entry for table in tables for entry in table})
        self._met: dict[int, dict[int, int]] = {
            a: {b: pairs.get((min(a, b), max(a, b)), 0) for b in self._entries} for a in self._entries
        }
        for table in tables:
            for a, b in combinations(table, 2):
                self._met[a][b] += 1
                self._met[b][a] += 1

    def improve(self, chance: Stream) -> None:
        """Swap until the pairs are balanced or the limit of swaps is reached."""
        tables = self.tables
        seats = sum(map(len, tables))
        if len(tables) < 2 or seats < 2:
            return
        excess = self._excess()
        for _ in range(min(MOST_SWAPS, SWAPS_A_SEAT * seats)):
            if excess == 0:
                return
            one, other = tables[chance.randrange(len(tables))], tables[chance.randrange(len(tables))]
            i, j = chance.randrange(len(one)), chance.randrange(len(other))
            change = self._change(one, i, other, j)
            if change is not None and change <= 0:
                self._swap(one, i, other, j)
                excess += change

    def _excess(self) -> int:
        """Return how far the sum of squared meetings exceeds that of pairs which differ by at most one."""
        group_of, pairs = self._group_of, combinations(self._entries, 2)
        met = [self._met[a][b] for a, b in pairs if group_of[a] != group_of[b]]
        whole, rest = divmod(sum(met), len(met)) if met else (0, 0)
        return sum(count * count for count in met) - (rest * (whole + 1) ** 2 + (len(met) - rest) * whole**2)

    def _change(self, one: list[int], i: int, other: list[int], j: int) -> int | None:
        """Return how a swap changes the sum of squared meetings; None if it isn't allowed."""
        x, y = one[i], other[j]
        if one is other or x == y:
            return None
        group_x, group_y, group_of = self._group_of[x], self._group_of[y], self._group_of
        met_x, met_y = self._met[x], self._met[y]
        change = 0
        for k, a in enumerate(one):
            if k != i:
                if group_of[a] == group_y:
                    return None
                if a not in other:
                    change += met_y[a] - met_x[a] + 1
        for k, b in enumerate(other):
            if k != j:
                if group_of[b] == group_x:
                    return None
                if b not in one:
                    change += met_x[b] - met_y[b] + 1
        return 2 * change

    def _swap(self, one: list[int], i: int, other: list[int], j: int) -> None:
        self._count(one, i, -1)
        self._count(other, j, -1)
        one[i], other[j] = other[j], one[i]
        self._count(one, i, 1)
        self._count(other, j, 1)

    def _count(self, table: list[int], place: int, step: int) -> None:
        entry = table[place]
        for other in table:
            if other != entry:
                self._met[entry][other] += step
                self._met[other][entry] += step
