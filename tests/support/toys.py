"""Work for executors that needs no game and no bot: what a ticket says is done."""

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena.sandbox.bot_program import TOKEN_VARIABLE

SLEEPER = "import time; time.sleep(600)"
DAEMON = """
import os, time
if os.fork():
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
time.sleep(600)
"""


@dataclass(frozen=True)
class Do:
    """A ticket: what to do, and with what."""

    number: int
    what: str = "count"
    argument: Any = None


@dataclass(frozen=True)
class Done:
    """A result: which ticket, by which process, on which worker."""

    number: int
    pid: int
    worker: str
    payload: Any = None


@dataclass(frozen=True)
class Toy:
    """A `Work` that needs no preparation. `opening` is what happens at the beginning of every worker."""

    opening: str = ""
    folder: Path | None = None

    def prepare(self) -> "Toy":
        return self

    def open(self, worker: str, token: str, *, own_process: bool) -> "ToyPlaying":
        if self.opening == "raise":
            raise RuntimeError("no beginning")
        if self.opening == "full":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/somewhere")
        if self.opening == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        return ToyPlaying(worker, token, own_process, self.folder)


@dataclass
class ToyPlaying:
    """A `Playing`."""

    worker: str
    token: str
    own_process: bool
    folder: Path | None
    children: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    def expect(self, tickets: Sequence[Do]) -> None:
        """Prepare nothing."""

    def play(self, do: Do) -> Done:
        return Done(do.number, os.getpid(), self.worker, getattr(self, f"_{do.what}")(do.argument))

    def close(self) -> None:
        if self.folder:
            (self.folder / f"closed-{os.getpid()}").touch()
        for child in self.children:
            child.kill()
            child.wait()

    def _token(self, _: Any) -> str:
        return self.token

    def _cores(self, _: Any) -> set[int]:
        return os.sched_getaffinity(0)

    def _count(self, argument: Any) -> Any:
        return argument

    def _sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    def _fat(self, size: int) -> bytes:
        return bytes(size)

    def _raise(self, text: str) -> None:
        raise RuntimeError(text)

    def _die(self, number: int) -> None:
        os.kill(os.getpid(), number)
        time.sleep(600)

    def _unpicklable(self, _: Any) -> Any:
        return lambda: None

    def _child(self, program: str) -> int:
        """Start a child that bears the token, as bots do."""
        child = subprocess.Popen(
            [sys.executable, "-S", "-c", program],
            env={TOKEN_VARIABLE: f"{self.token}/{len(self.children)}"},
            stdin=subprocess.DEVNULL,
        )
        self.children.append(child)
        if program == DAEMON:
            child.wait()
        return child.pid

    def _note(self, argument: Any) -> Any:
        """Say in a file that this was reached."""
        if self.folder:
            (self.folder / str(argument)).write_text(str(os.getpid()))
        return argument


class Source:
    """A `TicketSource` over a list that can grow."""

    def __init__(self, tickets: Iterable[Any]) -> None:
        self.tickets = list(tickets)
        self.asked: list[int] = []

    def take(self, most: int, worker_no: int) -> list[Any]:  # noqa: ARG002 - they may be played anywhere
        self.asked.append(most)
        taken, self.tickets = self.tickets[:most], self.tickets[most:]
        return taken
