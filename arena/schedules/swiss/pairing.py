"""Pairs the entries of a Swiss round: a matching of least cost, and its arrangement into tables."""

from collections import deque
from collections.abc import Hashable, Mapping, Sequence, Set
from itertools import combinations

from arena.core.chance import Stream

Graph = Mapping[int, Set[int]]
"""By vertex: its allowed partners, in both directions."""


def largest_matching(graph: Graph) -> dict[int, int]:
    """Return a largest matching: the partner by vertex, without unmatched ones. Equal graphs give equal results."""
    mates: dict[int, int] = {}
    for vertex in graph:
        if vertex not in mates:
            for other in sorted(graph[vertex]):
                if other not in mates:
                    mates[vertex], mates[other] = other, vertex
                    break
    for vertex in graph:
        if vertex not in mates:
            augment(graph, mates, vertex)
    return mates


def augment(graph: Graph, mates: dict[int, int], root: int) -> bool:
    """Enlarge a matching in place by one pair along a path from an unmatched vertex; False if there is none."""
    parent: dict[int, int] = {}
    base = {vertex: vertex for vertex in graph}
    reached = {root}
    queue = deque([root])
    while queue:
        vertex = queue.popleft()
        for other in sorted(graph[vertex]):
            if base[vertex] == base[other] or mates.get(vertex) == other:
                continue
            if other == root or (other in mates and mates[other] in parent):
                _contract(vertex, other, base, parent, mates, reached, queue)
            elif other not in parent:
                parent[other] = vertex
                if other not in mates:
                    _turn_over(other, parent, mates)
                    return True
                reached.add(mates[other])
                queue.append(mates[other])
    return False


def _contract(
    one: int,
    other: int,
    base: dict[int, int],
    parent: dict[int, int],
    mates: Mapping[int, int],
    reached: set[int],
    queue: deque[int],
) -> None:
    """Contract the odd cycle that an edge closes to one vertex; all of it is reached now."""
    stem = _common_base(one, other, base, parent, mates)
    blossom: set[int] = set()
    for end, next_to in ((one, other), (other, one)):
        vertex, child = end, next_to
        while base[vertex] != stem:
            blossom |= {base[vertex], base[mates[vertex]]}
            parent[vertex] = child
            child = mates[vertex]
            vertex = parent[child]
    for vertex in base:
        if base[vertex] in blossom:
            base[vertex] = stem
            if vertex not in reached:
                reached.add(vertex)
                queue.append(vertex)


def _common_base(
    one: int, other: int, base: Mapping[int, int], parent: Mapping[int, int], mates: Mapping[int, int]
) -> int:
    """Return the first base that both vertices' ways back to the root share."""
    passed = set()
    vertex = base[one]
    while True:
        passed.add(vertex)
        if vertex not in mates:
            break
        vertex = base[parent[mates[vertex]]]
    vertex = base[other]
    while vertex not in passed:
        vertex = base[parent[mates[vertex]]]
    return vertex


def _turn_over(end: int, parent: Mapping[int, int], mates: dict[int, int]) -> None:
    """Along the path that ends here, swap the pairs inside and outside the matching."""
    vertex: int | None = end
    while vertex is not None:
        before = parent[vertex]
        following = mates.get(before)
        mates[vertex], mates[before] = before, vertex
        vertex = following


def preferred_pairs(
    order: Sequence[int], graph: Graph, preferences: Mapping[int, Sequence[int]]
) -> list[tuple[int, int]]:
    """Return pairs of all entries in `order`, an even number, with as few pairs outside the graph as possible.

    The first in the order gets its most preferred partner (from all others, best first) that lets the others still be
    paired as well, then the next remaining one does, and so on.
    """
    left = {vertex: {other for other in graph[vertex] if other in preferences} for vertex in order}
    mates = largest_matching(left)
    pairs = []
    for vertex in order:
        if vertex not in left:
            continue
        for other in preferences[vertex]:
            if other in left and (rest := _take_out(left, mates, vertex, other)) is not None:
                pairs.append((vertex, other))
                mates = rest
                break
    return pairs


def _take_out(
    graph: dict[int, set[int]], mates: Mapping[int, int], one: int, other: int
) -> dict[int, int] | None:
    """Remove a pair and return the largest matching of the others; None, changing nothing, if it costs a pair."""
    wanted = len(mates) // 2 - (other in graph[one])
    taken = {vertex: graph.pop(vertex) for vertex in (one, other)}
    for vertex, others in taken.items():
        for neighbour in others & graph.keys():
            graph[neighbour].remove(vertex)
    kept = {vertex: mate for vertex, mate in mates.items() if vertex in graph and mate in graph}
    for vertex in graph:
        if len(kept) // 2 >= wanted:
            break
        if vertex not in kept:
            augment(graph, kept, vertex)
    if len(kept) // 2 >= wanted:
        return kept
    for vertex, others in taken.items():
        for neighbour in others & graph.keys():
            graph[neighbour].add(vertex)
    graph.update(taken)
    return None


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
    tables, first = [], 0
    for size in sizes:
        tables.append(list(order[first : first + size]))
        first += size
    return tables


def _dealt(order: Sequence[int], sizes: Sequence[int]) -> list[list[int]]:
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
        cost_x, cost_y = self._cost[one[i]], self._cost[other[j]]
        change = 0
        for k, entry in enumerate(one):
            if k != i:
                change += cost_y[entry] - cost_x[entry]
        for k, entry in enumerate(other):
            if k != j:
                change += cost_x[entry] - cost_y[entry]
        return change
