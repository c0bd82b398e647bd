"""Strengths that are drawn together: by how much follows from the results, and intervals hold on a ladder."""

from pathlib import Path

import numpy as np
import pytest

from arena import registry
from benchmarks import places_fit
from benchmarks.places_fit import Laddered, Setting
from benchmarks.places_fit import league as simulated
from benchmarks.score_fit import Chosen, Floats, judged
from results.analysis.fit import fit
from results.analysis.fit_results import Measure
from results.analysis.match_sums import MatchSums, match_sums
from results.analysis.point_strengths import least_squares
from results.analysis.shrinkage import OUTWARD, WIDER, DrawnTogether
from results.records import EntrySpec
from results.reports.fits import FitBy, new_fit
from tests.results.seat_rows import rows_of
from tests.support.ledgers import RULES, new_store, plan, played


def drawn_together(value: Floats, covariance: Floats) -> tuple[Floats, Floats]:
    """Return strengths that are drawn together, and the covariance of their errors."""
    found = DrawnTogether(value, covariance)
    return found.value, found.covariance()


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
    assert (np.argsort(value) == np.argsort(drawn)).all(), "the order stays, as all are equally sure"


def test_intervals_reach_outward_as_far_as_plain_ones_nearly_do() -> None:
    value, t = np.array([2.0, 0.1, -2.1]), np.full(3, 2.0)
    found = DrawnTogether(value, errors(3, 4.0))
    half = t * np.sqrt(found.covariance().diagonal())
    low, high = found.ends(half, t)
    reach = OUTWARD * 2 * 4.0 * (2 / 3) ** 0.5
    assert high[0] == pytest.approx(2.0 + reach)
    assert low[2] == pytest.approx(-2.1 - reach)
    assert low[0] == pytest.approx(found.value[0] - half[0]), "inward as before"
    wide = DrawnTogether(100 * value, errors(3, 1.5))
    half = t * np.sqrt(wide.covariance().diagonal())
    assert wide.ends(half, t)[1] == pytest.approx(wide.value + half), "where nothing is drawn together"


def test_between_them_the_part_that_stays_is_the_part_that_is_no_error() -> None:
    value, covariance = strengths(200, 5**0.5), errors(200, 1.0)
    drawn, after = drawn_together(value, covariance)
    assert (drawn / value)[0] == pytest.approx(1 - 1 / value.var(), abs=0.01)
    assert after.diagonal().mean() == pytest.approx(WIDER**2 * (1 - 1 / value.var()), abs=0.03)


def test_who_is_less_sure_is_drawn_further() -> None:
    covariance = np.diag([4.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    drawn, _ = drawn_together(np.array([2.0, 2.0, -2.0, -1.0, 1.0, -2.0]), covariance)
    assert drawn[0] < 0.9 * drawn[1]


def test_two_groups_far_apart_are_drawn_to_the_mean_of_each() -> None:
    """Within the groups, little more than errors is to be seen."""
    inside = np.tile([-1.0, 0.5, 0.5], 4)
    value = inside + np.repeat([-20.0, 20.0], 6)
    drawn, after = drawn_together(value, errors(12, 1.0))
    means = np.repeat([drawn[:6].mean(), drawn[6:].mean()], 6)
    assert means == pytest.approx(np.repeat([-20.0, 20.0], 6), rel=0.01)
    assert np.abs(drawn - means).max() < 0.6
    assert after.diagonal().max() < 0.6


def test_one_far_ahead_leaves_the_others_drawn_together() -> None:
    others = np.tile([-1.0, 0.5, 0.5], 4)
    value = np.append(others, 30.0)
    drawn, _ = drawn_together(value - value.mean(), errors(13, 1.0))
    assert drawn[-1] - drawn[:-1].mean() == pytest.approx(30.0, rel=0.03)
    assert np.ptp(drawn[:-1]) < 0.6 * np.ptp(others)


def test_equals_are_drawn_alike_in_any_order() -> None:
    value, covariance = np.array([1.0, 1.0, 1.0, -1.0, -1.0, -1.0]), errors(6, 0.5)
    drawn, after = drawn_together(value, covariance)
    assert drawn == pytest.approx(np.repeat([drawn[0], -drawn[0]], 3), abs=1e-9)
    assert after.diagonal() == pytest.approx(np.full(6, after[0, 0]), rel=1e-9)
    order = [4, 0, 2, 5, 3, 1]
    again, after_again = drawn_together(value[order], covariance)
    assert again == pytest.approx(drawn[order], abs=1e-9)
    assert after_again == pytest.approx(after[np.ix_(order, order)], abs=1e-9)


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
    assert (found.pairs, of[0].above) == (2, (1,))


def places(number: int, matches: int = 200) -> MatchSums:
    """Return a close league of six at tables of two, half of whose strengths are luck."""
    strengths = np.linspace(-0.2, 0.2, 6)
    setting = Setting("", 6, 2, 1, matches, 0, "davidson", 0.1)
    (sums,) = match_sums([simulated(setting, strengths, np.random.default_rng(number))], Measure.SHARES)
    return sums


def test_strengths_by_places_are_drawn_together_too() -> None:
    plain, drawn = fit([places(1)]), fit([places(1)], chosen=True)
    assert (plain.drawn_together, drawn.drawn_together) == (False, True)
    assert np.std([one.value for one in drawn.strengths]) < 0.9 * np.std(
        [one.value for one in plain.strengths]
    )
    assert sum(one.value for one in drawn.strengths) == pytest.approx(0, abs=1e-4)
    for one, two in zip(plain.strengths, drawn.strengths, strict=True):
        assert None not in (one.low, one.high, two.low, two.high)
        inward, outward = sorted((two.value - (two.low or 0), (two.high or 0) - two.value))
        assert inward <= (one.half or 0), "away from the mean they may reach further"
        assert outward < 1.2 * (one.half or 0)


def test_strengths_by_places_that_are_certain_are_drawn_no_further() -> None:
    sums = places(2, 100_000)
    plain, drawn = fit([sums]), fit([sums], chosen=True)
    for one, two in zip(plain.strengths, drawn.strengths, strict=True):
        assert two.value == pytest.approx(one.value, abs=0.3)


def test_a_bot_that_always_won_is_drawn_to_something_finite() -> None:
    games = [(n, (n % 3, 3), (0, 1)) for n in range(60)] + [
        (100 + n, (n % 3, (n + 1) % 3), (1, 0)) for n in range(60)
    ]
    found = fit(match_sums([rows_of(games)], Measure.SHARES), chosen=True).strengths
    assert found[3].above == (0, 1, 2)
    assert found[3].value < fit(match_sums([rows_of(games)], Measure.SHARES)).strengths[3].value


@pytest.mark.parametrize("by", [FitBy.SCORES, FitBy.PLACES])
@pytest.mark.parametrize(
    ("kind", "drawn"), [("ladder", True), ("swiss", True), ("elimination", True), ("round-robin", False)]
)
def test_fits_of_leagues_whose_results_decide_who_meets_are_drawn_together(
    tmp_path: Path, kind: str, drawn: bool, by: FitBy
) -> None:
    with new_store(tmp_path) as store:
        league = store.leagues.create(
            kind,
            config={"game": "bread-basket", "schedule": {"kind": kind}},
            traits=registry.schedule(kind).traits,
            ruleset=RULES,
            entries=[EntrySpec(name, None) for name in "abc"],
        )
        store.append([played(match) for match in plan(store, league, *[(0, 1), (1, 2), (2, 0)] * 4)])
        assert new_fit(store, league.uuid, by).fit.drawn_together is drawn


@pytest.mark.slow
@pytest.mark.parametrize("spread", [0.1, 0.3, 1.0])
def test_intervals_hold_on_a_ladder(spread: float) -> None:
    """The bounds are four standard errors away and more; the benchmark has the figures."""
    plain, drawn = judged(Chosen("", spread, 8, 2, 240), 40)
    assert 0.9 < sum(drawn.held) / 40 <= 1
    assert sum(drawn.error) < sum(plain.error)


@pytest.mark.slow
@pytest.mark.parametrize("spread", [0.1, 0.3, 1.0])
def test_intervals_by_places_hold_on_a_ladder(spread: float) -> None:
    """The bounds are four standard errors away and more; the benchmark has the figures."""
    plain, drawn = places_fit.judged(Laddered(Chosen("", spread, 8, 2, 240), "davidson"), 40)
    assert 0.9 < sum(drawn.held) / 40 <= 1
    assert sum(drawn.error) < sum(plain.error)
