"""A league whose schedule adapts: kill -9 at any moment, any number of workers, the same league."""

import os
import shutil
from pathlib import Path

import pytest

from results.store import open_store
from tests.league import adaptive
from tests.league.running import (
    arena,
    assert_nobody_left,
    digest,
    games_stored,
    kill_9,
    start,
    wait_for_games,
    write_league,
)

GAMES = 3
"""Of a match."""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make it look as if a distribution with the adaptive schedule were installed."""
    place = tmp_path / "installed"
    about = place / "adaptive-1.0.dist-info"
    about.mkdir(parents=True)
    shutil.copy(adaptive.__file__, place / "adaptive.py")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: adaptive\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[arena.schedules]\nadaptive = adaptive:SCHEDULE\n")
    monkeypatch.setenv("PYTHONPATH", str(place), prepend=os.pathsep)


def create(folder: Path, matches: int, mark: str) -> None:
    folder.mkdir()
    file = write_league(folder, rounds=1, bots=5, pause_ms=2, mark=mark)
    text = file.read_text().replace("round-robin", "adaptive").replace("rounds = 1", f"matches = {matches}")
    file.write_text(text)
    arena("league", "create", file, cwd=folder)


def league(folder: Path) -> "tuple[dict[str, str], list[tuple[object, ...]]]":
    """Return the hashes of games and ratings, and every match with what its schedule had been told."""
    with open_store(folder / "arena.sqlite", readonly=True) as store:
        matches = store.matches.all(store.leagues.get().uuid)
    return digest(folder), [(match.entries, match.round_no, match.why) for match in matches]


def run_with_kills(folder: Path, matches: int, workers: int, kills: int, mark: str) -> None:
    create(folder, matches, mark)
    for kill in range(kills):
        process = start("league", "run", "--workers", str(workers), cwd=folder)
        wait_for_games(folder, matches * GAMES * (kill + 1) // (kills + 2), process)
        assert process.poll() is None, "the league was over before it could be killed: make it longer"
        kill_9(process)
    arena("league", "run", "--workers", str(workers), cwd=folder)
    assert games_stored(folder) == matches * GAMES
    arena("db", "verify", cwd=folder)


@pytest.mark.slow
@pytest.mark.usefixtures("installed")
def test_a_killed_adaptive_league_goes_on_the_same(tmp_path: Path) -> None:
    run_with_kills(tmp_path / "whole", 12, workers=1, kills=0, mark=str(tmp_path))
    run_with_kills(tmp_path / "killed", 12, workers=2, kills=1, mark=str(tmp_path))
    assert league(tmp_path / "killed") == league(tmp_path / "whole")
    assert_nobody_left(str(tmp_path / "killed"))


@pytest.mark.slow
@pytest.mark.usefixtures("installed")
def test_many_kills_with_1_2_and_4_workers(tmp_path: Path) -> None:
    run_with_kills(tmp_path / "whole", 60, workers=1, kills=0, mark=str(tmp_path))
    for workers in (1, 2, 4):
        run_with_kills(tmp_path / str(workers), 60, workers, kills=4, mark=str(tmp_path))
        assert league(tmp_path / str(workers)) == league(tmp_path / "whole"), workers
    assert_nobody_left(str(tmp_path))
