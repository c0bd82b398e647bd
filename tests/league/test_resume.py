"""Kill -9 of the runner at any moment, go on: the same games and ratings as without, for any number of workers."""

import time
from pathlib import Path

import psutil
import pytest

from tests.support.leagues import (
    arena,
    arena_here,
    assert_nobody_left,
    create_here,
    digest,
    games_stored,
    kill_9,
    play_here,
    start,
    wait_for_games,
    write_league,
)

PAUSE_MS = 2


def uninterrupted(folder: Path, rounds: int) -> dict[str, str]:
    folder.mkdir()
    create_here(write_league(folder, rounds=rounds, pause_ms=PAUSE_MS, mark=str(folder.parent)))
    play_here(folder)
    assert games_stored(folder) == rounds * 3
    return digest(folder)


def killed_and_resumed(folder: Path, rounds: int, workers: int, kills: int, *options: str) -> dict[str, str]:
    folder.mkdir()
    create_here(write_league(folder, rounds=rounds, pause_ms=PAUSE_MS, mark=str(folder.parent)))
    run = ("run", "test", "--workers", str(workers), *options)
    for kill in range(kills):
        process = start(*run, cwd=folder)
        wait_for_games(folder, rounds * 3 * (kill + 1) // (kills + 2), process)
        assert process.poll() is None, "the league was over before it could be killed: make it longer"
        kill_9(process)
    assert 0 < games_stored(folder) < rounds * 3
    arena(*run, cwd=folder)
    assert games_stored(folder) == rounds * 3
    assert arena_here("db", "verify", cwd=folder).returncode == 0
    return digest(folder)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("workers", "rounds", "options"),
    [
        (1, 2, ("--executor", "serial", "--sandbox", "off")),
        (1, 5, ("--sandbox", "off")),
        (2, 14, ()),
    ],
)
def test_a_killed_runner_goes_on_where_it_was(
    tmp_path: Path, workers: int, rounds: int, options: tuple[str, ...]
) -> None:
    expected = uninterrupted(tmp_path / "whole", rounds)
    assert killed_and_resumed(tmp_path / "killed", rounds, workers, 1, *options) == expected
    assert_nobody_left(str(tmp_path))


@pytest.mark.slow
def test_kills_at_many_moments_with_1_2_and_4_workers(tmp_path: Path) -> None:
    expected = uninterrupted(tmp_path / "whole", 60)
    for workers in (1, 2, 4):
        assert killed_and_resumed(tmp_path / str(workers), 60, workers, kills=5) == expected, workers
    assert_nobody_left(str(tmp_path))


@pytest.mark.slow
def test_a_run_begins_when_the_guardian_of_a_killed_one_is_done(tmp_path: Path) -> None:
    arena(
        "league", "create", write_league(tmp_path, rounds=14, pause_ms=20, mark=str(tmp_path)), cwd=tmp_path
    )
    process = start("run", "test", "--workers", "2", cwd=tmp_path)
    wait_for_games(tmp_path, 3, process)
    (guardian,) = [
        child
        for child in psutil.Process(process.pid).children()
        if "arena.sandbox.run_folder" in child.cmdline()
    ]
    guardian.suspend()
    kill_9(process)
    before = games_stored(tmp_path)
    second = start("run", "test", "--workers", "2", cwd=tmp_path)
    until_s = time.monotonic() + 8  # a run that does not wait has more games long before
    while time.monotonic() < until_s:
        assert second.poll() is None
        assert games_stored(tmp_path) == before
        time.sleep(0.1)
    guardian.resume()
    assert second.wait() == 0
    assert games_stored(tmp_path) == 14 * 3
    assert_nobody_left(str(tmp_path))
