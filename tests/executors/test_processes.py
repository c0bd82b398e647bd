"""Worker processes: every ticket is played once and comes back, whatever happens to the workers."""

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any

import pytest
from multiprocess.context import SpawnProcess

from arena.core.errors import MachineRefuses
from arena.executors import processes
from arena.executors.base import Lost, Stop, WorkersFail
from arena.executors.processes import STILLBORN, UNIT_TICKETS, ProcessExecutor
from arena.sandbox.survivors import find_marked
from tests.support.toys import DAEMON, SLEEPER, Do, Source, Toy


def chunks(
    source: Source, workers: int = 2, work: Toy | None = None, stop: Stop | None = None
) -> Generator[list[Any], None, None]:
    yield from ProcessExecutor(workers).run(work or Toy(), source, stop or Stop())


def all_of(source: Source, workers: int = 2, work: Toy | None = None, stop: Stop | None = None) -> list[Any]:
    """Return all results of a run."""
    return [result for chunk in chunks(source, workers, work, stop) for result in chunk]


def test_every_ticket_comes_back_once() -> None:
    results = all_of(Source(Do(number, argument=number * 2) for number in range(300)))
    assert sorted((done.number, done.payload) for done in results) == [(n, 2 * n) for n in range(300)]
    assert os.getpid() not in {done.pid for done in results}


@pytest.mark.slow
def test_one_worker_plays_in_order() -> None:
    results = all_of(Source(Do(number) for number in range(100)), workers=1)
    assert [done.number for done in results] == list(range(100))
    assert len({done.pid for done in results}) == 1


@pytest.mark.slow
def test_all_workers_play() -> None:
    results = all_of(Source(Do(number, "sleep", 0.2) for number in range(8)), workers=4)
    assert len({done.pid for done in results}) == 4


@pytest.mark.slow
def test_slow_games_are_dealt_one_by_one_and_fast_ones_by_the_unit() -> None:
    slow, fast = (
        Source(Do(number, "sleep", 0.3) for number in range(5)),
        Source(map(Do, range(2000))),
    )
    all_of(slow, workers=1)
    all_of(fast, workers=1)
    assert set(slow.asked) == {1}
    assert max(fast.asked) == 16


@pytest.mark.slow
def test_results_that_came_while_the_caller_was_busy_are_one_chunk() -> None:
    sizes = []
    for chunk in chunks(Source(map(Do, range(2000)))):
        sizes.append(len(chunk))
        time.sleep(0.02)
    assert sum(sizes) == 2000
    assert max(sizes) > UNIT_TICKETS, "units of both workers came together"


def test_no_tickets_no_workers() -> None:
    source = Source([])
    assert all_of(source, work=Toy(opening="raise")) == []
    assert source.asked == [1]


def test_results_may_bring_more_tickets() -> None:
    source = Source([Do(0)])
    seen = []
    for chunk in chunks(source, workers=1):
        for done in chunk:
            seen.append(done.number)
            if done.number < 5:
                source.tickets += [Do(done.number + 1)]
    assert seen == list(range(6))


def test_results_and_tickets_larger_than_any_pipe() -> None:
    tickets = [Do(number, "fat", 300_000) for number in range(40)]
    tickets += [Do(number, argument=bytes(200_000)) for number in range(40, 80)]
    tickets += [Do(number, "fat", 300_000) for number in range(80, 120)]
    results = all_of(Source(tickets), workers=1)
    assert sorted(done.number for done in results) == list(range(120))
    assert {len(done.payload) for done in results} == {300_000, 200_000}


def test_a_result_is_not_held_back_by_the_game_after_it() -> None:
    stop = Stop()
    results = []
    for chunk in chunks(Source([Do(0), Do(1, "sleep", 600)]), 1, stop=stop):
        results += chunk
        stop.at_once = bool(results)
    assert [done.number for done in results] == [0]


@pytest.mark.slow
def test_each_worker_stays_on_a_core_of_its_own() -> None:
    cores = os.sched_getaffinity(0)
    results = all_of(Source(Do(number, "cores") for number in range(60)), workers=len(cores))
    by_worker = {done.worker: done.payload for done in results}
    assert {len(used) for used in by_worker.values()} == {1}
    assert set.union(*by_worker.values()) <= cores
    assert len(set(map(frozenset, by_worker.values()))) == len(by_worker)
    unpinned = [
        r for c in ProcessExecutor(1, pin=False).run(Toy(), Source([Do(0, "cores")]), Stop()) for r in c
    ]
    assert unpinned[0].payload == cores


def test_a_killed_worker_loses_its_game_and_no_other() -> None:
    tickets = [Do(number) for number in range(60)]
    tickets[20] = Do(20, "die", signal.SIGKILL)
    tickets[40] = Do(40, "die", signal.SIGSEGV)
    source = Source(tickets)
    done, lost = [], []
    for chunk in chunks(source):
        for result in chunk:
            if isinstance(result, Lost):
                lost.append(result)
                source.tickets.append(Do(result.ticket.number))
            else:
                done.append(result)
    assert {one.ticket.number: one.detail for one in lost} == {
        20: "the worker was ended by SIGKILL in this game",
        40: "the worker was ended by SIGSEGV in this game",
    }
    assert sorted(one.number for one in done) == list(range(60))
    workers = {one.worker for one in [*done, *lost]}
    assert {name.rpartition("/")[2] for name in workers} <= {"0", "1"}, "another one takes the same number"


class Shared(Source):
    """A source that remembers which tickets were taken for which worker."""

    def __init__(self, tickets: Iterable[Do]) -> None:
        super().__init__(tickets)
        self.taken: dict[int, list[int]] = {}

    def take(self, most: int, worker_no: int) -> list[Any]:
        taken = super().take(most, worker_no)
        self.taken.setdefault(worker_no, []).extend(ticket.number for ticket in taken)
        return taken


@pytest.mark.slow
def test_what_is_taken_for_a_worker_is_played_by_its_number_whoever_dies() -> None:
    tickets = [Do(number, argument=bytes(40_000) if number % 7 == 0 else None) for number in range(200)]
    for number in (3, 50, 51, 120):
        tickets[number] = Do(number, "die", signal.SIGKILL)
    source = Shared(tickets)
    played: dict[int, set[int]] = {}
    for chunk in chunks(source, workers=3):
        for result in chunk:
            number = result.ticket.number if isinstance(result, Lost) else result.number
            played.setdefault(int(result.worker.rpartition("/")[2]), set()).add(number)
    assert played == {worker_no: set(numbers) for worker_no, numbers in source.taken.items() if numbers}
    assert set.union(*played.values()) == set(range(200))


@pytest.mark.parametrize("program", [pytest.param(SLEEPER, marks=pytest.mark.slow), DAEMON])
def test_what_a_killed_worker_leaves_is_killed(program: str) -> None:
    source = Source([Do(0, "token"), Do(1, "child", program), Do(2, "die", signal.SIGKILL), Do(3)])
    token = ""
    left = []
    for chunk in chunks(source, 1):
        for result in chunk:
            if isinstance(result, Lost):
                left = find_marked(token)
            else:
                token = token or result.payload
    assert token
    assert left == []


def test_stop_after_the_game_hands_back_what_was_not_begun() -> None:
    stop = Stop()
    source = Source(Do(number, "sleep", 0.05) for number in range(1000))
    results = []
    for chunk in chunks(source, 1, stop=stop):
        results += chunk
        stop.after_game = bool(results)
    numbers = sorted(done.number for done in results)
    assert numbers
    assert len(numbers) < 20
    assert len(set(numbers)) == len(numbers)
    assert not [one for one in results if isinstance(one, Lost)]


def test_stop_at_once_waits_for_no_game() -> None:
    stop = Stop()
    source = Source([Do(0, "token"), Do(1, "child", SLEEPER), Do(2, "sleep", 600), Do(3)])
    results = []
    for chunk in chunks(source, 1, stop=stop):
        results += chunk
        stop.at_once = len(results) == 2
    assert [done.number for done in results] == [0, 1]
    assert find_marked(results[0].payload) == []


@pytest.mark.slow
def test_whoever_takes_results_may_leave_in_the_middle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.executors.processes.HURRY_S", 60.0)
    source = Source([Do(0, "token"), Do(1, "child", DAEMON), *(Do(n, "sleep", 0.1) for n in range(2, 50))])
    run = chunks(source, 1, Toy(folder=tmp_path))
    results: list[Any] = []
    while not any(done.number == 1 for done in results):
        results += next(run)
    run.close()
    assert find_marked(results[0].payload) == []
    assert [done.pid for done in results[:1]] == [
        int(closed.name.partition("-")[2]) for closed in tmp_path.glob("closed-*")
    ], "the worker closed its work in order"


def test_workers_that_cannot_begin_say_why() -> None:
    with pytest.raises(WorkersFail, match="no beginning"):
        all_of(Source([Do(0)]), 1, Toy(opening="raise"))


@pytest.mark.slow
def test_workers_that_die_at_the_start_are_not_started_for_ever() -> None:
    with pytest.raises(WorkersFail, match=f"{STILLBORN} workers in a row.*SIGKILL") as caught:
        all_of(Source([Do(0)]), 1, Toy(opening="kill"))
    assert caught.value.hint


@pytest.mark.slow
def test_a_game_that_fails_the_worker_is_lost_with_the_reason() -> None:
    source = Source([Do(0), Do(1, "raise", "a worker's bad day"), Do(2, "unpicklable"), Do(3), Do(4)])
    results = all_of(source, workers=1)
    lost = {one.ticket.number: one.detail for one in results if isinstance(one, Lost)}
    assert set(lost) == {1, 2}
    assert "RuntimeError: a worker's bad day" in lost[1]
    assert "pickle" in lost[2]
    done = {one.number: one.pid for one in results if not isinstance(one, Lost)}
    assert set(done) == {0, 3, 4}
    assert done[0] != done[3], "what state a failed worker is in nobody knows"


@pytest.mark.slow
def test_nothing_is_left_open_after_a_run() -> None:
    def descriptors() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    all_of(Source([Do(0)]))
    before = descriptors()
    for _ in range(3):
        all_of(Source([Do(0), Do(1, "die", signal.SIGKILL), Do(2)]))
    assert descriptors() <= before


@pytest.mark.slow
def test_temporary_files_of_a_run_go_with_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    all_of(Source([Do(0), Do(1, "die", signal.SIGKILL), Do(2)]), workers=1)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("refusals", [2, 3])
def test_a_worker_that_the_machine_refuses_is_tried_again_for_a_while(
    monkeypatch: pytest.MonkeyPatch, refusals: int
) -> None:
    begin, tried = SpawnProcess.start, []

    def refused_at_first(process: Any) -> None:
        tried.append(process)
        if len(tried) <= refusals:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        begin(process)

    monkeypatch.setattr(SpawnProcess, "start", refused_at_first)
    monkeypatch.setattr(processes, "START_WAITS_S", (0.0, 0.0))
    before = len(list(Path("/proc/self/fd").iterdir()))
    if refusals == 2:
        assert [done.number for done in all_of(Source([Do(0)]), workers=1)] == [0]
        return
    with pytest.raises(MachineRefuses, match=r"refuses to start workers.*no more processes") as caught:
        all_of(Source([Do(0)]), workers=1)
    assert "ulimit -u" in caught.value.hint
    tried.clear()
    assert len(list(Path("/proc/self/fd").iterdir())) <= before


def test_a_worker_that_is_out_of_something_says_so_in_a_sentence() -> None:
    with pytest.raises(MachineRefuses, match="No space left on device") as caught:
        all_of(Source([Do(0)]), 1, Toy(opening="full"))
    assert "Traceback" not in str(caught.value)
    assert "TMPDIR" in caught.value.hint


def test_a_worker_started_ahead_plays_the_first_tickets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_AHEAD", [])
    processes.start_ahead("json")
    ahead = processes._AHEAD[0].process.pid
    results = all_of(Source(map(Do, range(3))), workers=1)
    assert {done.pid for done in results} == {ahead}
    assert processes._AHEAD == []


def test_a_worker_started_ahead_that_died_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_AHEAD", [])
    processes.start_ahead("json")
    os.kill(processes._AHEAD[0].process.pid, signal.SIGKILL)
    assert [done.number for done in all_of(Source(map(Do, range(3))), workers=1)] == [0, 1, 2]


@pytest.mark.parametrize("end", ["", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"])
def test_a_worker_started_ahead_in_vain_ends_with_the_runner(end: str) -> None:
    program = (
        "from arena.executors import processes; processes.start_ahead('json'); "
        f"print(processes._AHEAD[0].process.pid, flush=True); {end}"
    )
    begun = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    pid, until = int(begun.stdout), time.monotonic() + 60
    while Path(f"/proc/{pid}").exists() and time.monotonic() < until:
        time.sleep(0.01)
    assert not Path(f"/proc/{pid}").exists()
