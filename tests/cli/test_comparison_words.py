"""What `arena compare` says of the games behind its answer."""

import time
from types import SimpleNamespace
from typing import Any

import pytest

from arena.cli.base.comparison import figures
from arena.cli.display.live_comparison import expected, plain, where_it_lies
from arena.league.running.runner_activity import RunProgress
from results.analysis.sequential_test import Answer, Question, SequentialTest
from tests.cli.comparisons import comparison


@pytest.mark.parametrize(
    ("answer", "played", "counted"),
    [
        (Answer.BETTER, 46, "(23 matches, 46 games)"),
        (Answer.BETTER, 49, "(23 matches, 46 games; 3 more games finished after the answer was certain)"),
        (None, 47, "(23 matches, 46 games; 1 more game played in matches not finished)"),
    ],
)
def test_games_that_do_not_count_are_said_to(answer: Answer | None, played: int, counted: str) -> None:
    row = comparison(
        answer=answer, estimate=0.4, low=-0.56, high=0.87, matches=23, games=46, games_played=played
    )
    told = figures(row)
    assert told.startswith("difference of mean shares, new − old, +0.400, 95 % interval -0.560 to +0.870 ")
    assert told.endswith(counted)


def running(test: SequentialTest, games: int = 0, most_matches: int = 10_000) -> Any:
    """Return a comparison that plays, as far as its display looks at it."""
    return SimpleNamespace(
        games=games,
        test=test,
        plan=SimpleNamespace(
            is_race=False, parameters={}, matches=most_matches, in_rounds=False, games_a_match=2
        ),
        progress=RunProgress(
            total_games=2 * most_matches, games_before=0, games=games, begun_s=time.monotonic() - games
        ),
        league_run=None,
    )


def test_no_bound_is_shown_before_there_is_one() -> None:
    test = SequentialTest(Question(0.05, 0.05))
    assert plain(running(test)) == "0 games"
    assert not where_it_lies(test, 80)
    test.add(0.5)
    assert plain(running(test)) == "0 games · new − old +0.50 (−0.98 to +0.99)"


def test_the_time_left_is_to_the_next_likely_answer() -> None:
    test = SequentialTest(Question(0.05, 0.05))
    assert plain(running(test, 50)) == "50 games · answer likely by match 275 (8 min)"
    assert expected(running(test, 50)).total_games == 550
    assert plain(running(test, 50, 200)) == "50 games · the budget ends in about 6 min"
    few = running(SequentialTest(Question(0.05, 0.05, 70)), 20)
    assert plain(few) == "20 games · answer likely by match 70 (2 min)"
    for _ in range(100):
        test.add(0.0)
    assert "by match 280" in plain(running(test, 200))
    for _ in range(100):
        test.add(1.0)
        test.add(-1.0)
    assert (expected(running(test, 600)).total_games or 0) > 1000
