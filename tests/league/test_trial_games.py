"""Before a league is created, its game is tried: a game that always ties is warned of."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from arena.cli.commands.league.create import say_plan
from arena.core.game import Outcome
from arena.league.definition.read import read_plan
from arena.league.forecast.trial_games import MOST_GAMES, tied_games
from arena.registry import game
from tests.support.leagues import measured_once, write_league


class Together(type(game("bread-basket"))):  # type: ignore[misc]
    """Bread Basket in which all seats have the sum of all points."""

    def turn(self, state: Any) -> Any:
        turn = super().turn(state)
        return Outcome(self.scores(state)) if isinstance(turn, Outcome) else turn

    def scores(self, state: Any) -> tuple[int, ...]:
        return (sum(state.scores),) * len(state.scores)


@pytest.mark.parametrize(("rules", "tied"), [(Together(), MOST_GAMES), (game("bread-basket"), 0)])
def test_it_is_warned_of_a_game_whose_seats_all_score_alike(
    rules: Any, tied: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with measured_once():
        plan = read_plan(write_league(tmp_path, rounds=1))
    plan = replace(plan, definition=replace(plan.definition, game=rules))
    assert tied_games(plan.definition) == tied
    say_plan(plan, tied)
    told = " ".join(capsys.readouterr().err.split())
    assert (f"the same score in each of {tied} games between random players" in told) == bool(tied)
