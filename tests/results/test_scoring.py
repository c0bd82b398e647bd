"""Shares and wins are exact, and add up."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from results.base.scoring import MAX_SEATS, UNIT, game_shares, game_wins, is_ranking, match_ranks

RANKINGS = st.lists(st.integers(0, 5), min_size=2, max_size=MAX_SEATS).map(
    lambda scores: [1 + sum(other > own for other in scores) for own in scores]
)


@pytest.mark.parametrize(
    ("ranks", "shares", "wins"),
    [
        ([1, 2], ["1", "0"], ["1", "0"]),
        ([1, 1], ["1/2", "1/2"], ["1/2", "1/2"]),
        ([2, 4, 1, 3], ["2/3", "0", "1", "1/3"], ["0", "0", "1", "0"]),
        ([1, 2, 2, 4], ["1", "1/2", "1/2", "0"], ["1", "0", "0", "0"]),
        ([1, 1, 1, 4], ["2/3", "2/3", "2/3", "0"], ["1/3", "1/3", "1/3", "0"]),
        ([3, 3, 1, 1, 3], ["1/4", "1/4", "7/8", "7/8", "1/4"], ["0", "0", "1/2", "1/2", "0"]),
    ],
)
def test_worked_by_hand(ranks: list[int], shares: list[str], wins: list[str]) -> None:
    assert [Fraction(share, UNIT) for share in game_shares(ranks)] == [Fraction(share) for share in shares]
    assert [Fraction(win, UNIT) for win in game_wins(ranks)] == [Fraction(win) for win in wins]


@given(RANKINGS)
def test_shares_are_exact_and_add_up_for_every_size_of_table(ranks: list[int]) -> None:
    n = len(ranks)
    exact = [
        (sum(other > rank for other in ranks) + Fraction(ranks.count(rank) - 1, 2)) / (n - 1)
        for rank in ranks
    ]
    assert [Fraction(share, UNIT) for share in game_shares(ranks)] == exact
    assert sum(exact) == Fraction(n, 2)
    assert sum(game_wins(ranks)) == UNIT
    assert is_ranking(tuple(ranks))


def test_a_single_seat_is_level_with_nobody() -> None:
    assert game_shares([1]) == (UNIT // 2,)


@pytest.mark.parametrize("ranks", [[1] * (MAX_SEATS + 1), []])
def test_other_sizes_of_table_are_refused(ranks: list[int]) -> None:
    with pytest.raises(ValueError, match="1 to 16"):
        game_shares(ranks)
    with pytest.raises(ValueError, match="1 to 16"):
        game_wins(ranks)


@pytest.mark.parametrize("ranks", [[1, 3], [2, 2], [0, 1], [1, 2, 3, 3, 4], [1, 1, 2]])
def test_what_is_no_ranking(ranks: list[int]) -> None:
    assert not is_ranking(tuple(ranks))


def test_a_match_is_ranked_by_sums_and_equal_sums_tie() -> None:
    third, two_thirds = game_shares([1, 2, 3, 4])[2], game_shares([1, 2, 3, 4])[1]
    # 1/3 + 2/3 and 1 are equal here; as floats such sums are not always.
    assert match_ranks([third + two_thirds, UNIT, 0, UNIT // 2]) == (1, 1, 4, 3)
