"""Intervals and luck, worked by hand."""

from math import sqrt
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from results.base.scoring import DealSums, Luck, luck, wilson
from tests.support.ledgers import new_league, new_store, plan, played


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        # Published examples: Newcombe (1998), "Two-sided confidence intervals for the single proportion", table I.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_published_intervals(successes: int, trials: int, low: float, high: float) -> None:
    found = wilson(successes, trials)
    assert found is not None
    assert found.middle == successes / trials
    assert found.low == pytest.approx(low, abs=5e-5)
    assert found.high == pytest.approx(high, abs=5e-5)


def test_no_trial_has_no_interval() -> None:
    assert wilson(0, 0) is None


@given(st.integers(1, 10_000), st.floats(0, 1))
def test_an_interval_holds_its_share_and_mirrors(trials: int, share: float) -> None:
    found, mirrored = wilson(share * trials, trials), wilson(trials - share * trials, trials)
    assert found is not None
    assert mirrored is not None
    assert 0 <= found.low <= found.middle <= found.high <= 1
    assert mirrored.low == pytest.approx(1 - found.high, abs=1e-9)


def test_what_is_surely_more_than_half() -> None:
    assert [bool(found and found.is_one_sided) for found in (wilson(5, 5), wilson(3, 5), wilson(0, 9))] == [
        True,
        False,
        True,
    ]


def sums(*matches: tuple[float, ...], seats: int = 2, entry_no: int = 0) -> DealSums:
    """Return the sums of matches given by the shares of their games."""
    unit = 2 * (seats - 1)
    points = [[round(share * unit) for share in match] for match in matches]
    return DealSums(
        entry_no,
        seats,
        len(matches[0]),
        len(matches),
        sum(map(sum, points)),
        sum(point * point for match in points for point in match),
        sum(sum(match) ** 2 for match in points),
    )


def test_luck_by_hand() -> None:
    # Within: sums of squares 1/2, 0, 0 over three degrees of freedom: 1/6.
    # Means 1/2, 1 and 0 have the variance 1/4, times two games 1/2; less 1/6, halved: 1/6 between.
    found = luck([sums((1, 0), (1, 1), (0, 0))])
    assert found is not None
    assert found.matches == 3
    assert found.within == pytest.approx(sqrt(1 / 6))
    assert found.between == pytest.approx(sqrt(1 / 6))
    # A game on a deal of its own spreads by 1/6 + 1/6, a match's mean by 1/4: worth 4/3 of a game, and not 2.
    assert found.worth == pytest.approx(4 / 3)


def test_rotations_that_take_all_luck_away() -> None:
    """Whoever is dealt the good seat wins: every match comes out even, and one tells as much as any number."""
    assert luck([sums((1, 0), (0, 1), (1, 0))]) == Luck(3, sqrt(0.5), 0.0, None)


def test_games_that_repeat_each_other_are_worth_one() -> None:
    found = luck([sums((1, 1, 1), (0, 0, 0), (1, 1, 1), (0.5, 0.5, 0.5))])
    assert found is not None
    assert found.within == 0
    assert found.worth == pytest.approx(1)


def test_independent_games_are_worth_their_number() -> None:
    rng = Random(3)
    found = luck([sums(*[tuple(rng.choice((0, 0.5, 1)) for _ in range(4)) for _ in range(20_000)])])
    assert found is not None
    assert found.worth == pytest.approx(4, rel=0.05)


def test_each_entry_is_pooled_about_its_own_mean() -> None:
    """One always wins and one always loses: nothing is luck."""
    found = luck([sums((1, 1), (1, 1)), sums((0, 0), (0, 0), entry_no=1)])
    assert found == Luck(4, 0.0, 0.0, None)


def test_where_luck_cannot_be_told() -> None:
    assert luck([]) is None
    assert luck([sums((1,), (0,))]) is None, "one game a match"
    assert luck([sums((1, 0)), sums((1, 1), entry_no=1)]) is None, "one match each"
    with pytest.raises(ValueError, match="different sizes"):
        luck([sums((1, 0), (1, 0)), sums((1, 0, 0), (1, 0, 0))])


def test_luck_of_a_ledger(tmp_path: Path) -> None:
    """Void matches do not count; a fault does, as the rank that it makes."""
    with new_store(tmp_path) as store:
        league = new_league(store, 3)
        matches = plan(store, league, (0, 1), (0, 1), (0, 1), games=2)
        games = [((5, 1), (1, 5)), ((5, 1), (5, 1)), ((5, 1), (5, 1))]  # by seat; a sits first, then second
        store.append(
            [
                played(matches[0], 0, games[0][0]),
                played(matches[0], 1, games[0][1]),
                played(matches[1], 0, games[1][0]),
                played(matches[1], 1, games[1][1]),
                played(matches[2], 0, games[2][0]),
            ],
            void_matches=[(league.uuid, 2)],
        )
        a, b = store.totals.deal_sums(league.uuid)
        assert a == sums((1, 1), (1, 0))
        assert b == sums((0, 0), (0, 1), entry_no=1)
        found = luck([a, b])
    assert found is not None
    assert found.within == pytest.approx(0.5)
    assert found.worth == pytest.approx(2 * (1 / 4 + 0) / (1 / 4))


def test_levels_of_isolation_are_listed_once(tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        league, other = new_league(store), new_league(store, name="other")
        assert store.games.sandbox_levels(league.uuid) == []
        store.append([played(match) for match in plan(store, league, (0, 1), (2, 3))])
        store.append([played(match) for match in plan(store, other, (0, 1))])
        with store.changing() as connection:
            connection.execute("UPDATE game SET sandbox = 'full' WHERE match_no = 1")
        assert store.games.sandbox_levels(league.uuid) == ["full", "none"]
        assert store.games.sandbox_levels(other.uuid) == ["none"]
