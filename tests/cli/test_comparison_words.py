"""What `arena compare` says of the games behind its answer."""

from types import SimpleNamespace
from typing import Any

import pytest

from arena.cli.base.comparison import figures
from arena.cli.display.live_runs import plain, where_it_lies
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


def test_no_bound_is_shown_before_there_is_one() -> None:
    test = SequentialTest(Question(0.05, 0.05))
    run: Any = SimpleNamespace(
        games=0,
        test=test,
        plan=SimpleNamespace(is_race=False, parameters={}),
        progress=SimpleNamespace(total_games=300, left_s=None),
        league_run=None,
    )
    assert plain(run) == "0 of at most 300 games"
    assert not where_it_lies(test, 80)
    test.add(0.5)
    assert plain(run) == "0 of at most 300 games · new − old +0.50 (−0.98 to +0.99)"
