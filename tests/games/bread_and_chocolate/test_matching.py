"""Matchings against trying everything."""

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from arena.games.bread_and_chocolate.matching import Matching

Choices = list[list[int]]

SIZE = 5
choices_of_all = st.lists(
    st.lists(st.integers(0, SIZE - 1), unique=True, max_size=SIZE), min_size=1, max_size=SIZE
)


def solutions(choices: Choices, fixed: dict[int, int]) -> list[tuple[int, ...]]:
    """Return every way of giving each left number a right one of its own, those that are fixed included."""
    return [
        chosen
        for chosen in permutations(range(SIZE), len(choices))
        if all(right in choices[left] for left, right in enumerate(chosen) if left not in fixed)
        and all(chosen[left] == right for left, right in fixed.items())
    ]


@given(choices_of_all)
def test_it_is_complete_where_that_is_possible(choices: Choices) -> None:
    assert Matching(choices, SIZE).complete() == bool(solutions(choices, {}))


@given(choices_of_all)
def test_a_choice_is_refused_only_where_others_would_be_left_without(choices: Choices) -> None:
    """Fix one left number after the other, trying every right one in turn; compare with all solutions."""
    matching = Matching(choices, SIZE)
    if not matching.complete():
        return
    fixed: dict[int, int] = {}
    for left, rights in enumerate(choices):
        for right in rights:
            if matching.is_fixed(right):
                continue
            copy = matching.copy()
            possible = bool(solutions(choices, {**fixed, left: right}))
            assert copy.fix(left, right) == possible
            if possible:
                assert matching.fix(left, right)
                assert matching.has_fixed(left)
                assert matching.is_fixed(right)
                fixed[left] = right
                break
        assert left in fixed
    assert tuple(fixed.values()) in solutions(choices, {})


def test_a_refused_choice_changes_nothing() -> None:
    matching = Matching([[0, 1], [0]], 2)
    assert matching.complete()
    assert not matching.fix(0, 0)
    assert not matching.is_fixed(0)
    assert matching.fix(0, 1)
    assert matching.fix(1, 0)
