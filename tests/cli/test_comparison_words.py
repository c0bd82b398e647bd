"""What `arena compare` says of the games behind its answer."""

from types import SimpleNamespace
from typing import Any

import pytest

from arena.cli.base.comparison import figures
from arena.cli.display.live_comparison import plain, where_it_lies
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
        plan=SimpleNamespace(is_race=False, parameters={}, matches=most_matches),
        progress=RunProgress(total_games=300, games_before=games),
        league_run=None,
    )


def test_no_bound_is_shown_before_there_is_one() -> None:
    test = SequentialTest(Question(0.05, 0.05))
    assert plain(running(test)) == "0 of at most 300 games"
    assert not where_it_lies(test, 80, 10_000)
    test.add(0.5)
    assert plain(running(test)) == "0 of at most 300 games · new − old +0.50 (−0.98 to +0.99)"


def test_progress_is_towards_the_forecast_until_it_is_passed() -> None:
    told = [plain(running(SequentialTest(Question(0.05, 0.05)), games), 120) for games in (0, 119, 120)]
    assert told == ["0 of about 120 games", "119 of about 120 games", "120 of at most 300 games"]
    assert plain(running(SequentialTest(Question(0.05, 0.05))), 500) == "0 of at most 300 games"


def test_an_interval_without_0_says_why_there_is_no_answer() -> None:
    test = SequentialTest(Question(0.1, 0.05))
    assert test.take([0.5, 0.5, -0.5, 0.5] * 60) is None
    low, _ = test.interval()
    assert low > 0
    assert plain(running(test)) == "0 of at most 300 games · new − old +0.25 (waits for match 275)"
    small = plain(running(test, most_matches=250))
    assert small == "0 of at most 300 games · new − old +0.25 (waits for the end of the budget)"
    (_, line) = where_it_lies(test, 80, 10_000)
    assert line.plain.endswith(" · 240 matches · waits for match 275")
    fading = SequentialTest(Question(0.1, 0.05))
    assert fading.take([0.5, 0.5, 0.5, 0.5, -0.5] * 20 + [0.5, -0.5] * 100) is None
    assert where_it_lies(fading, 80, 10_000)[1].plain.endswith(" · waits: the lead fades")
    nothing = SequentialTest(Question(0.1, 0.05))
    assert nothing.take([0.5, -0.5] * 40) is None
    assert "waits" not in plain(running(nothing))
