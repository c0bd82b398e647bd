"""What `arena compare` says of the games behind its answer."""

import pytest

from arena.cli.commands.compare import figures
from results.analysis.sequential_test import Answer
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
    assert told.startswith("difference of mean shares +0.400, 95 % interval -0.560 to +0.870 ")
    assert told.endswith(counted)
