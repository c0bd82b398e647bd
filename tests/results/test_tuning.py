"""Tunes: the pairs lead to the optimum, the same results give the same points, and the landscape says what it knows."""

import random
from collections.abc import Callable, Sequence
from xml.etree import ElementTree

import pytest

from results.analysis.tuning import AHEAD_STEPS, LOOK_EVERY, Looked, Point, Slice, Tuner, slices
from results.reports.charts import landscape_file
from results.reports.comparison_rows import FLAT, MATTERS, NOT_KNOWN, state_of


def hill(point: Sequence[float]) -> float:
    """Return a share that is largest at 0.7 of the first and 0.4 of the second parameter; a third does nothing."""
    return -2.0 * (point[0] - 0.7) ** 2 - (point[1] - 0.4) ** 2


def tuned(steps: int, worth: Callable[[Point], float], noise: float, pairs: int = 1) -> Tuner:
    rng, tuner = random.Random(1), Tuner((0.3, 0.6, 0.5), pairs)
    for step in range(steps):
        tuner.add([worth(one) - worth(other) + rng.gauss(0.0, noise) for one, other in tuner.points(step)])
    return tuner


@pytest.mark.parametrize("pairs", [1, 2])
def test_pairs_lead_to_the_optimum(pairs: int) -> None:
    best = tuned(400, hill, 0.2, pairs).best
    assert abs(best[0] - 0.7) < 0.12, best
    assert abs(best[1] - 0.4) < 0.12, best
    assert hill(best) > 0.9 * hill((0.7, 0.4)) + 0.1 * hill((0.3, 0.6))


def test_both_sides_of_a_pair_lie_opposite_each_other_within_the_range() -> None:
    tuner = tuned(30, hill, 0.2)
    for step in (30, 31, 33):
        ((first, second),) = tuner.points(step)
        centre = tuner.centre_of(step)
        assert all(0 <= place <= 1 for place in first + second)
        for one, other, middle in zip(first, second, centre, strict=True):
            assert one - middle == pytest.approx(middle - other) or {one, other} & {0.0, 1.0}


def test_a_step_depends_on_all_results_but_the_latest_few() -> None:
    at_once, later = tuned(20, hill, 0.2), tuned(20 + AHEAD_STEPS, hill, 0.2)
    assert at_once.points(20) == later.points(20)
    assert at_once.points(20 + AHEAD_STEPS) == later.points(20 + AHEAD_STEPS)
    with pytest.raises(IndexError):
        at_once.points(21 + AHEAD_STEPS)


def test_looks_turn_one_parameter_alone_first_from_end_to_end() -> None:
    tuner = tuned(60, hill, 0.2)
    for parameter in range(3):
        ((first, second),) = tuner.points(parameter)
        assert (first[parameter], second[parameter]) == (0.0, 1.0)
        assert [one == other for one, other in zip(first, second, strict=True)].count(False) == 1
    ((first, second),) = tuner.points(3 + LOOK_EVERY - 1)
    assert [one == other for one, other in zip(first, second, strict=True)].count(False) == 1


def test_whole_numbers_are_turned_by_a_step_at_least() -> None:
    tuner = Tuner((0.5, 0.5), 1, [0.3, 0.0])
    for step in range(500):
        ((first, second),) = tuner.points(step)
        tuner.add([0.0])
        if tuner.looks_at(step) is None:
            assert abs(first[0] - second[0]) == pytest.approx(0.6)


def test_a_step_without_results_leads_nowhere() -> None:
    tuner = tuned(10, hill, 0.2)
    before = tuner.best
    tuner.add([None])
    assert tuner.best == pytest.approx(before, abs=0.02)
    assert tuner.centre_of(15) == tuner.centre_of(14)


def test_the_landscape_has_the_true_shares_within_its_errors() -> None:
    tuner = tuned(600, hill, 0.2)
    first, second, third = slices(tuner.looked, tuner.best)
    for along, parameter in ((first, 0), (second, 1), (third, 2)):
        for place, share, error in zip(along.places, along.shares, along.errors, strict=True):
            point = list(tuner.best)
            point[parameter] = place
            assert abs(share - (hill(point) - hill(tuner.best))) < 3.5 * error + 1e-6
    assert state_of(first, 0.05) == MATTERS
    assert third.most() < first.most()
    assert state_of(third, third.most() + 0.01) == FLAT


def test_nothing_is_known_before_games_and_flat_is_said_only_if_shown() -> None:
    (along,) = slices([], (0.5,))
    assert state_of(along, 0.05) == NOT_KNOWN
    flat = [Looked(((0.1,), (0.9,)), 0.0), Looked(((0.9,), (0.1,)), 0.01)] * 300
    assert state_of(slices(flat, (0.5,))[0], 0.05) == NOT_KNOWN, "the middle may lie higher than both ends"
    places = (0.0, 0.2, 0.35, 0.65, 0.8, 1.0)
    looks = [Looked(((place,), (0.5,)), 0.01 * (-1) ** turn) for turn in range(100) for place in places]
    assert state_of(slices([*flat, *looks], (0.5,))[0], 0.1) == FLAT


def test_the_games_that_show_nothing_follow_from_the_largest_error() -> None:
    along = Slice((0.0, 0.5, 1.0), (0.1, 0.0, -0.02), (0.02, 0.01, 0.04))
    assert along.games_to_be_flat(1_000, 0.1) == pytest.approx(1_000 * (3.3 * 0.04 / 0.1) ** 2)
    assert along.games_to_be_flat(1_000, 0.05) == pytest.approx(4 * along.games_to_be_flat(1_000, 0.1))


def test_one_that_does_nothing_is_flat_though_another_matters() -> None:
    """Turning it alone, nearly all matches are draws; turning all at once, the luck of the game is there."""

    def worth(point: Sequence[float]) -> float:
        return -((point[0] - 0.7) ** 2)

    states = []
    for seed in range(6):
        rng, tuner = random.Random(seed), Tuner((0.3, 0.5), 2)
        for step in range(120):
            noise = 0.01 if tuner.looks_at(step) == 1 else 0.15
            tuner.add(
                [worth(one) - worth(other) + rng.gauss(0.0, noise) for one, other in tuner.points(step)]
            )
        states.append([state_of(along, 0.05) for along in slices(tuner.looked, tuner.best)])
    assert [first for first, _ in states] == [MATTERS] * 6
    assert [second for _, second in states].count(FLAT) >= 3


def test_looks_go_to_the_ends_so_that_nothing_is_flat_that_matters_only_there() -> None:
    """A step near the highest value, which no pair around the centre reaches."""
    called = []
    for seed in range(12):
        rng, tuner = random.Random(seed), Tuner((0.5, 0.5), 2)
        for step in range(90):
            tuner.add(
                [
                    0.1 * (two[0] > 0.9) - 0.1 * (one[0] > 0.9) + rng.gauss(0.0, 0.05)
                    for one, two in tuner.points(step)
                ]
            )
        called.append(state_of(slices(tuner.looked, tuner.best)[0], 0.08))
    assert FLAT not in called


def test_the_plot_is_svg_with_a_panel_for_each_parameter() -> None:
    tuner = tuned(50, hill, 0.2)
    along = dict(zip(("held", "a<b", "c"), slices(tuner.looked, tuner.best), strict=True))
    svg = landscape_file("tune-1", along, {name: ("0", "6", f"{name} = 3", 0.5) for name in along})
    root = ElementTree.fromstring(svg)  # noqa: S314 - our own
    texts = [one.text for one in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "a<b = 3" in texts
    assert len([one for one in root.iter() if one.get("class") == "course-band"]) == 3
