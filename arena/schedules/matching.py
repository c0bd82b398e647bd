"""Pairs of a field: as many as can be of those that are allowed. For schedules.

The method is Edmonds' ("Paths, trees, and flowers", 1965): a matching is the
largest if no path leads from one unmatched vertex to another on which allowed
pairs outside and inside the matching alternate; odd cycles on the way, the
blossoms, are taken together as one vertex.
"""

from collections import deque
from collections.abc import Mapping, Sequence, Set

Graph = Mapping[int, Set[int]]
"""By vertex: those it may be paired with, in both directions."""


def largest_matching(graph: Graph) -> dict[int, int]:
    """Return a largest matching: by vertex its partner; who has none is missing. The same graph gives the same."""
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
    """Make a matching larger by one pair by a path from an unmatched vertex, in place; False where there is none."""
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
    """Take the odd cycle that an edge closes together as one vertex; all of it is reached now."""
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
    """Return the first base that the ways of both vertices back to the root share."""
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
    """Swap what is in the matching and what is not on the path that ends here."""
    vertex: int | None = end
    while vertex is not None:
        before = parent[vertex]
        following = mates.get(before)
        mates[vertex], mates[before] = before, vertex
        vertex = following


def preferred_pairs(
    order: Sequence[int], graph: Graph, preferences: Mapping[int, Sequence[int]]
) -> list[tuple[int, int]]:
    """Return pairs of all in `order`, an even number, as few of them as can be outside the graph.

    The first in the order gets the first of its preferences (all others, best first) with which the others can
    still be paired that well, then the next one that is left, and so on.
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
    """Take a pair out of the graph and return the largest matching of the others.

    Where the pair would cost others theirs, the graph stays as it is and the answer is None.
    """
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
