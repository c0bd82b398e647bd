"""The order-free fit: worked by hand, on extremes, and its intervals held to their word in simulation."""

from math import exp
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from results.analysis.fit import ELO, Fit, Strength, fit
from results.pair_parts import PARTS, part_of
from results.query_rows import PairPart


def whole(*pairs: tuple[int, int, int, int, int]) -> list[PairPart]:
    """Return (entry_a, entry_b, matches, above, tied) as pairs of one part."""
    return [PairPart(0, *pair) for pair in pairs]


def elos(found: Fit) -> dict[int, float]:
    return {one.entry_no: one.elo for one in found.strengths}


def solved(wins: float, matches: int) -> float:
    """Return the strength of the better of two, in log odds, where the likelihood's slope is nothing.

    The other is as far below; the imagined entry stands between, with half a win against each.
    """

    def slope(x: float) -> float:
        return wins - matches / (1 + exp(-2 * x)) + 0.5 - 1 / (1 + exp(-x))

    low, high = -20.0, 20.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    return low


@pytest.mark.parametrize(
    ("matches", "above", "tied"), [(4, 3, 0), (4, 2, 2), (1, 1, 0), (7, 0, 7), (1000, 1000, 0), (5, 0, 1)]
)
def test_two_entries_by_hand(matches: int, above: int, tied: int) -> None:
    """Also with ties, which are half a win each, and for one that never lost."""
    found = elos(fit(whole((3, 8, matches, above, tied))))
    assert list(found) == [3, 8]
    right = solved(above + tied / 2, matches) * ELO
    assert found[3] == pytest.approx(right, abs=0.02)
    assert found[8] == pytest.approx(-right, abs=0.02)


def test_many_matches_of_two_give_the_odds_of_their_wins() -> None:
    found = elos(fit(whole((0, 1, 110_000, 100_000, 0))))
    assert found[0] - found[1] == pytest.approx(400, abs=0.1), "odds of 10 to 1"


def test_nothing_played() -> None:
    assert fit([]) == Fit((), 0)


def test_one_match_has_strengths_and_no_intervals() -> None:
    found = fit(whole((0, 1, 1, 1, 0), (0, 2, 1, 1, 0), (1, 2, 1, 0, 1)))
    assert found.draws == 0
    top, *rest = found.strengths
    assert top.elo > 0
    assert (top.low, top.high, top.surely_above) == (None, None, None)
    assert rest[0].elo == pytest.approx(rest[1].elo)


@pytest.mark.parametrize("matches", [2, 12, 40])
def test_the_interval_of_an_entry_that_always_won_holds_its_estimate(matches: int) -> None:
    found = fit([PairPart(part, 0, 1, 1, 1, 0) for part in range(matches)])
    assert found.draws
    for one in found.strengths:
        assert one.low is not None and one.high is not None  # noqa: PT018
        assert one.low <= one.elo <= one.high


def test_groups_that_never_met_are_each_around_the_mean() -> None:
    found = elos(fit(whole((0, 1, 50, 50, 0), (2, 3, 50, 25, 0))))
    assert found[2] == pytest.approx(found[3], abs=1e-3)
    assert found[0] == pytest.approx(-found[1], abs=0.02)
    assert 300 < found[0] < 2000


def test_a_ladder_of_entries_that_never_lose_to_those_below_has_finite_strengths() -> None:
    pairs = [(a, b, 5000, 5000, 0) for a in range(20) for b in range(a + 1, 20)]
    found = elos(fit(whole(*pairs)))
    assert sorted(found, key=found.__getitem__, reverse=True) == list(range(20))
    assert all(abs(elo) < 20_000 for elo in found.values())


def league(
    strengths: list[float], matches: int, seed: int, seats: int = 2, tied: float = 0.0
) -> list[PairPart]:
    """Return the pairs of made-up matches at random tables; strengths in log odds."""
    rng = Random(seed)
    counts: dict[tuple[int, int, int], list[int]] = {}
    for match_no in range(matches):
        table = sorted(rng.sample(range(len(strengths)), seats))
        worth = {entry: exp(strengths[entry]) * rng.expovariate(1) ** -1 for entry in table}
        for i, a in enumerate(table):
            for b in table[i + 1 :]:
                count = counts.setdefault((part_of(match_no), a, b), [0, 0, 0])
                is_tied = rng.random() < tied
                for k, more in enumerate((True, not is_tied and worth[a] > worth[b], is_tied)):
                    count[k] += more
    return [PairPart(part, a, b, *count) for (part, a, b), count in counts.items()]


@pytest.mark.slow
def test_the_same_input_gives_the_same_bits_and_the_order_of_rows_is_nothing() -> None:
    parts = league([0.5, 0.2, 0.0, -0.7], 40, 1, seats=3, tied=0.1)
    found = fit(parts)
    assert fit(parts) == found
    shuffled = Random(5).sample(parts, len(parts))
    assert fit(shuffled) == found


def test_the_draws_can_be_left_out() -> None:
    parts = league([0.5, 0.2, 0.0], 40, 1)
    assert elos(fit(parts, draws=0)) == elos(fit(parts))
    assert all(one.low is None for one in fit(parts, draws=0).strengths)


@pytest.mark.slow
def test_intervals_hold_their_strength_and_shrink_with_more_matches() -> None:
    truth = [1.0, 0.4, 0.0, -1.4]
    few, many = fit(league(truth, 60, 3)), fit(league(truth, 6000, 3))
    for found in (few, many):
        for one in found.strengths:
            assert one.low is not None
            assert one.high is not None
            assert one.low < one.elo < one.high

    def width(one: Strength) -> float:
        return (one.high or 0) - (one.low or 0)

    for wide, narrow in zip(few.strengths, many.strengths, strict=True):
        assert width(narrow) < width(wide) / 4, "a hundredfold of matches, a tenth of the width"
    assert [one.surely_above for one in many.strengths] == [(1, 2, 3), (2, 3), (3,), ()]


@pytest.mark.slow
def test_parts_beyond_one_match_each_are_as_good() -> None:
    """Twice the matches in the same parts narrow the interval by √2: the parts do not bound what is known."""
    truth = [0.5, 0.0, -0.5]
    once, eightfold = fit(league(truth, 1000, 8)), fit(league(truth, 8000, 8))
    for wide, narrow in zip(once.strengths, eightfold.strengths, strict=True):
        assert wide.low is not None
        assert wide.high is not None
        assert narrow.low is not None
        assert narrow.high is not None
        assert 0.2 < (narrow.high - narrow.low) / (wide.high - wide.low) < 0.55, "1/√8 is 0.35"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("entries", "matches", "seats"),
    [(4, 10, 4), (4, 20, 2), (8, 30, 4)],
)
def test_equal_entries_are_seldom_told_apart_and_intervals_hold_the_truth(
    entries: int, matches: int, seats: int
) -> None:
    """At 95 %, over simulated leagues as small as are ranked at all; bounds at five standard errors or more."""
    wrong = held = 0
    leagues = 30
    for seed in range(leagues):
        for one in fit(league([0.0] * entries, matches, seed, seats), draws=100).strengths:
            wrong += len(one.surely_above or ())
            held += (one.low or 0) <= 0 <= (one.high or 0)
    assert wrong / (leagues * entries * (entries - 1) / 2) < 0.11
    assert held / (leagues * entries) > 0.88


@given(st.integers(0, 2**32), st.integers(2, 7), st.integers(1, 60), st.floats(0, 1))
@settings(max_examples=settings().max_examples // 4, deadline=None)
def test_any_league_can_be_fitted(seed: int, entries: int, matches: int, tied: float) -> None:
    rng = Random(seed)
    truth = [rng.uniform(-8, 8) for _ in range(entries)]
    found = fit(league(truth, matches, seed, rng.randint(2, entries), tied), draws=20)
    assert sum(one.elo for one in found.strengths) == pytest.approx(0, abs=1e-6)
    for one in found.strengths:
        assert abs(one.elo) < 10_000
        others = {other.entry_no for other in found.strengths} - {one.entry_no}
        assert set(one.surely_above or ()) <= others
        for other in found.strengths:
            if other.entry_no in (one.surely_above or ()):
                assert one.entry_no not in (other.surely_above or ())


def test_parts_are_numbered_below_their_number() -> None:
    assert {part_of(match_no) for match_no in range(10_000)} == set(range(PARTS))
