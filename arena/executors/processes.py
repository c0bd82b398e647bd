"""Plays tickets in worker processes, one per core, one game at a time in each.

The runner waits on a pipe and a sentinel for each worker, so it notices at once if a worker is killed. It then counts
that worker's game as a platform error, starts another worker with the same number, and gives it the remaining tickets.
"""

import atexit
import contextlib
import os
import pickle
import secrets
import time
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import multiprocess
import multiprocess.connection
import multiprocess.resource_tracker
from msgspec import Struct, field
from msgspec.structs import astuple

from arena.core.errors import ArenaError
from arena.executors import base
from arena.executors.worker import CHUNK_S, NO_TICKET, RUNNERS_SIGNALS, CannotBegin, Orders, work_through
from arena.sandbox.bubblewrap_status import ended_by
from arena.sandbox.cgroups import remove_groups
from arena.sandbox.folder_removal import remove_tree
from arena.sandbox.machine_shortage import in_words, refusal
from arena.sandbox.run_folder import Guardian, RunFolder
from arena.sandbox.survivors import IS_LINUX, kill_marked
from results.base.children import uninterrupted_start

UNIT_TICKETS = 16
UNIT_S = 0.5
"""The size of a unit: at most UNIT_TICKETS, and at most what a worker plays in UNIT_S. Large enough that workers don't
wait for the runner, small enough to share out the last tickets."""
UNITS_AHEAD = 2
"""Maximum number of units per worker, including the one being played."""
CHUNK_RESULTS = 256
"""Results that are here at the same moment are one chunk, which may exceed this only by the last worker's unit."""
AHEAD_BYTES = 32_768
"""Larger units are sent only to a worker that is waiting for one, as the runner would block on a busy one."""
HURRY_S = 2.0
"""How long workers may take to exit after being asked to."""
START_WAITS_S = (0.5, 1.0)
"""Delays before starting a worker again if the machine refused it."""
STILLBORN = 3
"""Give up after this many workers in a row have died before playing anything."""


class _Started(Struct):
    """A worker process that waits for its orders."""

    process: Any
    pipe: Any
    current: Any
    """Shared number of the ticket being played, or NO_TICKET."""
    finish: Any
    """Shared flag: stop after the current game."""


class _Worker(_Started, kw_only=True):
    """One worker process as the runner sees it."""

    worker_no: int
    """From 0. If a worker dies, another one takes its number."""
    name: str
    token: str
    folder: Path
    units: deque[int] = field(default_factory=deque)
    """For each unit sent, how many of its tickets are unfinished."""
    out: dict[int, Any] = field(default_factory=dict)
    """Unfinished tickets by number, in the order sent."""
    has_played: bool = False
    again: deque[Any] = field(default_factory=deque)
    """Tickets taken for this worker number but not sent (too large to send ahead), or not begun by a dead worker."""


class ProcessExecutor:
    """An `Executor` of `workers` processes. They die with the thread that called `run`: it must outlive the run."""

    plays_here = True

    def __init__(self, workers: int, *, pin: bool = True, name: str = "", first_core: int = 0) -> None:
        """`pin` binds each worker and its bots to one core, beginning with `first_core` of those allowed.

        `name` is that of the machine, which workers are named by; default: its host name.
        """
        self.workers = workers
        self.pin = pin
        self.name = name or os.uname().nodename
        self.first_core = first_core

    @property
    def slots(self) -> int:
        """How many games it plays at the same time."""
        return self.workers

    def run(
        self, work: base.Work, source: base.TicketSource, stop: base.Stop, held: Sequence[int] = ()
    ) -> Iterator[list[Any]]:
        """Yield chunks of results; a `Lost` stands for a game whose worker died."""
        prepared = work.prepare()
        token = secrets.token_hex(8)
        with contextlib.ExitStack() as opened:
            try:
                folder = opened.enter_context(RunFolder(token))
                opened.enter_context(Guardian(token, folder.path, (folder.lock, *held)))
            except OSError as error:
                raise _refused(error) from error
            opened.callback(folder.remove)
            yield from _Run(self, prepared, source, stop, token, folder.path).run()


class _Run:
    def __init__(
        self,
        executor: ProcessExecutor,
        work: base.PreparedWork,
        source: base.TicketSource,
        stop: base.Stop,
        token: str,
        folder: Path,
    ) -> None:
        self._executor = executor
        self._work = pickle.dumps(work)
        self._source = source
        self._stop = stop
        self._token = token
        self._folder = folder
        self._workers: list[_Worker] = []
        self._numbers = 0
        self._numbered = 0
        """Number of workers started so far, including failed attempts."""
        self._stillborn = 0
        self._results = 0
        self._began_s = time.monotonic()

    def run(self) -> Iterator[list[Any]]:
        # If an error in the caller keeps this generator alive, Python would wait for the workers at exit.
        atexit.register(self._end)
        try:
            if (
                self._stop.after_game
                or self._stop.at_once
                or not (first := self._source.take(1, worker_no=0))
            ):
                return
            for worker_no in range(self._executor.workers):
                self._workers.append(self._start(worker_no))
            self._workers[0].again.extend(first)
            while True:
                self._deal()
                if not any(worker.out for worker in self._workers):
                    return
                yield from self._wait()
                if self._stop.at_once:
                    return
        finally:
            atexit.unregister(self._end)
            self._end()

    def _start(self, worker_no: int) -> _Worker:
        """Return a new worker with a number. Raises WorkersRefused if the machine keeps refusing one."""
        for wait_s in START_WAITS_S:
            with contextlib.suppress(base.WorkersRefused):
                return self._started_at(worker_no)
            time.sleep(wait_s)
        return self._started_at(worker_no)

    def _started_at(self, worker_no: int) -> _Worker:
        number = self._numbered
        self._numbered += 1
        name = f"{self._executor.name}/{worker_no}"
        token = f"{self._token}/{number}"
        folder = self._folder / str(number)
        allowed = sorted(os.sched_getaffinity(0)) if self._executor.pin and IS_LINUX else []
        core = allowed[(self._executor.first_core + worker_no) % len(allowed)] if allowed else None
        try:
            folder.mkdir()
            started = _AHEAD.pop() if _AHEAD else _started()
        except OSError as error:
            raise _refused(error) from error
        with contextlib.suppress(OSError):  # it has died; its sentinel will report that
            started.pipe.send_bytes(pickle.dumps(Orders(self._work, name, token, str(folder), core)))
        return _Worker(*astuple(started), worker_no=worker_no, name=name, token=token, folder=folder)

    def _take(self, worker: _Worker, most: int) -> list[Any]:
        """Return tickets to send to a worker, first those already taken for its number."""
        if self._stop.after_game or self._stop.at_once:
            return []
        tickets = [worker.again.popleft() for _ in range(min(most, len(worker.again)))]
        return tickets or self._source.take(most, worker.worker_no)

    def _deal(self) -> None:
        """Send a unit of tickets to every worker that has room, beginning with the emptiest ones."""
        if self._stop.after_game:
            for worker in self._workers:
                worker.finish.value = 1
        took_s = time.monotonic() - self._began_s  # with the start of workers, so units are small at first
        most = max(1, min(UNIT_TICKETS, int(UNIT_S * self._results / took_s / max(1, len(self._workers)))))
        for ahead in range(UNITS_AHEAD):
            for worker in self._workers:
                if len(worker.units) <= ahead and (tickets := self._take(worker, most)):
                    self._send(worker, tickets)

    def _send(self, worker: _Worker, tickets: list[Any]) -> None:
        """Send a unit to a worker, or keep it for later if it is too large to send ahead."""
        numbered = list(enumerate(tickets, self._numbers))
        packed = pickle.dumps(numbered)
        if worker.units and len(packed) > AHEAD_BYTES:
            worker.again.extendleft(reversed(tickets))
            return
        self._numbers += len(tickets)
        worker.out.update(numbered)
        worker.units.append(len(numbered))
        with contextlib.suppress(OSError):  # it has died; its sentinel will report that
            worker.pipe.send_bytes(packed)

    def _wait(self) -> Iterator[list[Any]]:
        """Wait for workers to send something or to die; yield all results that are here, or nothing after CHUNK_S.

        They are one chunk up to CHUNK_RESULTS: the longer the caller was busy, the more results have come meanwhile,
        and the less each of them costs it.
        """
        ends = {worker.pipe: worker for worker in self._workers}
        ends |= {worker.process.sentinel: worker for worker in self._workers}
        ready = multiprocess.connection.wait(list(ends), timeout=CHUNK_S)
        here: list[Any] = []
        try:
            for worker in {ends[end].worker_no: ends[end] for end in ready}.values():
                dead = worker.process.sentinel in ready or not worker.process.is_alive()
                while (chunk := self._receive(worker)) is not None:
                    here += chunk
                    if not dead:
                        break
                if dead:
                    here += self._bury(worker)
                if len(here) >= CHUNK_RESULTS:
                    yield here
                    here = []
        except ArenaError:
            yield here  # what was played before is not lost
            raise
        if here or not ready:
            yield here

    def _receive(self, worker: _Worker) -> list[Any] | None:
        """Return a chunk of results from a worker; None if there is none, or if the worker is dead."""
        try:
            if not worker.pipe.poll():
                return None
            message = pickle.loads(worker.pipe.recv_bytes())  # noqa: S301 - from our own worker process
        except (EOFError, OSError):
            return None
        if isinstance(message, CannotBegin):
            kind = base.WorkersRefused if message.is_refused else base.WorkersFail
            raise kind(f"the workers cannot begin: {message.message}", message.hint)
        results = []
        for number, packed in message:
            result = pickle.loads(packed)  # noqa: S301 - from our own worker process
            if number in worker.out:
                del worker.out[number]
                worker.units[0] -= 1
                if worker.units[0] == 0:
                    worker.units.popleft()
            if result is not None:  # None: returned unplayed, as the run is ending
                results.append(result)
        if results:
            worker.has_played = True
            self._stillborn = 0
            self._results += len(results)
        return results

    def _bury(self, worker: _Worker) -> list[Any]:
        """Clean up after a dead worker and start another; return the game it was playing as lost.

        Raises WorkersFail if STILLBORN workers in a row die before they have played anything.
        """
        worker.process.join()
        worker.pipe.close()
        kill_marked(worker.token + "/")
        remove_groups(worker.token + "/")
        remove_tree(worker.folder)
        code = worker.process.exitcode
        why = ended_by(-code) if code and code < 0 else "ended" if code is None else f"ended with code {code}"
        lost = []
        playing = worker.out.pop(worker.current.value, None)
        if playing is not None:
            lost.append(base.Lost(playing, worker.name, f"the worker {why} in this game"))
        elif not worker.has_played:
            self._stillborn += 1
            if self._stillborn >= STILLBORN:
                raise base.WorkersRefused(
                    f"{STILLBORN} workers in a row died before they had played anything; the last one {why}",
                    "see their output above; the machine may be out of memory or file descriptors: check with "
                    "`ulimit -a` and `arena doctor`",
                )
        index = self._workers.index(worker)
        if self._stop.after_game or self._stop.at_once:
            del self._workers[index]
        else:
            self._workers[index] = self._start(worker.worker_no)
            self._workers[index].again.extend([*worker.out.values(), *worker.again])
        return lost

    def _end(self) -> None:
        """Ask all workers to exit, and kill those that don't."""
        for worker in self._workers:
            worker.finish.value = 1
            if self._stop.at_once:
                worker.process.kill()
            worker.pipe.close()
        until = time.monotonic() + HURRY_S
        for worker in self._workers:
            worker.process.join(max(0.0, until - time.monotonic()))
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
        kill_marked(self._token + "/")  # workers clean up by themselves; this is for those that couldn't
        remove_groups(self._token + "/")
        for worker in self._workers:
            with contextlib.suppress(ValueError):  # its exit was not reported to us
                worker.process.close()
        self._workers.clear()


def _started(loads: str = "") -> _Started:
    """Start a worker process, which loads a module and waits for its orders. Raises OSError."""
    context = multiprocess.get_context("spawn")
    with contextlib.ExitStack() as undo:
        here, there = context.Pipe()
        undo.callback(here.close)
        with there:
            current, finish = context.RawValue("q", NO_TICKET), context.RawValue("b", 0)
            process = context.Process(target=work_through, args=(os.getpid(), loads, there, current, finish))
            # The worker unblocks the runner's signals when it has set its handlers.
            with uninterrupted_start(multiprocess.resource_tracker, RUNNERS_SIGNALS):
                process.start()
        undo.pop_all()
    return _Started(process, here, current, finish)


_AHEAD: list[_Started] = []


def start_ahead(loads: str) -> None:
    """Start the first worker of this process's first run now, so that it loads a module while the runner loads its own.

    It is killed at exit if no run has taken it. What the machine refuses now, it refuses again when a run starts.
    """
    with contextlib.suppress(OSError):
        _AHEAD.append(_started(loads))
        atexit.register(_end_ahead)


def _end_ahead() -> None:
    while _AHEAD:
        started = _AHEAD.pop()
        started.process.kill()
        started.process.join()


def _refused(error: OSError) -> base.WorkersFail:
    refused = refusal(error)
    said = in_words(error) if refused is None else refused.what
    remedy = "try fewer workers; `arena doctor` checks the machine" if refused is None else refused.remedy
    return base.WorkersRefused(f"the machine refuses to start workers: {said}", remedy)


class ProcessSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """`[executors.processes]`: worker processes on this machine.

    Keys:
        pin: bind each worker and its bots to one core
    """

    pin: bool = True


EXECUTOR = base.ExecutorKind(
    "processes", ProcessSettings, lambda settings, workers: ProcessExecutor(workers, pin=settings.pin)
)
