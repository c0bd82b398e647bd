"""A machine that goes on refusing pauses a league and costs it nothing; what is one bot's does not pause it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from arena.league.running.machine_faults import WAITS_S, HostFaults
from arena.league.running.ticket_queue import MOST_ATTEMPTS
from arena.league.running.work_units import Failure, failure
from arena.sandbox.machine_shortage import Refusal
from protocol.verdicts import Verdict
from results.records import GameRecord
from tests.support.leagues import (
    ARENA,
    arena,
    arena_here,
    create_here,
    games_stored,
    play_here,
    write_league,
)
from tests.support.ledgers import new_league, new_store, plan, played
from tests.support.tickets import match_of, take_all, tickets_of

FULL = Refusal("No space left on device: /tmp", "make room")


def failed(*entries: int, verdict: Verdict = Verdict.HOST, refusal: Refusal | None = None) -> Failure:
    (ticket,) = take_all(tickets_of([[match_of(0, entries)]], frozenset((0, r) for r in range(1, 4))))
    return Failure(ticket, failure(ticket, verdict, "it failed", "w0").record, refusal)


@pytest.fixture
def good(tmp_path: Path) -> GameRecord:
    """Return a good game between entries 0 and 1."""
    store = new_store(tmp_path)
    return played(plan(store, new_league(store), (0, 1))[0])


def watch() -> tuple[HostFaults, list[float]]:
    waits: list[float] = []
    return HostFaults(waits.append), waits


def test_a_few_failures_in_a_row_are_waited_out_and_then_last() -> None:
    faults, waits = watch()
    for _ in WAITS_S:
        faults.take([], [failed(0, 1, refusal=FULL)])
        assert faults.lasting is None
    faults.take([], [failed(0, 1, refusal=FULL)])
    assert faults.lasting == FULL
    assert waits == list(WAITS_S)


def test_many_failures_at_once_are_one_moment() -> None:
    faults, waits = watch()
    faults.take([], [failed(0, 1, refusal=FULL)] * 32)
    assert faults.lasting is None
    assert len(waits) == 1


def test_a_good_game_between_them_begins_anew(good: GameRecord) -> None:
    faults, _ = watch()
    for _ in range(10):
        faults.take([], [failed(2, 3, refusal=FULL)])
        faults.take([], [failed(2, 3, refusal=FULL)])
        faults.take([good], [failed(2, 3, refusal=FULL)])
    assert faults.lasting is None


def test_what_always_comes_with_one_entry_is_that_entrys_where_others_play_well(good: GameRecord) -> None:
    faults, _ = watch()
    faults.take([good], [])
    for other in (0, 1, 3, 0, 1, 3):
        faults.take([], [failed(2, other, verdict=Verdict.LOST_WORKER)])
    assert faults.lasting is None
    faults.take([], [failed(0, 1, verdict=Verdict.LOST_WORKER)])
    assert faults.lasting is not None, "that one had no part in it"
    assert "worker" in faults.lasting.what


def test_where_nobody_plays_well_it_is_nobodys(good: GameRecord) -> None:
    faults, _ = watch()
    faults.take([good], [])
    for _ in range(3):
        faults.take([], [failed(0, 1, verdict=Verdict.LOST_WORKER)])
    assert faults.lasting is not None


def test_other_failures_are_left_out() -> None:
    faults, waits = watch()
    for _ in range(10):
        faults.take([], [failed(0, 1, verdict=Verdict.INTERNAL), failed(0, 1, verdict=Verdict.OVERLOAD)])
    assert faults.lasting is None
    assert waits == []


def test_attempts_that_are_not_charged_never_make_a_match_void() -> None:
    tickets = tickets_of([[match_of(0, (0, 1)), match_of(1, (0, 1))]])
    order = []
    for _ in range(5 * MOST_ATTEMPTS):
        (ticket,) = tickets.take(1)
        order.append((ticket.match_no, ticket.rotation))
        assert tickets.play_again(ticket, charged=False, later=True)
    assert order[:5] == [(0, 0), (1, 0), (0, 1), (1, 1), (0, 0)], "others come first"
    (ticket,) = tickets.take(1)
    for _ in range(MOST_ATTEMPTS - 1):
        assert tickets.play_again(ticket, later=True)
    assert not tickets.play_again(ticket, later=True)
    assert {left.match_no for left in take_all(tickets)} == {1 - ticket.match_no}


def undisturbed(folder: Path, rounds: int) -> dict[str, str]:
    folder.mkdir()
    arena_here("league", "create", write_league(folder, rounds=rounds), cwd=folder)
    arena("run", "test", "-w", "1", cwd=folder)
    assert games_stored(folder) == rounds * 3
    return digest_here(folder)


def digest_here(folder: Path) -> dict[str, str]:
    found: dict[str, str] = json.loads(arena_here("db", "digest", cwd=folder).stdout)
    return found


def paused_and_resumed(
    folder: Path,
    rounds: int,
    workers: int,
    start: list[str],
    env: dict[str, str],
    said: str,
    tries: int = 2,
) -> dict[str, str]:
    """Run a league on a sick machine, then on a good one; return the hashes of its games and ratings.

    A second try on the sick machine must not use anything up either.
    """
    arena_here("league", "create", write_league(folder, rounds=rounds), cwd=folder)
    for _ in range(tries):
        done = subprocess.run(
            [*start, *ARENA, "run", "test", "-w", str(workers)],
            cwd=folder,
            env={**os.environ, **env},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 5, done.stderr
        assert said in done.stderr
        assert "hint:" in done.stderr
        assert "continue with: arena run test" in done.stderr
        assert "Traceback" not in done.stderr
        assert "running" not in arena_here("league", "list", cwd=folder).stdout
    arena("run", "test", "-w", str(workers), cwd=folder)
    assert games_stored(folder) == rounds * 3, "no match is void"
    return digest_here(folder)


def full_folder(folder: Path) -> list[str]:
    """Return what starts a command with a small and nearly full file system on that folder."""
    folder.mkdir()
    fill = 'mount -t tmpfs -o size=64k none "$1" && head -c 49152 /dev/zero > "$1/junk" && shift && exec "$@"'
    rights = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    return ["unshare", "--mount", *rights, "sh", "-c", fill, "sh", str(folder)]


def can_mount() -> bool:
    rights = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    command = ["unshare", "--mount", *rights, "mount", "-t", "tmpfs", "none", "/mnt"]
    return (
        shutil.which("unshare") is not None
        and not subprocess.run(command, capture_output=True, check=False).returncode
    )


@pytest.mark.slow
@pytest.mark.skipif(not can_mount(), reason="file systems cannot be mounted here")
def test_a_full_folder_for_temporary_files_pauses_the_league(tmp_path: Path) -> None:
    expected = undisturbed(tmp_path / "whole", 2)
    (tmp_path / "sick").mkdir()
    place = tmp_path / "tmp"
    found = paused_and_resumed(
        tmp_path / "sick", 2, 1, full_folder(place), {"TMPDIR": str(place)}, "No space left on device", 1
    )
    assert found == expected


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.skipif(sys.platform != "linux", reason="prlimit is Linux's")
def test_too_few_descriptors_pause_the_league(tmp_path: Path, workers: int) -> None:
    expected = undisturbed(tmp_path / "whole", 4)
    (tmp_path / "sick").mkdir()
    found = paused_and_resumed(
        tmp_path / "sick", 4, workers, ["prlimit", "--nofile=40"], {}, "Too many open files"
    )
    assert found == expected


@pytest.mark.slow
@pytest.mark.parametrize(("more", "workers"), [(2, 1), (5, 1), (8, 1), (8, 2)])
@pytest.mark.skipif(os.geteuid() == 0, reason="root's processes are not counted")
def test_too_few_processes_pause_the_league(tmp_path: Path, more: int, workers: int) -> None:
    expected = undisturbed(tmp_path / "whole", 4)
    (tmp_path / "sick").mkdir()
    own = sum(
        process.num_threads()
        for process in psutil.process_iter()
        if process.uids().real == os.getuid() and process.is_running()
    )
    found = paused_and_resumed(
        tmp_path / "sick", 4, workers, ["prlimit", f"--nproc={own + more}"], {}, "ulimit -u"
    )
    assert found == expected


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.skipif(not can_mount(), reason="file systems cannot be mounted here")
def test_two_workers_on_a_full_disk(tmp_path: Path, workers: int) -> None:
    expected = undisturbed(tmp_path / "whole", 6)
    (tmp_path / "sick").mkdir()
    place = tmp_path / "tmp"
    found = paused_and_resumed(
        tmp_path / "sick", 6, workers, full_folder(place), {"TMPDIR": str(place)}, "No space left on device"
    )
    assert found == expected


def test_no_folder_for_temporary_files_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    create_here(write_league(tmp_path, rounds=1))
    with monkeypatch.context() as without:
        without.setattr("tempfile.tempdir", None)
        without.setattr("tempfile._candidate_tempdir_list", lambda: ["/nowhere"])
        done = arena_here("run", "test", cwd=tmp_path)
    assert done.returncode == 5, done.stderr
    assert "Traceback" not in done.stderr
    assert "No usable temporary directory found in ['/nowhere']" in done.stderr
    assert "TMPDIR" in done.stderr
    assert "continue with: arena run test" in done.stderr
    assert games_stored(tmp_path) == 0
    assert play_here(tmp_path), "it goes on where there is one"
    assert games_stored(tmp_path) == 3


@pytest.mark.slow
def test_what_fails_with_one_bot_only_does_not_pause_the_league(tmp_path: Path) -> None:
    file = write_league(tmp_path, rounds=1, bots=4, seats=2)
    (tmp_path / "pick2" / "bot.py").write_text("import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\n")
    arena_here("league", "create", file, cwd=tmp_path)
    done = arena("run", "test", "-w", "1", "--sandbox", "off", cwd=tmp_path, check=False)
    assert done.returncode == 1, done.stderr
    assert "paused" not in done.stderr
    assert "3 matches are void" in done.stderr
    assert games_stored(tmp_path) == 3 * 2, "those among the three others"
