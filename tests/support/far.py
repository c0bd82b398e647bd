"""An executor whose workers might as well be other machines.

Each is a fresh `python -I` in a clean environment, with a current folder, HOME and TMPDIR of its own, and without the
runner's store, which bubblewrap hides from it where that is installed. All it gets is bytes over a pipe.
"""

import os
import select
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

from arena.core.errors import ArenaError
from arena.executors.base import Lost, PortableWork, Stop, TicketSource, WorkersFail
from tests.support.far_host import Pipes

SCRIPT = Path(__file__).with_name("far_host.py")
BWRAP = shutil.which("bwrap")


class FarHost:
    """One such machine."""

    def __init__(
        self, worker_no: int, folder: Path, store_folder: Path, hidden: Sequence[Path], *, hides: bool
    ) -> None:
        self.worker_no = worker_no
        self.folder = folder
        for name in ("tmp", "home", "here"):
            (self.folder / name).mkdir(parents=True)
        around: list[str] = []
        if BWRAP and hides:
            around = [BWRAP, "--dev-bind", "/", "/", "--cap-add", "ALL"]
            around += ["--die-with-parent", "--tmpfs", str(store_folder)]
            for place in hidden:
                around += ["--ro-bind", "/dev/null", str(place)]
            around += ["--"]
        self.process = subprocess.Popen(
            [*around, sys.executable, "-I", str(SCRIPT), str(store_folder)],
            cwd=self.folder / "here",
            env={
                "PATH": os.defpath,
                "HOME": str(self.folder / "home"),
                "TMPDIR": str(self.folder / "tmp"),
                "LANG": "C.UTF-8",
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.pipes = Pipes(self.process.stdout, self.process.stdin)
        self.is_ready = False
        self.ticket: Any = None

    def end(self) -> str:
        """Take the machine down, or find it down; return what it said."""
        assert self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(20)
        self.process.kill()
        assert self.process.stderr is not None
        said = self.process.stderr.read().decode()
        self.process.wait()
        return said


class FarExecutor:
    """Plays tickets on such machines. An `Executor`."""

    plays_here = False

    def __init__(
        self,
        machines: int,
        folder: Path,
        store_folder: Path,
        hidden: Sequence[Path] = (),
        *,
        hides: bool = True,
        lost_at: Sequence[int] = (),
    ) -> None:
        """`folder` is for those of the machines, and not below the store's.

        `hidden` are files that the machines lack; `hides`: whether the store's folder is hidden from them;
        `lost_at`: the tickets, counted from 1 as they are dealt, with which their machine is taken down.
        """
        self.hosts: list[FarHost] = []
        self.fetched: Counter[str] = Counter()
        """How often each version was asked for."""
        self.levels: set[str] = set()
        """The levels of isolation that the machines have found."""
        self.said: list[str] = []
        self._machines = machines
        self._folder = folder
        self._numbers = count()
        self._dealt = count(1)
        self._lost_at = lost_at
        self._made = store_folder, hidden, hides

    def run(
        self, work: PortableWork, source: TicketSource, stop: Stop, held: Sequence[int] = ()
    ) -> Iterator[list[Any]]:
        """Yield the results as they come."""
        assert held, "a league is locked"
        for worker_no in range(self._machines):
            self.hosts.append(self._begun(worker_no, work))
        try:
            while True:
                for host in self.hosts:
                    self._deal(host, work, source, stop)
                if all(host.is_ready and host.ticket is None for host in self.hosts) or stop.at_once:
                    return
                yield self._heard(work)
        finally:
            self.said += [host.end() for host in self.hosts]
            self.hosts.clear()

    def _begun(self, worker_no: int, work: PortableWork) -> FarHost:
        store_folder, hidden, hides = self._made
        folder = self._folder / str(next(self._numbers))
        host = FarHost(worker_no, folder, store_folder, hidden, hides=hides)
        host.pipes.send("work", work.pack())
        return host

    def _deal(self, host: FarHost, work: PortableWork, source: TicketSource, stop: Stop) -> None:
        if host.is_ready and host.ticket is None and not stop.after_game:
            tickets = source.take(1, worker_no=host.worker_no)
            if tickets:
                host.ticket = tickets[0]
                with suppress(OSError):  # it is gone: its pipe tells
                    host.pipes.send("ticket", work.pack_tickets(tickets))
                if next(self._dealt) in self._lost_at:
                    time.sleep(0.05)  # the game, of which each move takes 5 ms, has begun and isn't over
                    host.process.kill()

    def _heard(self, work: PortableWork) -> list[Any]:
        results: list[Any] = []
        ready, _, _ = select.select([host.pipes.reading for host in self.hosts], [], [], 0.5)
        for number, host in enumerate(self.hosts):
            if host.pipes.reading not in ready:
                continue
            try:
                word, content = host.pipes.receive()
            except EOFError:
                self.said.append(host.end())
                if not host.is_ready:
                    raise WorkersFail(f"a machine ended before it was ready: {self.said[-1]}") from None
                if host.ticket is not None:
                    results.append(Lost(host.ticket, f"far/{host.worker_no}", "the machine was lost"))
                self.hosts[number] = self._begun(host.worker_no, work)
                continue
            if word == "fetch":
                self.fetched[content] += 1
                try:
                    host.pipes.send("version", work.version(content))
                except ArenaError:
                    host.pipes.send("version", None)
            elif word == "ready":
                host.is_ready = True
                self.levels.add(content)
            elif word == "refused":
                raise WorkersFail(f"a machine refuses: {content}")
            else:
                results += work.unpack_results(content)
                host.ticket = None
        return results
