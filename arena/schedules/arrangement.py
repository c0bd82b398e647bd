"""Arranges an ordered field at tables of three or more: neighbours together, nobody twice. For schedules.

Whether such tables can seat everybody without any repeated meeting is a hard problem.
This search starts from several arrangements and improves each by swapping two entries
as long as that helps, which finds a solution unless the field is crowded.
"""

from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations

from arena.core.chance import Stream

MOST_BEGINNINGS = 40
LARGE = 4000
"""The search tries this many starts while somebody meets again, but at most LARGE divided by the size of the field."""


def arranged(
    order: Sequence[int],
    sizes: Sequence[int],
    group_of: Mapping[int, Hashable],
    met: Mapping[int, Mapping[int, int]],
    *,
    spread: bool,
    name: str,
) -> list[tuple[int, ...]]:
    """Return tables of the given sizes, equal except for one and larger ones first, with every entry of `order` at one.

    By priority: nobody shares a table with the same group, which is possible if no group is larger than the number of
    tables; as few entries as the search finds meet again, counted by `met`; tables hold neighbours in the order, or,
    with `spread`, one entry from each part of it. `name` is the name of the random stream.
    """
    search = _Search(order, group_of, met, spread=spread, tables=len(sizes))
    chance = Stream(b"arena/schedules/arrangement", name)
    best = search.descend(_dealt(order, sizes) if spread else _cut(order, sizes))
    tables = _apart(order, len(sizes), group_of)
    for _ in range(min(MOST_BEGINNINGS, max(1, LARGE // len(order)))):
        if best[0] < search.again:
            break
        tried = search.descend(tables)
        best = min(best, tried, key=lambda found: found[0])
        mixed = list(order)
        chance.shuffle(mixed)
        tables = _apart(mixed, len(sizes), group_of)
    place = {entry: place for place, entry in enumerate(order)}
    return [tuple(sorted(table, key=place.__getitem__)) for table in best[1]]


def _cut(order: Sequence[int], sizes: Sequence[int]) -> list[list[int]]:
    """Return the order cut into tables."""
    tables, first = [], 0
    for size in sizes:
        tables.append(list(order[first : first + size]))
        first += size
    return tables


def _dealt(order: Sequence[int], sizes: Sequence[int]) -> list[list[int]]:
    """Return the order dealt out to tables."""
    return [list(order[table :: len(sizes)]) for table in range(len(sizes))]


def _apart(order: Sequence[int], tables: int, group_of: Mapping[int, Hashable]) -> list[list[int]]:
    """Deal out the entries group by group: no two of a group meet unless it is larger than the number of tables."""
    members: dict[Hashable, list[int]] = {}
    for entry in order:
        members.setdefault(group_of[entry], []).append(entry)
    ordered = [entry for group in sorted(members.values(), key=len, reverse=True) for entry in group]
    return [ordered[table::tables] for table in range(tables)]


class _Search:
    """The cost of two entries sharing a table, and the descent from one arrangement to a cheaper one."""

    def __init__(
        self,
        order: Sequence[int],
        group_of: Mapping[int, Hashable],
        met: Mapping[int, Mapping[int, int]],
        *,
        spread: bool,
        tables: int,
    ) -> None:
        entries = len(order)
        place = {entry: place for place, entry in enumerate(order)}
        self.again = entries**4
        """A repeated meeting costs more than any distance; one within a group, more than all repeated meetings."""
        together = (
            self.again
            * entries**2
            * (1 + max((max(of.values(), default=0) for of in met.values()), default=0)) ** 2
        )
        self._cost: dict[int, dict[int, int]] = {a: {} for a in order}
        for a, b in combinations(order, 2):
            apart = abs(place[a] - place[b])
            cost = (max(0, tables - apart) if spread else apart) ** 2
            cost += self.again * met[a].get(b, 0) ** 2
            if group_of[a] == group_of[b]:
                cost += together
            self._cost[a][b] = self._cost[b][a] = cost

    def descend(self, tables: list[list[int]]) -> tuple[int, list[list[int]]]:
        """Swap entries of two tables as long as that lowers the cost; return the final cost and the tables."""
        moved = True
        while moved:
            moved = False
            for one, other in combinations(tables, 2):
                for i in range(len(one)):
                    for j in range(len(other)):
                        if self._change(one, i, other, j) < 0:
                            one[i], other[j] = other[j], one[i]
                            moved = True
        cost = sum(self._cost[a][b] for table in tables for a, b in combinations(table, 2))
        return cost, tables

    def _change(self, one: list[int], i: int, other: list[int], j: int) -> int:
        """Return how a swap changes the cost."""
        cost_x, cost_y = self._cost[one[i]], self._cost[other[j]]
        change = 0
        for k, entry in enumerate(one):
            if k != i:
                change += cost_y[entry] - cost_x[entry]
        for k, entry in enumerate(other):
            if k != j:
                change += cost_x[entry] - cost_y[entry]
        return change
