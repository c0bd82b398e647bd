"""Real bots in worker processes: the same games whatever happens, and nothing left of them."""

import os
import re
import signal
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest

from arena.core import replay
from arena.core.ticket import Ticket
from arena.executors.base import Lost, Stop
from arena.executors.processes import ProcessExecutor
from arena.executors.worker import SerialExecutor
from arena.league.running.local_games import PreparedGames
from arena.registry import game
from results.records import GameRecord
from tests.support.matches import LEAVES_A_DAEMON, RULES, bots_running, is_worker, keys, tickets, work
from tests.support.tables import body_of
from tests.support.toys import Source
from tests.support.waiting import eventually


def played(
    executor: ProcessExecutor | SerialExecutor, given: Sequence[Ticket], bots: PreparedGames
) -> dict[tuple[str, int, int], GameRecord]:
    """Play tickets; return the records by key."""
    records = [record for chunk in executor.run(bots, Source(given), Stop()) for record in chunk]
    assert keys_of(records) == keys(given)
    return {record.key: record for record in records}


def keys_of(records: Sequence[Any]) -> list[Any]:
    return sorted(record.key for record in records)


def fingerprints(records: dict[tuple[str, int, int], GameRecord]) -> dict[tuple[str, int, int], str]:
    return {key: record.fingerprint for key, record in records.items()}


@pytest.mark.parametrize(
    ("matches", "workers"),
    [(1, (1,)), pytest.param(5, (1, 2, 3), marks=pytest.mark.slow)],
    ids=["one worker", "1 to 3 workers"],
)
def test_the_same_tickets_are_the_same_games_however_they_are_played(
    tmp_path: Path, matches: int, workers: tuple[int, ...]
) -> None:
    bots, given = work(tmp_path), tickets(matches)
    serial = played(SerialExecutor(), given, bots)
    assert [seat.verdict for record in serial.values() for seat in record.seats] == [None] * 9 * matches
    assert len(set(fingerprints(serial).values())) == 3 * matches
    for record in serial.values():
        replay.check(game(RULES), body_of(record))
    for executor, order in (
        (ProcessExecutor(1), given),
        (ProcessExecutor(2), given[::-1]),
        (ProcessExecutor(3, pin=False), given[1::2] + given[::2]),
    ):
        if executor.workers in workers:
            assert fingerprints(played(executor, order, bots)) == fingerprints(serial)


@pytest.mark.slow
def test_no_process_plays_two_games_of_one_match_on_any_worker(tmp_path: Path) -> None:
    records = played(ProcessExecutor(2), tickets(matches=6), work(tmp_path))
    seen: Counter[tuple[int, bytes]] = Counter()
    games_of_process: Counter[bytes] = Counter()
    for (_, match_no, _), record in records.items():
        for log in record.logs:
            (pid,) = re.findall(rb"pid (\d+);", log.head)
            seen[match_no, pid] += 1
            games_of_process[pid] += 1
    assert sum(seen.values()) == 54
    assert set(seen.values()) == {1}
    assert max(games_of_process.values()) > 1, "but games of several matches"


@pytest.mark.slow
def test_workers_killed_at_any_moment_change_no_game(tmp_path: Path) -> None:
    bots, given = work(tmp_path, LEAVES_A_DAEMON), tickets(matches=8)
    expected = fingerprints(played(ProcessExecutor(1), given, work(tmp_path / "well-behaved")))
    source = Source(given)
    records: list[GameRecord] = []
    lost: list[Lost] = []
    killed = 0
    me = psutil.Process()
    before = {child.pid for child in me.children()}
    for chunk in ProcessExecutor(2).run(bots, source, Stop()):
        for result in chunk:
            if isinstance(result, Lost):
                lost.append(result)
                source.tickets.insert(0, result.ticket)
            else:
                records.append(result)
        if killed < 4 and len(records) > 5 * killed:
            victims = [child for child in me.children() if child.pid not in before and is_worker(child)]
            os.kill(victims[killed % len(victims)].pid, signal.SIGKILL)
            killed += 1
    assert killed == 4
    assert keys_of(records) == keys(given), "each once"
    assert {record.key: record.fingerprint for record in records} == expected
    assert len(lost) <= killed
    assert {child.pid for child in me.children()} <= before | {tracker(me)}


def tracker(me: psutil.Process) -> int:
    """Return the process that the library keeps to track what processes share."""
    return next((child.pid for child in me.children() if "resource_tracker" in " ".join(child.cmdline())), 0)


@pytest.mark.parametrize(
    "executor",
    [
        pytest.param(SerialExecutor(), id="serial", marks=pytest.mark.slow),
        pytest.param(ProcessExecutor(2), id="processes", marks=pytest.mark.slow),
    ],
)
def test_bots_with_daemons_that_ignore_everything_are_gone_afterwards(
    executor: ProcessExecutor | SerialExecutor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    records = played(executor, tickets(matches=2), work(tmp_path, LEAVES_A_DAEMON))
    assert [seat.verdict for record in records.values() for seat in record.seats] == [None] * 18
    assert eventually(lambda: not bots_running(tmp_path))
    assert list((tmp_path / "tmp").iterdir()) == []
