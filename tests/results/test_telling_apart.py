"""How many matches tell two bots apart: the forecasts fit together, and hold in simulated leagues."""

from itertools import combinations

import numpy as np
import pytest

from results.analysis.fit_results import Measure
from results.analysis.match_sums import match_sums
from results.analysis.matches_needed import (
    POWER,
    errors_of_gap,
    gap_told,
    matches_of_league,
    matches_to_tell,
)
from results.analysis.point_strengths import least_squares


def test_the_forecasts_fit_together() -> None:
    assert errors_of_gap(1e9) == pytest.approx(2.8016, abs=1e-4)
    assert errors_of_gap(12) == pytest.approx((2.201 + 0.876) * (13 / 12) ** 0.5, abs=0.01), "Student's t"
    assert matches_of_league(0.1, 2.0, 2, 2) == pytest.approx((2.8016 * 20) ** 2, abs=6), (
        "as in tables of sample sizes"
    )
    assert matches_of_league(0.1, 0.2, 2, 2) == 35, (
        "of 32 for a normal law: for a t-test, and one imaginary match"
    )
    assert matches_of_league(0.1, 0.5, 4, 4) == matches_of_league(0.1, 0.5, 2, 2), "all sit at one table"
    assert matches_of_league(0.01, 0.5, 5, 2) == pytest.approx(
        4 * matches_of_league(0.01, 0.5, 2, 2), rel=0.001
    )
    assert matches_of_league(0.5, 0.01, 8, 2) == 8, "each has two matches at least"
    whole = matches_of_league(0.02, 0.3, entries=9, seats=3)
    assert gap_told({3: whole}, {3: 0.3}, 9) == pytest.approx(0.02, rel=0.001)
    both = gap_told({2: 100, 3: 100}, {2: 0.3, 3: 0.3}, 9)
    assert both == pytest.approx(gap_told({2: 300}, {2: 0.3}, 9), rel=0.01), (
        "a table of three tells twice as much as one of two"
    )
    with pytest.raises(ValueError, match="without matches"):
        gap_told({2: 0}, {2: 0.3}, 9)


def test_what_is_left_follows_from_the_intervals() -> None:
    few = matches_to_tell(2.0, (3.0, 3.0), 100, (40, 40), 5)
    assert matches_to_tell(1.0, (3.0, 3.0), 100, (40, 40), 5) == pytest.approx(4 * few, rel=0.05)
    assert matches_to_tell(2.0, (3.0, 3.0), 200, (80, 80), 5) == pytest.approx(2 * few, rel=0.05)
    assert matches_to_tell(0.0, (3.0, 3.0), 100, (40, 40), 5) == np.inf
    assert matches_to_tell(2.0, (3.0, 3.0), 100, (1, 40), 5) == np.inf, "it has no interval"
    error = (
        1.96 * 0.5 * (4 / 5) ** 0.5
    )  # of one of five entries, if all differences have the variance 2 · 0.5²
    many = matches_to_tell(0.1, (error, error), 10_000, (4_000, 4_000), 5)
    assert many == pytest.approx(10_000 * (2.8016 * 0.5 * 2**0.5 / 0.1) ** 2, rel=0.01)


@pytest.mark.slow
@pytest.mark.parametrize(("entries", "seats"), [(2, 2), (6, 3)])
def test_intervals_after_some_matches_say_what_the_design_does(entries: int, seats: int) -> None:
    """Half the width of two intervals gives the forecast that is made from the luck before the league begins."""
    gap, matches = 5.0, 400
    rng = np.random.default_rng(9)
    tables = np.array([*combinations(range(entries), seats)])
    found = []
    for _ in range(40):
        table = tables[np.arange(matches) % len(tables)]
        rows = np.zeros((*table.shape, 7), dtype=np.int64)
        rows[..., 0], rows[..., 2] = np.arange(matches)[:, None], np.arange(seats)
        rows[..., 3], rows[..., 4] = rng.permuted(table, axis=1), 1
        rows[..., 5] = np.round(rng.normal(0, 100, table.shape))
        one, other = least_squares(match_sums([rows.reshape(-1, 7)], Measure.SCORES)).strengths[:2]
        assert one.low is not None
        assert one.high is not None
        assert other.low is not None
        assert other.high is not None
        halves = (one.high - one.low) / 2, (other.high - other.low) / 2
        each = matches * seats // entries
        found.append(matches_to_tell(gap, halves, matches, (each, each), entries))
    expected = matches_of_league(gap, 100 * 2**0.5, entries, seats)
    assert np.mean(found) == pytest.approx(expected, rel=0.1)


@pytest.mark.slow
def test_so_many_matches_tell_a_gap_in_four_leagues_of_five() -> None:
    entries, seats, gap = 6, 3, 20.0
    tables = np.array([*combinations(range(entries), seats)])
    matches = matches_of_league(gap, 100 * 2**0.5, entries, seats)
    rng = np.random.default_rng(5)
    told = 0
    for _ in range(300):
        table = tables[np.arange(matches) % len(tables)]
        score = np.round(gap * (table == 0) + rng.normal(0, 100, table.shape)).astype(np.int64)
        rows = np.zeros((*table.shape, 7), dtype=np.int64)
        rows[..., 0], rows[..., 2] = np.arange(matches)[:, None], np.arange(seats)
        rows[..., 3], rows[..., 4], rows[..., 5] = rng.permuted(table, axis=1), 1, 0
        order = (rows[..., 3, None] == table[:, None, :]).argmax(axis=2)
        rows[..., 5] = np.take_along_axis(score, order, axis=1)
        strengths = least_squares(match_sums([rows.reshape(-1, 7)], Measure.SCORES)).strengths
        told += 1 in (strengths[0].above or ())
    assert told / 300 == pytest.approx(POWER, abs=0.08), "three and a half standard errors"
