"""The maximal lottery: by hand, and moved by no clone."""

import numpy as np
import pytest
from arena_lottery.findings import Lottery
from arena_lottery.lottery import lottery, maximal_lottery
from arena_lottery.pair_parts import PairPart
from hypothesis import given, settings
from hypothesis import strategies as st

MARGINS = st.integers(2, 6).flatmap(
    lambda n: st.lists(st.integers(-10, 10), min_size=n * (n - 1) // 2, max_size=n * (n - 1) // 2).map(
        lambda upper: antisymmetric(n, upper)
    )
)


ROUNDED = 1e-6
"""Weights have six decimals."""


def antisymmetric(size: int, upper: list[int]) -> "np.ndarray[tuple[int, int], np.dtype[np.float64]]":
    """Return a matrix of margins from those above the diagonal, in tenths."""
    margins = np.zeros((size, size))
    margins[np.triu_indices(size, 1)] = np.array(upper) / 10
    return margins - margins.T


def test_rock_paper_scissors_by_hand() -> None:
    """Each has the weight of the margin between the two others, divided by the sum: 0.4, 0.6 and 0.2."""
    margins = antisymmetric(3, [2, -6, 4])
    assert maximal_lottery(margins) == pytest.approx([0.4 / 1.2, 0.6 / 1.2, 0.2 / 1.2], abs=ROUNDED)


def test_who_beats_everybody_has_all_of_it() -> None:
    assert maximal_lottery(antisymmetric(4, [1, 1, 1, 9, -9, 9])).tolist() == [1, 0, 0, 0]


def test_equals_share_it() -> None:
    assert maximal_lottery(np.zeros((4, 4))) == pytest.approx([0.25] * 4)


@settings(deadline=None)
@given(margins=MARGINS)
def test_nobody_beats_it(margins: "np.ndarray[tuple[int, int], np.dtype[np.float64]]") -> None:
    weights = maximal_lottery(margins)
    assert weights.sum() == pytest.approx(1, abs=len(weights) * ROUNDED)
    assert (weights >= 0).all()
    assert (margins @ weights <= len(weights) * ROUNDED).all()


@settings(deadline=None)
@given(margins=MARGINS, data=st.data())
def test_clones_move_nobody_else(
    margins: "np.ndarray[tuple[int, int], np.dtype[np.float64]]", data: st.DataObject
) -> None:
    size = len(margins)
    cloned = data.draw(st.integers(0, size - 1))
    copies = data.draw(st.integers(1, 3))
    kinds = np.array([*range(size), *[cloned] * copies])
    alone = maximal_lottery(margins)
    together = maximal_lottery(margins[np.ix_(kinds, kinds)])
    # Entries with equal margins against everybody are clones of each other from the start.
    alike = np.array([[np.array_equal(one, other) for other in margins] for one in margins])
    for entry in range(size):
        of_kind = np.isin(kinds, np.flatnonzero(alike[entry]))
        assert together[of_kind].sum() == pytest.approx(alone[alike[entry]].sum(), abs=2e-5)


TIES = st.integers(2, 7).flatmap(
    lambda n: st.lists(st.integers(-1, 1), min_size=n * (n - 1) // 2, max_size=n * (n - 1) // 2).map(
        lambda upper: antisymmetric(n, upper)
    )
)
"""Margins of which many are 0 or equal, so that most have several maximal lotteries."""


@settings(deadline=None, max_examples=80)
@given(margins=MARGINS | TIES, data=st.data())
def test_another_order_of_entries_gives_the_same_weights(
    margins: "np.ndarray[tuple[int, int], np.dtype[np.float64]]", data: st.DataObject
) -> None:
    order = np.array(data.draw(st.permutations(range(len(margins)))))
    assert maximal_lottery(margins[np.ix_(order, order)]) == pytest.approx(
        maximal_lottery(margins)[order], abs=2 * ROUNDED
    )


@settings(deadline=None, max_examples=80)
@given(margins=TIES, data=st.data())
def test_clones_move_nobody_else_where_several_are_level(
    margins: "np.ndarray[tuple[int, int], np.dtype[np.float64]]", data: st.DataObject
) -> None:
    size = len(margins)
    kinds = np.array([*range(size), *data.draw(st.lists(st.integers(0, size - 1), max_size=4))])
    order = np.array(data.draw(st.permutations(range(len(kinds)))))
    together = maximal_lottery(margins[np.ix_(kinds[order], kinds[order])])
    alone = maximal_lottery(margins)
    alike = np.unique(margins, axis=0, return_inverse=True)[1].reshape(-1)
    for number in np.unique(alike):
        of_kind = np.isin(kinds[order], np.flatnonzero(alike == number))
        assert together[of_kind] == pytest.approx(
            np.full(of_kind.sum(), alone[alike == number].sum() / of_kind.sum()), abs=size * ROUNDED
        )


def test_of_several_lotteries_it_is_the_one_nearest_to_equal_weights() -> None:
    """0 and 1 are level and both beat 2, so any mixture of the two is maximal."""
    assert maximal_lottery(antisymmetric(3, [0, 2, 4])) == pytest.approx([0.5, 0.5, 0])


def test_a_circle_of_four_has_the_least_sum_of_squares() -> None:
    """0 and 2 are level, as are 1 and 3; x0 and x2 may differ, and so may x1 and x3, but they need not."""
    assert maximal_lottery(antisymmetric(4, [1, 0, -1, 1, 0, 1])) == pytest.approx([0.25] * 4)


def test_the_samples_dont_depend_on_the_order_of_entries() -> None:
    rng = np.random.default_rng(5)
    played = [(part, a, b, int(rng.integers(0, 3))) for part in range(6) for a in range(4) for b in range(a)]
    order = [2, 0, 3, 1]

    def of(numbers: list[int]) -> list[PairPart]:
        parts = []
        for part, a, b, above in played:
            c, d = numbers[a], numbers[b]
            parts.append(
                PairPart(part, c, d, 2, above, 0) if c < d else PairPart(part, d, c, 2, 2 - above, 0)
            )
        return parts

    one = lottery(of([0, 1, 2, 3]), draws=40).weights
    other = lottery(of(order), draws=40).weights
    for entry in range(4):
        ours, theirs = one[entry], other[order[entry]]
        assert [theirs.weight, theirs.low, theirs.high, theirs.drawn] == pytest.approx(
            [ours.weight, ours.low, ours.high, ours.drawn], abs=2 * ROUNDED
        )


def rounds(number: int, first: int = 0) -> list[PairPart]:
    """0 beats 1, 1 beats 2 and 2 beats 0, each three times in four, in so many parts."""
    return [
        PairPart(part, a, b, 4, above, 0)
        for part in range(first, first + number)
        for a, b, above in ((0, 1, 3), (1, 2, 3), (0, 2, 1))
    ]


def test_a_league_of_equal_parts_has_no_spread() -> None:
    found = lottery(rounds(8), draws=20)
    assert [one.weight for one in found.weights] == pytest.approx([1 / 3] * 3)
    for one in found.weights:
        assert [one.low, one.high] == pytest.approx([1 / 3, 1 / 3])
        assert one.drawn == 1
    assert [one.margin for one in found.weights] == pytest.approx([0] * 3)
    assert (found.pairs_unmet, found.draws) == (0, 20)


def test_a_pair_that_never_met_has_the_margin_that_the_fit_expects() -> None:
    """0 beats 1, 1 beats 2, 0 and 2 never met: without the fit they would be level."""
    found = lottery([PairPart(part, a, a + 1, 4, 3, 0) for part in range(4) for a in (0, 1)], draws=20)
    assert found.pairs_unmet == 1
    assert [one.weight for one in found.weights] == [1, 0, 0]
    assert found.weights[2].margin < -0.5


def test_one_part_has_no_samples() -> None:
    found = lottery(rounds(1))
    assert found.draws == 0
    assert {one.low for one in found.weights} == {None}


def test_nothing_played() -> None:
    assert lottery([]) == Lottery((), 0, 0)
