"""The fold, worked by hand: one update per match, totals by entry, seat, pair and verdict."""

from collections.abc import Mapping, Sequence

import pytest
from msgspec import Struct

from protocol.verdicts import Verdict
from results.base.scoring import UNIT
from results.ratings import Rater
from results.ratings.base import Rating, Scale
from results.records import SeatRecord
from results.records.ratings_and_totals_fold import (
    EntryTotal,
    FinishedMatch,
    Fold,
    LuckTotal,
    PairTotal,
    RatingPoint,
    SeatTotal,
    match_result,
)


class NoSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Nothing to set."""


class ByGames(Struct, frozen=True, forbid_unknown_fields=True):
    """Each game is rated."""

    rates: str = "games"


class Steps:
    """A rating system that is easily worked out: μ rises by the number of entries ranked below."""

    name = "steps"
    settings = NoSettings

    def scale(self, settings: Struct) -> Scale:  # noqa: ARG002 - there are none
        return Scale(Rating(0.0, 1.0), 1.0)

    def rate(
        self,
        settings: Struct,  # noqa: ARG002 - there are none
        ratings: Sequence[Rating],
        ranks: Sequence[int],
    ) -> tuple[Rating, ...]:
        return tuple(
            Rating(rating.mu + sum(other > rank for other in ranks), rating.sigma)
            for rating, rank in zip(ratings, ranks, strict=True)
        )


def game(
    seats: Sequence[tuple[int, int, int]], faults: Mapping[int, Verdict] | None = None
) -> list[SeatRecord]:
    """Return a game of (entry, score, rank) by seat."""
    return [
        SeatRecord(
            seat=seat,
            entry_no=entry,
            score=score,
            rank=rank,
            verdict=(faults or {}).get(seat),
            detail="",
            at_decision=None,
            decisions=10,
            wall_ns=100 + seat,
            max_wall_ns=50 + seat,
            cpu_ns=90,
        )
        for seat, (entry, score, rank) in enumerate(seats)
    ]


# Entries 3, 1 and 2 play three games of one deal, turned by a seat each time.
MATCH = [
    game([(3, 9, 1), (1, 5, 2), (2, 5, 2)]),
    game([(2, 4, 2), (3, 4, 2), (1, 8, 1)]),
    game([(1, 0, 3), (2, 7, 1), (3, 3, 2)], {0: Verdict.TIMEOUT}),
]


@pytest.fixture
def fold() -> Fold:
    fold = Fold(Rater(Steps(), NoSettings()), {entry: Rating(0.0, 1.0) for entry in range(5)})
    fold.add(FinishedMatch(0, (3, 1, 2), MATCH))
    return fold


def test_a_match_is_ranked_by_the_sum_of_its_shares() -> None:
    # Shares: entry 3: 1 + 1/4 + 1/2, entry 1: 1/4 + 1 + 0, entry 2: 1/4 + 1/4 + 1.
    result = match_result(FinishedMatch(7, (3, 1, 2), MATCH))
    assert result.shares == (UNIT * 7 // 4, UNIT * 5 // 4, UNIT * 6 // 4)
    assert result.ranks == (1, 3, 2)
    assert result.scores == (16, 13, 16)
    assert (result.match_no, result.games) == (7, 3)


def test_one_match_is_one_update(fold: Fold) -> None:
    assert [fold.ratings[entry].mu for entry in range(5)] == [0.0, 0.0, 1.0, 2.0, 0.0]
    assert fold.points == [
        RatingPoint(0, 3, 2.0, 1.0),
        RatingPoint(0, 1, 0.0, 1.0),
        RatingPoint(0, 2, 1.0, 1.0),
    ]
    assert fold.last == {3: (0, 2.0), 1: (0, 0.0), 2: (0, 1.0)}


def test_each_game_may_be_an_update() -> None:
    """Entry 3 leaves 2, 0 and 1 below in the three games, entry 1 0, 2 and 0, and entry 2 0, 0 and 2."""
    fold = Fold(Rater(Steps(), ByGames()), {entry: Rating(0.0, 1.0) for entry in range(5)})
    fold.add(FinishedMatch(0, (3, 1, 2), MATCH))
    assert [fold.ratings[entry].mu for entry in range(5)] == [0.0, 2.0, 2.0, 3.0, 0.0]
    assert fold.points == [
        RatingPoint(0, 3, 3.0, 1.0),
        RatingPoint(0, 1, 2.0, 1.0),
        RatingPoint(0, 2, 2.0, 1.0),
    ], "one point for the match"
    assert fold.last == {3: (0, 3.0), 1: (0, 2.0), 2: (0, 2.0)}


def test_totals_by_entry(fold: Fold) -> None:
    assert set(fold.entries) == {1, 2, 3}
    assert fold.entries[1] == EntryTotal(
        matches=1,
        games=3,
        wins=UNIT,
        share=UNIT * 5 // 4,
        score=13,
        faults=1,
        decisions=30,
        wall_ns=101 + 102 + 100,
        max_wall_ns=52,
        cpu_ns=270,
    )
    assert fold.entries[2].wins == UNIT
    assert fold.entries[3].wins == UNIT


def test_totals_by_seat_and_size_of_table(fold: Fold) -> None:
    assert fold.seats[1, 3, 0] == SeatTotal(games=1, wins=0, share=0, score=0)
    assert fold.seats[1, 3, 2] == SeatTotal(games=1, wins=UNIT, share=UNIT, score=8)
    assert sum(total.games for total in fold.seats.values()) == 9


def test_faults_by_verdict(fold: Fold) -> None:
    assert fold.faults == {(1, "timeout"): 1}


def test_pairs_by_game_and_by_match(fold: Fold) -> None:
    assert fold.pairs == {
        (1, 2): PairTotal(3, games_above=1, games_tied=1, matches=1, matches_above=0, matches_tied=0),
        (1, 3): PairTotal(3, games_above=1, games_tied=0, matches=1, matches_above=0, matches_tied=0),
        (2, 3): PairTotal(3, games_above=1, games_tied=1, matches=1, matches_above=0, matches_tied=0),
    }


def test_equal_sums_tie_the_match() -> None:
    fold = Fold(Rater(Steps(), NoSettings()), {0: Rating(0.0, 1.0), 1: Rating(5.0, 1.0)})
    fold.add(FinishedMatch(4, (0, 1), [game([(0, 3, 1), (1, 2, 2)]), game([(1, 3, 1), (0, 2, 2)])]))
    assert fold.pairs[0, 1] == PairTotal(2, games_above=1, games_tied=0, matches=1, matches_tied=1)
    assert [fold.ratings[entry].mu for entry in (0, 1)] == [0.0, 5.0]


def test_totals_go_on_from_match_to_match(fold: Fold) -> None:
    fold.add(FinishedMatch(1, (4, 1), [game([(4, 1, 1), (1, 1, 1)])]))
    assert fold.entries[1].matches == 2
    assert fold.entries[1].wins == UNIT + UNIT // 2
    assert fold.entries[4].share == UNIT // 2
    assert [point.match_no for point in fold.points] == [0, 0, 0, 1, 1]
    assert fold.last[1][0] == 1


def test_a_rating_system_that_fails_leaves_nothing_counted() -> None:
    fold = Fold(Rater(Steps(), NoSettings()), {0: Rating(0.0, 1.0)})
    with pytest.raises(KeyError):
        fold.add(FinishedMatch(0, (0, 1), [game([(0, 1, 1), (1, 0, 2)])]))
    assert (fold.entries, fold.points, fold.pairs) == ({}, [], {})


def test_luck_by_hand() -> None:
    """Entry 0 wins and loses the games of match 0, and wins both of match 1; 1 and 2 are its opponents."""
    fold = Fold(Rater(Steps(), NoSettings()), {entry: Rating(0.0, 1.0) for entry in range(3)})
    fold.add(FinishedMatch(0, (0, 1), [game([(0, 9, 1), (1, 3, 2)]), game([(1, 9, 1), (0, 3, 2)])]))
    fold.add(FinishedMatch(1, (0, 2), [game([(0, 9, 1), (2, 3, 2)]), game([(2, 3, 2), (0, 9, 1)])]))
    assert fold.luck[0, 2, 2] == LuckTotal(matches=2, points=6, game_squares=12, match_squares=4 + 16)
    assert fold.luck[1, 2, 2] == LuckTotal(matches=1, points=2, game_squares=4, match_squares=4)
    assert fold.luck[2, 2, 2] == LuckTotal(matches=1, points=0, game_squares=0, match_squares=0)


def test_points_of_a_table_of_four_are_sixths_of_a_share() -> None:
    fold = Fold(Rater(Steps(), NoSettings()), {entry: Rating(0.0, 1.0) for entry in range(4)})
    fold.add(FinishedMatch(0, (0, 1, 2, 3), [game([(0, 9, 1), (1, 5, 2), (2, 5, 2), (3, 1, 4)])]))
    assert {entry: luck.points for (entry, _, _), luck in fold.luck.items()} == {0: 6, 1: 3, 2: 3, 3: 0}
