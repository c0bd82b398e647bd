"""Ctrl-C: once finishes the games being played, twice stops at once; neither loses a game."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.support.leagues import (
    ARENA,
    arena,
    arena_here,
    assert_nobody_left,
    create_here,
    digest,
    games_stored,
    play_here,
    start,
    wait_for_games,
    write_league,
)

PAUSE_MS = 3


PLAIN = ("run", "test", "-w", "1", "--sandbox", "off")
"""What begins soonest."""


def interrupted(folder: Path, times: int, *run: str) -> "tuple[int, str]":
    """Run the league, interrupt it that many times; return exit code and standard error."""
    process = subprocess.Popen(
        [*ARENA, *run],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    wait_for_games(folder, 5, process)
    for _ in range(times):
        process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    return process.returncode, told


@pytest.mark.parametrize(
    ("times", "rounds", "run"),
    [
        pytest.param(1, 4, PLAIN, marks=pytest.mark.slow),
        pytest.param(1, 12, ("run", "test", "-w", "2"), marks=pytest.mark.slow),
        pytest.param(2, 12, ("run", "test", "-w", "2"), marks=pytest.mark.slow),
    ],
)
def test_an_interrupted_league_goes_on(tmp_path: Path, times: int, rounds: int, run: tuple[str, ...]) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    for folder in (whole, cut):
        folder.mkdir()
        create_here(write_league(folder, rounds=rounds, pause_ms=PAUSE_MS, mark=str(tmp_path)))
    play_here(whole)
    code, told = interrupted(cut, times, *run)
    assert code == 4, told
    assert "continue with: arena run test" in told
    assert 5 <= games_stored(cut) < rounds * 3
    assert_nobody_left(str(tmp_path))
    assert arena_here("db", "verify", cwd=cut).returncode == 0
    arena(*run[:2], "test", *run[2:], cwd=cut)
    assert digest(cut) == digest(whole)


def test_a_league_that_was_stopped_goes_on(tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    for folder in (whole, cut):
        folder.mkdir()
        create_here(write_league(folder, rounds=3, bots=2, seats=2))
    play_here(whole)
    assert not play_here(cut, most_games=2)
    assert 2 <= games_stored(cut) < 6
    assert play_here(cut)
    assert digest(cut) == digest(whole)


@pytest.mark.slow
def test_the_first_interrupt_waits_for_the_games_being_played(tmp_path: Path) -> None:
    file = write_league(tmp_path, rounds=4, bots=2, seats=2, pause_ms=30, mark=str(tmp_path))
    create_here(file)
    process = start(*PLAIN, cwd=tmp_path)
    wait_for_games(tmp_path, 1, process)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 4
    stored = games_stored(tmp_path)
    assert 2 <= stored < 8, "the game that was being played is in the ledger too"
    assert_nobody_left(str(tmp_path))


@pytest.mark.slow
def test_only_one_process_runs_a_league(tmp_path: Path) -> None:
    create_here(write_league(tmp_path, rounds=1000, bots=2, seats=2, pause_ms=5, mark=str(tmp_path)))
    process = start("run", "test", "--executor", "serial", "--sandbox", "off", cwd=tmp_path)
    wait_for_games(tmp_path, 1, process)
    second = arena_here("run", "test", cwd=tmp_path)
    assert second.returncode == 1
    assert f"arena.sqlite is in use: process {process.pid} runs league test" in second.stderr
    assert str(process.pid) in second.stderr
    assert arena_here("rankings", cwd=tmp_path).stdout, "whoever only reads is not kept waiting"
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 4


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("setsid") is None, reason="setsid is not installed")
def test_a_terminal_that_is_closed_stops_the_league_as_ctrl_c_does(tmp_path: Path) -> None:
    file = write_league(tmp_path, rounds=400, bots=2, seats=2, pause_ms=PAUSE_MS, mark=str(tmp_path))
    create_here(file)
    keyboard, terminal = os.openpty()
    process = subprocess.Popen(
        ["setsid", "--ctty", *ARENA, "run", "test", "-w", "1"],
        cwd=tmp_path,
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
    )
    os.close(terminal)
    wait_for_games(tmp_path, 2, process)
    assert process.poll() is None
    os.close(keyboard)
    assert process.wait(60) == 4
    assert "stopped" in arena_here("league", "list", cwd=tmp_path).stdout
    assert 2 <= games_stored(tmp_path) < 800
    assert_nobody_left(str(tmp_path))
