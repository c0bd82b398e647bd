"""Matchings: the largest there are, held against trying all."""

from functools import cache
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.schedules.swiss_pairing import largest_matching, preferred_pairs


def graph_of(vertices: int, edges: set[frozenset[int]]) -> dict[int, set[int]]:
    return {a: {b for b in range(vertices) if frozenset((a, b)) in edges} for a in range(vertices)}


def most_pairs(vertices: int, edges: set[frozenset[int]]) -> int:
    """Return the size of a largest matching, by trying all."""

    @cache
    def most(left: frozenset[int]) -> int:
        if len(left) < 2:
            return 0
        a = min(left)
        paired = [1 + most(left - {a, b}) for b in left if frozenset((a, b)) in edges]
        return max([most(left - {a}), *paired])

    return most(frozenset(range(vertices)))


@st.composite
def graphs(draw: st.DrawFn, even: bool = False) -> tuple[int, set[frozenset[int]]]:
    vertices = 2 * draw(st.integers(1, 5)) if even else draw(st.integers(1, 10))
    all_edges = [frozenset(pair) for pair in combinations(range(vertices), 2)]
    return vertices, set(draw(st.lists(st.sampled_from(all_edges)))) if all_edges else set()


@given(graphs())
def test_no_matching_is_larger(drawn: tuple[int, set[frozenset[int]]]) -> None:
    vertices, edges = drawn
    mates = largest_matching(graph_of(vertices, edges))
    assert all(mates[mates[vertex]] == vertex for vertex in mates)
    assert {frozenset(pair) for pair in mates.items()} <= edges
    assert len(mates) // 2 == most_pairs(vertices, edges)


def test_sparse_graphs_with_many_odd_cycles() -> None:
    rng = Random(1)
    for _ in range(300):
        vertices = rng.randint(9, 15)
        pairs = list(combinations(range(vertices), 2))
        edges = {frozenset(pair) for pair in rng.sample(pairs, rng.randint(vertices - 2, vertices + 6))}
        assert len(largest_matching(graph_of(vertices, edges))) // 2 == most_pairs(vertices, edges)


@given(graphs(even=True), st.randoms(use_true_random=False))
def test_all_are_paired_as_few_as_can_be_outside_the_graph(
    drawn: tuple[int, set[frozenset[int]]], rng: Random
) -> None:
    vertices, edges = drawn
    preferences = {
        a: rng.sample([b for b in range(vertices) if b != a], vertices - 1) for a in range(vertices)
    }
    pairs = preferred_pairs(range(vertices), graph_of(vertices, edges), preferences)
    assert sorted(vertex for pair in pairs for vertex in pair) == list(range(vertices))
    most = most_pairs(vertices, edges)
    assert sum(frozenset(pair) in edges for pair in pairs) == most
    # The first could not have done better: with all it likes more, the others would be paired less well.
    first, chosen = pairs[0]
    assert first == 0
    for liked in preferences[first][: preferences[first].index(chosen)]:
        without = {edge for edge in edges if not edge & {first, liked}}
        assert most_pairs(vertices, without) + (frozenset((first, liked)) in edges) < most


def test_a_choice_that_leaves_others_alone_is_not_made() -> None:
    path = {frozenset(pair) for pair in ((0, 1), (1, 2), (2, 3))}
    preferences = {0: [2, 1, 3], 1: [2, 0, 3], 2: [1, 3, 0], 3: [2, 1, 0]}
    assert preferred_pairs(range(4), graph_of(4, path), preferences) == [(0, 1), (2, 3)]


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_a_pair_outside_the_graph_where_there_is_no_other(order: list[int]) -> None:
    assert preferred_pairs(order, graph_of(2, set()), {0: [1], 1: [0]}) == [tuple(order)]
