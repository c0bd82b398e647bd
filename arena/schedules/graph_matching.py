"""Pairs of a field: as many allowed pairs as possible. For schedules.

The method is Edmonds' ("Paths, trees, and flowers", 1965): a matching is
largest if no path connects two unmatched vertices such that allowed pairs outside
and inside the matching alternate on it; odd cycles on the way, the blossoms, are
contracted to one vertex.
"""

from collections import deque
from collections.abc import Mapping, Sequence, Set

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
    """Remove a pair from the graph and return the largest matching of the others.

    If the pair would cost others their partners, leave the graph unchanged and return None.
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
