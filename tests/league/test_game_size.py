"""What a game takes on disk is measured, not guessed."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from arena.cli.commands.league.create import say_plan
from arena.config.league_file import BotTable, LeagueFile
from arena.core.game import Outcome
from arena.league.definition.checked_definition import resolve
from arena.league.definition.read import read_plan
from arena.league.forecast.game_size import GameSize, game_size
from arena.registry import game
from tests.support.empty_stores import open_copied
from tests.support.leagues import arena, arena_here, games_stored, measured_once, write_league


def of(game: str, seats: int | tuple[int, ...]) -> GameSize:
    return game_size(resolve(LeagueFile("x", game, (BotTable(path="x"),), seats=seats), 6))


def test_a_game_takes_some_kilobytes_with_its_replay() -> None:
    basket = of("bread-basket", 2)
    assert 1_000 < basket.with_replay < 6_500
    assert 100 < basket.without_replay < 1_000


@pytest.mark.slow
def test_games_differ() -> None:
    basket, chocolate = of("bread-basket", 4), of("bread-and-chocolate", 2)
    assert 3_000 < basket.with_replay < 6_500
    assert 10_000 < chocolate.with_replay < 16_000
    assert basket.with_replay < of("bread-basket", (4, 6)).with_replay
    for size in (basket, chocolate):
        assert 100 < size.without_replay < 1_000


@pytest.mark.slow
def test_a_league_takes_what_was_announced(tmp_path: Path) -> None:
    file = write_league(tmp_path, rounds=20, bots=4)
    done = arena("league", "create", file.name, cwd=tmp_path)
    before = (tmp_path / "arena.sqlite").stat().st_size
    arena("run", "test", cwd=tmp_path)
    each = ((tmp_path / "arena.sqlite").stat().st_size - before) / games_stored(tmp_path)
    announced = float(done.stderr.split(" kB per game with its replay")[0].split()[-1]) * 1000
    assert 0.7 * each < announced < 1.4 * each


class Together(type(game("bread-basket"))):  # type: ignore[misc]
    """Bread Basket in which all seats have the sum of all points."""

    def turn(self, state: Any) -> Any:
        turn = super().turn(state)
        return Outcome(self.scores(state)) if isinstance(turn, Outcome) else turn

    def scores(self, state: Any) -> tuple[int, ...]:
        return (sum(state.scores),) * len(state.scores)


@pytest.mark.parametrize(("rules", "tied"), [(Together(), True), (game("bread-basket"), False)])
def test_it_is_warned_of_a_game_whose_seats_all_score_alike(
    rules: Any,
    tied: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("arena.league.forecast.game_size.LEAST_GAMES", 2)
    monkeypatch.setattr("arena.league.forecast.game_size.open_store", open_copied)
    with measured_once():
        plan = read_plan(write_league(tmp_path, rounds=1))
    plan = replace(plan, definition=replace(plan.definition, game=rules))
    size = game_size(plan.definition)
    assert bool(size.tied_games) == tied
    say_plan(plan, size)
    told = " ".join(capsys.readouterr().err.split())
    assert (f"the same score in each of {size.tied_games} games between random players" in told) == tied


@pytest.mark.parametrize(
    ("keep", "words"),
    [
        ("all", 'with keep_replays = "none"'),
        ("last 3", 'with keep_replays = "none"'),
        ("none", "kB per game with its replay"),
        ("faults", "on disk plus the replays of faults"),
    ],
)
def test_what_keep_replays_changes_is_said(tmp_path: Path, keep: str, words: str) -> None:
    file = write_league(tmp_path, rounds=100)
    file.write_text(file.read_text().replace("[schedule]", f'keep_replays = "{keep}"\n[schedule]'))
    done = arena_here("league", "create", file.name, "--dry-run", cwd=tmp_path)
    told = " ".join(done.stderr.split())
    assert words in told
    whole = float(told.split("about ")[1].split()[0])
    unit = told.split("about ")[1].split()[1]
    assert (unit == "MB" or whole > 500) == (keep == "all"), told
