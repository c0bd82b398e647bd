"""The life of one worker process: takes tickets from its pipe, plays them, sends results in chunks."""

import gc
import os
import pickle
import secrets
import signal
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from threading import Event, Lock, Thread
from types import FrameType
from typing import Any

from msgspec import Struct

from arena.core.errors import ArenaError
from arena.executors import base
from arena.sandbox.cgroups import remove_groups
from arena.sandbox.machine_shortage import refusal
from arena.sandbox.run_folder import Guardian, RunFolder
from arena.sandbox.survivors import become_subreaper, die_with_parent, kill_marked

CHUNK_GAMES = 32
CHUNK_S = 0.5
"""Results are sent, and then written to the ledger, after at most this many games or seconds."""
NO_TICKET = -1
RUNNERS_SIGNALS = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
"""Signals that a terminal or a service manager sends to all processes of a run. Only the runner acts on them."""


class Orders(Struct, frozen=True):
    """What a worker gets before its first ticket."""

    packed_work: bytes
    name: str
    token: str
    folder: str
    """The folder for its temporary files."""
    core: int | None
    """The core to run on; None for any."""


class CannotBegin(Struct, frozen=True):
    """Sent instead of results by a worker that can't begin its work; says why."""

    message: str
    hint: str
    is_refused: bool = False
    """Whether the machine has refused a resource."""


class Outbox:
    """Results waiting to be sent to the runner. They are sent in chunks, or by a thread if a game takes long."""

    def __init__(self, pipe: Any) -> None:
        self._pipe = pipe
        self._results: list[tuple[int, bytes]] = []
        self._lock = Lock()
        self._filled = Event()
        self.is_closed = False
        """Whether the runner has closed the pipe."""

    def begin(self) -> None:
        """Start the thread that sends late results. Raises RuntimeError if the machine refuses a thread."""
        Thread(target=self._send_late, daemon=True).start()

    def put(self, number: int, result: Any) -> None:
        """Add a result; it is sent with others, at most `CHUNK_S` later. Raises what pickling it raises."""
        packed = pickle.dumps(result)
        with self._lock:
            self._results.append((number, packed))
            full = len(self._results) >= CHUNK_GAMES
        if full:
            self.send()
        else:
            self._filled.set()

    def send(self) -> None:
        """Send all waiting results."""
        with self._lock:
            if self._results:
                chunk, self._results = self._results, []
                self._send(chunk)

    def tell(self, message: CannotBegin) -> None:
        """Send a message instead of results."""
        with self._lock:
            self._send(message)

    def _send(self, message: Any) -> None:
        try:
            self._pipe.send_bytes(pickle.dumps(message))
        except OSError:
            self.is_closed = True

    def _send_late(self) -> None:
        while True:
            self._filled.wait()
            self._filled.clear()
            time.sleep(CHUNK_S)
            self.send()


def work_through(runner_pid: int, loads: str, pipe: Any, current: Any, finish: Any) -> None:
    """Run a worker until the pipe closes. Its orders are the first message.

    `loads` is a module to load before they come; empty for none. `current` is the shared number of the ticket being
    played; `finish` is a shared flag to stop after the current game.
    """
    for number in RUNNERS_SIGNALS:
        signal.signal(number, _leave_it_to_the_runner)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, RUNNERS_SIGNALS)
    die_with_parent(runner_pid)
    become_subreaper()
    if loads:
        import_module(loads)
    try:
        orders: Orders = pickle.loads(pipe.recv_bytes())  # noqa: S301 - from our own runner
    except (EOFError, OSError):
        return
    tempfile.tempdir = orders.folder
    outbox = Outbox(pipe)
    try:
        if orders.core is not None:
            os.sched_setaffinity(0, {orders.core})
        outbox.begin()
        work: base.PreparedWork = pickle.loads(orders.packed_work)  # noqa: S301 - from our own runner
        playing = work.open(orders.name, orders.token, own_process=True)
    except ArenaError as error:
        outbox.tell(CannotBegin(str(error), error.hint))
        return
    except Exception as error:  # noqa: BLE001 - report any error to the runner, as the next worker would fail, too
        if refused := refusal(error):
            outbox.tell(CannotBegin(refused.what, refused.remedy, is_refused=True))
        else:
            outbox.tell(CannotBegin(traceback.format_exc(), ""))
        return
    try:
        _loop(playing, orders.name, pipe, outbox, current, finish)
    finally:
        playing.close()
        gc.freeze()  # nobody needs the garbage of all modules collected at the end


def _leave_it_to_the_runner(_number: int, _frame: FrameType | None) -> None:
    """Do nothing. Used instead of SIG_IGN, which bots would inherit."""


def _loop(playing: base.Playing, name: str, pipe: Any, outbox: Outbox, current: Any, finish: Any) -> None:
    while not outbox.is_closed:
        try:
            numbered = pickle.loads(pipe.recv_bytes())  # noqa: S301 - from our own runner
        except (EOFError, OSError):
            return
        if not finish.value:
            playing.expect([ticket for _, ticket in numbered])
        for number, ticket in numbered:
            if finish.value:
                outbox.put(number, None)
                continue
            current.value = number
            try:
                outbox.put(number, playing.play(ticket))
            except Exception:  # noqa: BLE001 - recorded in the ledger
                outbox.put(number, base.Lost(ticket, name, f"the worker failed: {traceback.format_exc()}"))
                outbox.send()
                return  # its state is unknown, so let another worker take its number
            current.value = NO_TICKET
            if outbox.is_closed:
                return
        outbox.send()


class SerialExecutor:
    """For tests, and for debugging a game. An `Executor`; exceptions of a game pass through it."""

    plays_here = True

    def run(
        self, work: base.Work, source: base.TicketSource, stop: base.Stop, held: Sequence[int] = ()
    ) -> Iterator[list[Any]]:
        """Yield one result at a time."""
        prepared = work.prepare()
        token = secrets.token_hex(8)
        with RunFolder(token) as folder, Guardian(token, folder.path, (folder.lock, *held)):
            try:
                playing = _open(prepared, token, folder.path)
                try:
                    while not (stop.after_game or stop.at_once) and (tickets := source.take(1, worker_no=0)):
                        yield [playing.play(tickets[0])]
                finally:
                    playing.close()
            finally:
                kill_marked(token)
                remove_groups(token)
                folder.remove()


def _open(work: base.PreparedWork, token: str, folder: Path) -> base.Playing:
    """Begin work with its temporary files below a folder, as in a worker."""
    before = tempfile.tempdir
    tempfile.tempdir = str(folder)
    try:
        return work.open("local", token, own_process=False)
    finally:
        tempfile.tempdir = before


EXECUTOR = base.ExecutorKind("serial", base.NoSettings, lambda _settings, _workers: SerialExecutor())
