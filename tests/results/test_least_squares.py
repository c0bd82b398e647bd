"""Strengths by least squares: worked by hand, on extremes, and told apart no more often than promised."""

from collections.abc import Callable, Iterable, Sequence
from itertools import permutations
from math import sqrt

import numpy as np
import pytest

from benchmarks.score_fit import SETTINGS, Setting, coverage
from results.analysis.fit import fit
from results.analysis.fit_results import Fit, Measure, Strength
from results.analysis.match_sums import MatchSums, by_deal, match_sums
from results.analysis.point_strengths import least_squares
from tests.results.seat_rows import Game, rows_of


def fitted(
    games: Iterable[Game], measure: Measure = Measure.SCORES, out: Iterable[tuple[int, int]] = ()
) -> Fit:
    return least_squares(match_sums([rows_of(games, out)], measure))


def values(found: Fit) -> dict[int, float]:
    return {one.entry_no: one.value for one in found.strengths}


def of(found: Fit, entry: int) -> Strength:
    return next(one for one in found.strengths if one.entry_no == entry)


def test_two_entries_are_a_mean_and_its_standard_error() -> None:
    """Leads of 4, 8, 0 and 8 have the mean 5 and the variance 14.67, and t with 3 degrees of freedom is 3.182.

    One imaginary match adds a quarter of the variance of the mean.
    """
    leads = (4, 8, 0, 8)
    found = fitted([(number, (3, 8), (10 + lead, 10)) for number, lead in enumerate(leads)])
    assert values(found) == {3: 2.5, 8: -2.5}
    half = 3.182446 * sqrt(44 / 3 / 4 * (1 + 1 / 4)) / 2
    for one in found.strengths:
        assert one.low is not None
        assert one.high is not None
        assert one.high - one.value == pytest.approx(half, rel=1e-6)
        assert one.value - one.low == pytest.approx(half, rel=1e-6)
    assert (found.pairs, found.pairs_apart) == (1, 0)


def test_three_at_two_tables_by_hand() -> None:
    """0 beats 1 by 6, 1 beats 2 by 2, and 0 beats 2 by 5: the normal equations are 3 x = sums of leads."""
    found = fitted([(0, (0, 1), (6, 0)), (1, (1, 2), (2, 0)), (2, (0, 2), (5, 0))])
    assert values(found) == pytest.approx({0: 11 / 3, 1: -4 / 3, 2: -7 / 3}, rel=1e-8)


def test_a_match_counts_as_one_however_often_its_deal_is_played() -> None:
    """Four games that repeat each other say as much as one."""
    leads = (4, 8, 0, 8, 3)
    once = fitted([(number, (0, 1), (lead, 0)) for number, lead in enumerate(leads)])
    repeated = fitted(
        [
            (number, seats, [lead * (1 - entry) for entry in seats])
            for number, lead in enumerate(leads)
            for seats in ((0, 1), (1, 0)) * 2
        ]
    )
    assert values(repeated) == values(once)
    for one, other in zip(once.strengths, repeated.strengths, strict=True):
        assert one.low == pytest.approx(other.low, rel=0.02)


@pytest.mark.parametrize(("fit_of", "measure"), [(least_squares, Measure.SCORES), (fit, Measure.SHARES)])
def test_matches_on_one_deal_count_as_one(
    fit_of: Callable[[Sequence[MatchSums]], Fit], measure: Measure
) -> None:
    """Sixty deals that are each played twice in the same way say as much as once; on deals of their own, twice."""
    deals, leads = 60, (4, -1, 0, 8, -3)

    def half(times: int, first_on_deal: dict[int, int]) -> float:
        games = [(n, (0, 1), (leads[n % len(leads)], 0)) for n in range(times * deals)]
        found = of(fit_of(by_deal(match_sums([rows_of(games)], measure), first_on_deal)), 0)
        assert found.half is not None
        return found.half

    once = half(1, {})
    assert half(2, {n: n % deals for n in range(2 * deals)}) == pytest.approx(once, rel=0.03)
    assert half(2, {}) == pytest.approx(once / sqrt(2), rel=0.03)


def test_what_a_seat_is_worth_goes_to_nobody() -> None:
    """The first seat is worth 10, and one entry has it three times in four."""
    games = [
        (number, (0, 1) if number % 4 else (1, 0), (10 + number % 3, number % 2)) for number in range(240)
    ]
    found = fitted(games)
    by_seat = np.array([[scores[0] - scores[1]] for _, _, scores in games]).mean()
    assert by_seat > 10
    assert abs(of(found, 0).value) < 0.2


def test_an_entry_that_always_has_the_first_seat_has_all_that_it_is_worth() -> None:
    """Strength and seat can't be told apart, so it is all put down to strength."""
    found = fitted([(number, (0, 1), (10 + number % 3, 0)) for number in range(30)])
    assert of(found, 0).value == 5.5


def test_what_a_table_has_in_common_makes_no_difference() -> None:
    games: list[Game] = [(n, (n % 3, 3), (n % 5, 2)) for n in range(30)]
    richer: list[Game] = [
        (n, entries, [score + 1000 * n for score in scores]) for n, entries, scores in games
    ]
    assert fitted(richer) == fitted(games)


def test_the_order_of_matches_and_rows_makes_no_difference() -> None:
    rng = np.random.default_rng(3)
    games: list[Game] = [
        (n, list(map(int, rng.permutation(6)[:3])), list(map(int, rng.integers(-20, 90, 3))))
        for n in range(50)
    ]
    found = fitted(games)
    rows = rows_of(games)
    assert least_squares(match_sums([[rows[i] for i in rng.permutation(len(rows))]], Measure.SCORES)) == found
    assert fitted([(49 - n, entries, scores) for n, entries, scores in games]) == found
    assert least_squares(match_sums([rows[:60], [], rows[60:]], Measure.SCORES)) == found


def test_clones_have_the_same_strength_and_are_not_told_apart() -> None:
    games: list[Game] = []
    for n, (a, b) in enumerate([*permutations((0, 1, 2), 2)] * 5):
        games += [
            (2 * n, (a, b), (9 - a + n % 4, 7 - b)),
            (2 * n + 1, (a + 3, b + 3), (9 - a + n % 4, 7 - b)),
        ]
    for n in range(12):
        games.append((1000 + n, (n % 3, n % 3 + 3) if n % 2 else (n % 3 + 3, n % 3), (4, 4)))
    found = fitted(games)
    for entry in range(3):
        assert of(found, entry).value == of(found, entry + 3).value
        assert entry + 3 not in (of(found, entry).above or ())


def test_who_never_met_is_not_compared() -> None:
    one = [(n, (0, 1), (50 + n % 3, 0)) for n in range(20)]
    other = [(100 + n, (2, 3), (n % 2, 1 - n % 2)) for n in range(20)]
    found = fitted([*one, *other])
    assert values(found) == {0: 25.475, 1: -25.475, 2: 0.0, 3: 0.0}, "each pair around its own mean"
    assert found.pairs == 2
    assert of(found, 0).above == of(found, 0).above_familywise == (1,)


def test_one_match_has_strengths_and_no_intervals() -> None:
    found = fitted([(0, (4, 5, 6), (9, 3, 0))])
    assert values(found) == {4: 5.0, 5: -1.0, 6: -4.0}
    assert all((one.low, one.high) == (None, None) for one in found.strengths)
    assert all((one.above, one.above_familywise) == (None, None) for one in found.strengths)
    assert found.pairs == 0


def test_nothing_played() -> None:
    assert fitted([]) == Fit(())


def test_where_all_scores_are_equal_nobody_is_told_apart() -> None:
    found = fitted([(n, (n % 4, (n + 1) % 4), (7, 7)) for n in range(40)])
    assert set(values(found).values()) == {0.0}
    assert all(one.low is None for one in found.strengths)
    assert found.pairs_apart == 0


def test_tables_of_several_sizes_are_fitted_together() -> None:
    pairs: list[Game] = [(n, (n % 2, 2), (3 * (n % 2) + n % 3, 1)) for n in range(30)]
    threes: list[Game] = [(100 + n, (0, 1, 2), (n % 3, 3, 1)) for n in range(30)]
    found = values(fitted([*pairs, *threes]))
    assert sum(found.values()) == pytest.approx(0, abs=1e-6)
    assert max(found, key=found.__getitem__) == 1


def test_a_forfeit_is_as_bad_as_the_worst_game_and_the_others_keep_their_scores() -> None:
    """The worst game is 30 below the mean of the others. The forfeited seat led, with 50."""
    games = [(0, (0, 1, 2), (40, 20, 0)), (1, (0, 1, 2), (10, 14, 50))]
    sums = match_sums([rows_of(games, out=[(1, 2)])], Measure.SCORES)[0]
    assert sums.by_entry.tolist() == [[20, 0, -20], pytest.approx([8, 12, -20])]
    assert sums.by_entry[1, 1] - sums.by_entry[1, 0] == 4


def test_a_forfeit_is_never_above_those_who_played_on() -> None:
    games = [(0, (0, 1, 2), (4, 2, 3)), (1, (0, 1, 2), (0, 99, 50))]
    sums = match_sums([rows_of(games, out=[(1, 2)])], Measure.SCORES)[0]
    assert sums.by_entry.tolist()[1] == pytest.approx([-33, 66, -33])


def test_shares_are_those_of_ranks_in_percent() -> None:
    games = [(0, (0, 1, 2), (9, 5, 5)), (1, (0, 1, 2), (9, 50, 5))]
    sums = match_sums([rows_of(games, out=[(1, 1)])], Measure.SHARES)[0]
    assert sums.by_entry.tolist() == [pytest.approx([50, -25, -25]), pytest.approx([50, -50, 0])]


def test_intervals_hold_the_strengths_of_a_few_small_leagues() -> None:
    """The bounds are more than five standard errors away; the benchmark has the figures."""
    _, _, line = coverage([Setting("some", 6, 3, 3, 20, 0.5, 0.1)], 30)
    assert 88 < float(line.rpartition("±")[0].rpartition("±")[0].rpartition("±")[0].split()[-1]) <= 100


@pytest.mark.slow
@pytest.mark.parametrize("setting", [one for one in SETTINGS if one.matches <= 600])
def test_intervals_hold_95_percent_of_strengths(setting: Setting) -> None:
    *_, line = coverage([setting], 60)
    held = float(line.rpartition("±")[0].rpartition("±")[0].rpartition("±")[0].split()[-1])
    assert 91 < held < 99
