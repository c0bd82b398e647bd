"""Strengths that are drawn together: by how much follows from the results, and intervals hold on a ladder."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.score_fit import Chosen, Floats, judged
from results.analysis.least_squares import least_squares
from results.analysis.match_sums import Measure, match_sums
from results.analysis.shrinkage import WIDER, drawn_together
from results.records import EntrySpec
from results.reports.fit_cache import FitBy, KeptLeastSquares, new_fit
from tests.results.ledgers import RULES, new_store, plan, played
from tests.results.seat_rows import rows_of


def errors(entries: int, sd: float) -> Floats:
    """Return the covariance of equally unsure strengths."""
    return np.asarray(sd**2 * (np.eye(entries) - 1 / entries))


def strengths(entries: int, sd: float) -> Floats:
    found = np.random.default_rng(entries).normal(0, sd, entries)
    return np.asarray(found - found.mean())


def test_a_field_far_wider_than_the_errors_stays_as_it_is() -> None:
    value, covariance = strengths(20, 100.0), errors(20, 1.0)
    drawn, after = drawn_together(value, covariance)
    assert drawn == pytest.approx(value, rel=2e-3)
    assert after == pytest.approx(WIDER**2 * covariance, abs=2e-3)


def test_a_field_no_wider_than_its_errors_is_drawn_to_the_mean() -> None:
    value, covariance = strengths(20, 1.0), errors(20, 1.0)
    drawn, after = drawn_together(value, covariance)
    assert np.abs(drawn).max() < 0.5 * np.abs(value).max()
    assert after.diagonal().max() < covariance.diagonal().min()
    parts = drawn / value
    assert parts == pytest.approx(parts[0]), "all equally, as all are equally sure"


def test_between_them_the_part_that_stays_is_the_part_that_is_no_error() -> None:
    value, covariance = strengths(200, 5**0.5), errors(200, 1.0)
    drawn, after = drawn_together(value, covariance)
    assert (drawn / value)[0] == pytest.approx(1 - 1 / value.var(), abs=0.01)
    assert after.diagonal().mean() == pytest.approx(WIDER**2 * (1 - 1 / value.var()), abs=0.03)


def test_who_is_less_sure_is_drawn_further() -> None:
    covariance = np.diag([4.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    drawn, _ = drawn_together(np.array([2.0, 2.0, -2.0, -2.0, 2.0, -2.0]), covariance)
    assert drawn[0] < 0.8 * drawn[1]


def test_where_nothing_scatters_nothing_is_drawn() -> None:
    value = np.array([1.0, -1.0])
    drawn, after = drawn_together(value, np.zeros((2, 2)))
    assert list(drawn) == [1.0, -1.0]
    assert not after.any()


def test_each_group_keeps_its_mean_and_is_compared_within() -> None:
    one = [(n, (0, 1), (50 + n % 3, 0)) for n in range(20)]
    other = [(100 + n, (2, 3), (n % 2, 1 - n % 2)) for n in range(20)]
    found = least_squares(match_sums([rows_of([*one, *other])], Measure.SCORES), chosen=True)
    of = {strength.entry_no: strength for strength in found.strengths}
    assert found.drawn_together
    assert of[0].value == -of[1].value == pytest.approx(25.475, rel=0.01)
    assert (of[2].value, of[3].value) == (0.0, 0.0)
    assert (found.pairs, of[0].pair_above) == (2, (1,))


@pytest.mark.parametrize(
    ("kind", "drawn"), [("ladder", True), ("swiss", True), ("elimination", True), ("round-robin", False)]
)
def test_fits_of_leagues_whose_results_decide_who_meets_are_drawn_together(
    tmp_path: Path, kind: str, drawn: bool
) -> None:
    with new_store(tmp_path) as store:
        league = store.leagues.create(
            kind,
            config={"game": "bread-basket", "schedule": {"kind": kind}},
            ruleset=RULES,
            entries=[EntrySpec(name, None) for name in "abc"],
        )
        store.append([played(match) for match in plan(store, league, *[(0, 1), (1, 2), (2, 0)] * 4)])
        fit = new_fit(store, league.uuid, FitBy.SCORES)
        assert isinstance(fit, KeptLeastSquares)
        assert fit.fit.drawn_together is drawn


@pytest.mark.slow
@pytest.mark.parametrize("spread", [0.1, 0.3, 1.0])
def test_intervals_hold_on_a_ladder(spread: float) -> None:
    """The bounds are four standard errors away and more; the benchmark has the figures."""
    plain, drawn = judged(Chosen("", spread, 8, 2, 240), 40)
    assert 0.9 < sum(drawn.held) / 40 <= 1
    assert sum(drawn.error) < sum(plain.error)
