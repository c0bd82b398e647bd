"""Matchings against trying everything."""

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from arena.games.bread_and_chocolate.card_tracking import Matching

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
            possible = right not in fixed.values() and bool(solutions(choices, {**fixed, left: right}))
            assert matching.copy().fix(left, right) == possible
            if possible:
                assert matching.fix(left, right)
                assert matching.is_fixed(right)
                fixed[left] = right
                break
        assert left in fixed
    assert tuple(fixed.values()) in solutions(choices, {})


@given(st.lists(st.lists(st.integers(0, SIZE - 1), unique=True), min_size=SIZE, max_size=SIZE), st.data())
def test_what_is_possible_is_told_beforehand(choices: Choices, data: st.DataObject) -> None:
    """As many right numbers as left ones; some of them fixed already, one of these released again."""
    matching = Matching(choices, SIZE)
    if not matching.complete():
        return
    fixed = dict(enumerate(data.draw(st.sampled_from(solutions(choices, {})))))
    for left in data.draw(st.sets(st.sampled_from(range(SIZE)), min_size=1)):
        del fixed[left]
    for left, right in fixed.items():
        assert matching.fix(left, right)
    if fixed:
        left, right = fixed.popitem()
        matching.release(right)
    every = solutions(choices, fixed)
    for left in set(range(SIZE)) - set(fixed):
        assert matching.rights_for(left) == {chosen[left] for chosen in every}
    for right in range(SIZE):
        lefts = {chosen.index(right) for chosen in every} if right not in fixed.values() else set()
        assert {left for left in matching.lefts_for(right) if right in choices[left]} == lefts


def test_a_refused_choice_changes_nothing() -> None:
    matching = Matching([[0, 1], [0]], 2)
    assert matching.complete()
    assert not matching.fix(0, 0)
    assert not matching.is_fixed(0)
    assert matching.fix(0, 1)
    assert not matching.fix(1, 1)
    assert matching.fix(1, 0)
    assert not matching.fix(1, 0)
