"""Plays tickets in worker processes, one per core, one game at a time in each.

Every worker has a pipe of its own and a sentinel; the runner waits on both, so a
worker that is killed is noticed at once, its game counted against the platform,
the rest of its tickets dealt again, and another worker started in its place.
"""

import os
import pickle
import secrets
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import multiprocess
import multiprocess.connection

from arena.executors.base import Lost, Stop, TicketSource, Work
from arena.executors.worker import CHUNK_S, NO_TICKET, work_through
from arena.sandbox.guardian import Guardian
from arena.sandbox.survivors import kill_marked

UNIT_TICKETS = 16
"""Tickets dealt to a worker at a time: enough that it need not wait, few enough to share out the last ones."""
UNITS_AHEAD = 2
"""Units that a worker has at most, the one being played included."""
HURRY_S = 2.0
"""How long workers may take to leave once asked to."""


@dataclass(slots=True)
class _Worker:
    """One worker process as the runner sees it."""

    name: str
    process: Any
    pipe: Any
    current: Any
    """Shared number of the ticket being played, or NO_TICKET."""
    finish: Any
    """Shared flag: stop after the game being played."""
    token: str
    units: deque[int] = field(default_factory=deque)
    """How many tickets of each unit dealt are still out."""
    out: dict[int, Any] = field(default_factory=dict)
    """Tickets dealt and not come back, by number, in the order dealt."""


class ProcessExecutor:
    """Plays tickets in `workers` processes. An `Executor`."""

    def __init__(self, workers: int, *, pin: bool = True) -> None:
        """Prepare; `pin` binds each worker and its bots to one core."""
        self._count = workers
        self._pin = pin
        self._context = multiprocess.get_context("spawn")

    def run(self, work: Work, source: TicketSource, stop: Stop) -> Iterator[list[Any]]:
        """Yield chunks of results; a `Lost` stands for a game whose worker died."""
        with TemporaryDirectory(prefix="arena-run-") as folder:
            token = secrets.token_hex(8)
            with Guardian(token, Path(folder)):
                yield from _Run(self, work, source, stop, token, Path(folder)).run()


class _Run:
    """One run of the executor."""

    def __init__(
        self,
        executor: ProcessExecutor,
        work: Work,
        source: TicketSource,
        stop: Stop,
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
        self._again: deque[Any] = deque()
        """Tickets of a dead worker that it had not begun."""
        self._numbers = 0
        self._started = 0

    def run(self) -> Iterator[list[Any]]:
        try:
            first = self._take(UNIT_TICKETS)
            if not first:
                return
            self._again.extend(first)
            for _ in range(self._executor._count):
                self._workers.append(self._start())
            while True:
                self._deal()
                if not any(worker.out for worker in self._workers):
                    return
                yield from self._wait()
                if self._stop.at_once:
                    return
        finally:
            self._end()

    def _start(self) -> _Worker:
        number = self._started
        self._started += 1
        name = f"{os.uname().nodename}/{number % self._executor._count}"
        here, there = self._executor._context.Pipe()
        current = self._executor._context.RawValue("q", NO_TICKET)
        finish = self._executor._context.RawValue("b", 0)
        token = f"{self._token}/{number}"
        cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
        core = cores[number % len(cores)] if cores and self._executor._pin else None
        process = self._executor._context.Process(
            target=work_through,
            args=(self._work, there, current, finish, name, token, str(self._folder), core, os.getpid()),
            daemon=False,
        )
        process.start()
        there.close()
        return _Worker(name, process, here, current, finish, token)

    def _take(self, most: int) -> list[Any]:
        """Return tickets to be dealt: those of dead workers first."""
        if self._stop.after_game or self._stop.at_once:
            return []
        tickets = [self._again.popleft() for _ in range(min(most, len(self._again)))]
        return tickets or self._source.take(most)

    def _deal(self) -> None:
        """Give every worker that has room a unit of tickets, the emptiest first."""
        if self._stop.after_game:
            for worker in self._workers:
                worker.finish.value = 1
        for ahead in range(UNITS_AHEAD):
            for worker in self._workers:
                if len(worker.units) > ahead:
                    continue
                tickets = self._take(UNIT_TICKETS)
                if not tickets:
                    return
                numbered = []
                for ticket in tickets:
                    worker.out[self._numbers] = ticket
                    numbered.append((self._numbers, ticket))
                    self._numbers += 1
                worker.units.append(len(numbered))
                try:
                    worker.pipe.send_bytes(pickle.dumps(numbered))
                except OSError:
                    pass  # it died; its sentinel tells

    def _wait(self) -> Iterator[list[Any]]:
        """Wait for a worker to send or to die; yield what came, or an empty chunk after a while."""
        ends = {worker.pipe: worker for worker in self._workers}
        ends |= {worker.process.sentinel: worker for worker in self._workers}
        ready = multiprocess.connection.wait(list(ends), timeout=CHUNK_S)
        if not ready:
            yield []
        for worker in {id(ends[end]): ends[end] for end in ready}.values():
            dead = not worker.process.is_alive()
            while (chunk := self._receive(worker)) is not None:
                yield chunk
                if not dead and not worker.pipe.poll():
                    break
            if dead:
                yield self._bury(worker)

    def _receive(self, worker: _Worker) -> list[Any] | None:
        """Return a chunk of results a worker sent, or None when there is none or it is dead."""
        try:
            if not worker.pipe.poll():
                return None
            numbered = pickle.loads(worker.pipe.recv_bytes())  # noqa: S301 - from our own worker process
        except (EOFError, OSError):
            return None
        results = []
        for number, result in numbered:
            if number in worker.out:
                del worker.out[number]
                worker.units[0] -= 1
                if worker.units[0] == 0:
                    worker.units.popleft()
            if result is not None:  # None: handed back unplayed, as the run is ending
                results.append(result)
        return results

    def _bury(self, worker: _Worker) -> list[Any]:
        """Clear up after a dead worker, start another; return the game it was playing as lost."""
        worker.process.join()
        worker.pipe.close()
        kill_marked(worker.token + "/")
        code = worker.process.exitcode
        lost = []
        playing = worker.out.pop(worker.current.value, None)
        if playing is not None:
            lost.append(Lost(playing, worker.name, f"the worker ended with code {code} in this game"))
        self._again.extend(worker.out.values())
        place = self._workers.index(worker)
        if self._stop.after_game or self._stop.at_once:
            del self._workers[place]
        else:
            self._workers[place] = self._start()
        return lost

    def _end(self) -> None:
        """Have all workers leave; whoever does not is killed."""
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
        if self._stop.at_once or any(worker.process.exitcode for worker in self._workers):
            kill_marked(self._token)


EXECUTOR = ProcessExecutor
