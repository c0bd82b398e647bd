"""A program that knows the rules of a game: one process, asked line by line in Arena's sandbox.

Whatever it does wrong ends as RulesFailed, within a time limit and with a sentence: it dies, never answers, writes
without end, or answers something else. Its next request starts it again; after three failures in a row it rests.
"""

import os
import re
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any

import msgspec

from arena.core.errors import ArenaError, UsageError
from arena.players.process import BotProcess
from arena.sandbox.account_slots import Slots
from arena.sandbox.bot_program import MIB, Bounds, Program, refuse_unknown_program
from arena.sandbox.confinement import choose
from arena.sandbox.run_folder import RunFolder
from arena.sandbox.runtimes import ProgramMissing, Runtimes, private_places
from arena.sandbox.start import CannotStart
from arena.sandbox.survivors import spare

START_S = 30.0
ANSWER_S = 20.0
"""How long an answer may take. The clock of the machine counts, which others may be using."""
LINE_BYTES = MIB
MOST_FAILURES = 3
REST_S = 60.0
"""After three failures in a row, the program isn't started for so long."""
BOUNDS = Bounds(memory_bytes=512 * MIB)
_WAIT_MS = 1000
_WRITING_MS = 5
_LOG_CHARS = 300
_ASIDE = "; print notes for yourself to standard error, as with console.error in JavaScript"
_PLACE = re.compile(r"""([\w.-]+\.\w+)(?:", line |:)(\d+)""")
"""A file and a line, as tracebacks of Python, JavaScript, C, Rust and Go write them."""

_encode = msgspec.json.Encoder().encode


class RulesFailed(ArenaError):
    """The program with the rules of a game did something wrong. The game is at fault, never a bot."""

    remedy = "correct the rules' program: `python -m arena_conformance` plays it without bots"


class RulesProcess:
    """Asks one program. Starts it at the first request, in each process of Arena's and each thread's turn by turn."""

    def __init__(self, folder: Path, command: tuple[str, ...], name: str, version: int) -> None:
        """`folder` has its files; it has to say that it knows this game in this version."""
        self._program = Program(folder, command)
        self._name, self._version = name, version
        self._owner = 0
        self._forget()

    def _forget(self) -> None:
        """Begin anew in this process of Arena's: a program that was started before a fork belongs to another."""
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._process: BotProcess | None = None
        self._folder: RunFolder | None = None
        self._number = 0
        self._failures = 0
        self._rests_until_s = 0.0
        self._why = ""

    def ask(
        self, do: str, answer: type[Any], wrong: Callable[[Any], str] = lambda _: "", **fields: Any
    ) -> Any:
        """Return the program's answer to a request, of that type. Raises RulesFailed, or OSError of the machine.

        `wrong` says what else is wrong with an answer; nothing if it is empty.
        """
        if self._owner != os.getpid():
            self._forget()
        with self._lock:
            if time.monotonic() < self._rests_until_s:
                raise RulesFailed(f"{self._why}; it rests for {REST_S:.0f} s after {self._failures} failures")
            try:
                if self._process is None:
                    self._start()
                found = self._request(do, answer, fields, ANSWER_S)
                if what := wrong(found):
                    raise RulesFailed(f"the rules of {self._name}, asked for {do!r}, answered with {what}")
            except RulesFailed as error:
                self._why = str(error)
                self._failures += 1
                if self._failures >= MOST_FAILURES:
                    self._rests_until_s = time.monotonic() + REST_S
                self._end()
                raise
            self._failures = 0
            return found

    def _start(self) -> None:
        if self._folder is None:
            self._token = secrets.token_hex(8)
            self._folder = RunFolder(self._token)
            self._confinement, _ = choose("auto", BOUNDS, private_places())
            tools = self._confinement.tools
            self._slots = Slots(distinct=tools is not None and tools.as_root)
            Finalize(self, self._close, exitpriority=10)
        self._refuse_unknown(self._confinement.runtimes)
        name = secrets.token_hex(8)
        try:
            self._process = BotProcess(
                self._program,
                self._folder.path / name,
                f"{self._token}/{name}",
                None,
                self._confinement,
                self._slots,
            )
        except CannotStart as error:
            raise RulesFailed(f"the rules of {self._name} can't be started: {error}") from None
        spare(self._process.pid)
        self._process.channel.line_bytes = LINE_BYTES
        self._number = 0
        hello = self._request("hello", Hello, {"rules": 1}, START_S)
        if (hello.game, hello.version) != (self._name, self._version):
            raise RulesFailed(
                f"the rules of {self._name}, version {self._version}, say that they are those of {hello.game!r:.80}, "
                f"version {hello.version}"
            )

    def _refuse_unknown(self, runtimes: Runtimes) -> None:
        """Raise RulesFailed if this machine lacks the program."""
        who = f"the rules of {self._name} can't be started"
        try:
            refuse_unknown_program(self._program, runtimes, who)
        except ProgramMissing:
            raise RulesFailed(f"{who}: {self._program.command[0]!r} is not installed here") from None
        except UsageError as error:
            raise RulesFailed(str(error)) from None

    def _request(self, do: str, answer: type[Any], fields: Mapping[str, Any], limit_s: float) -> Any:
        process, self._number = self._process, self._number + 1
        assert process is not None  # noqa: S101 - it was started before
        channel, what = process.channel, f"the rules of {self._name}, asked for {do!r},"
        for descriptor, _ in channel.waits(0):
            _ = channel.read_output() if descriptor == channel.stdout else channel.read_log()
        if channel.inbox:
            raise RulesFailed(
                f"the rules of {self._name} wrote without being asked: {_shown(channel.inbox)}{_ASIDE}"
            )
        unsent = memoryview(_encode({"id": self._number, "do": do, **fields}) + b"\n")
        until_s = time.monotonic() + limit_s
        while (line := channel.take_line()) is None:
            if unsent:
                try:
                    unsent = unsent[os.write(channel.stdin, unsent) :]
                except BlockingIOError:
                    pass
                except OSError:
                    raise self._ended(what) from None
            left_ms = 1000 * (until_s - time.monotonic())
            if left_ms <= 0:
                raise RulesFailed(f"{what} did not answer within {limit_s:.0f} s{self._log()}")
            for descriptor, _ in channel.waits(min(left_ms, _WRITING_MS if unsent else _WAIT_MS)):
                _ = channel.read_output() if descriptor == channel.stdout else channel.read_log()
            if len(channel.inbox) > LINE_BYTES and b"\n" not in channel.inbox[:LINE_BYTES]:
                raise RulesFailed(f"{what} wrote a line of more than {LINE_BYTES:,} bytes")
            if channel.stdout_ended and b"\n" not in channel.inbox:
                raise self._ended(what)
        try:
            found = msgspec.json.decode(line, type=answer)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            aside = "" if line.lstrip().startswith(b"{") else _ASIDE
            raise RulesFailed(f"{what} answered wrongly: {error}: {_shown(line)}{aside}") from None
        if channel.inbox:
            raise RulesFailed(f"{what} wrote another line after its answer: {_shown(channel.inbox)}{_ASIDE}")
        if found.id != self._number:
            raise RulesFailed(f"{what} answered request {found.id} instead of {self._number}")
        return found

    def _ended(self, what: str) -> RulesFailed:
        assert self._process is not None  # noqa: S101 - it was started before
        self._process.raise_if_ended_from_outside()
        how, _ = self._process.ending("standard output")
        return RulesFailed(f"{what} {how}{self._log()}")

    def _log(self) -> str:
        """Return a telling line of what the program wrote to its standard error, for a message."""
        assert self._process is not None  # noqa: S101 - it was started before
        self._process.channel.drain_log()
        log = self._process.channel.log.take()
        lines = [
            " ".join(line.split()) for line in (log.head + log.tail).decode(errors="replace").splitlines()
        ]
        telling = [line for line in lines if "rror" in line] or [line for line in lines if line]
        files = {path.name for path in self._program.folder.iterdir()}
        places = [found for line in lines for found in _PLACE.findall(line) if found[0] in files]
        # Python tells the innermost call last, the others first; most name the program's own files only.
        file, number = places[-1 if "Traceback" in " ".join(lines) else 0] if places else ("", "")
        where = f" ({file}, line {number})" if places else ""
        return f"; it wrote: {telling[-1][:_LOG_CHARS]}{where}" if telling else ""

    def _end(self) -> None:
        """Kill the program."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            spare(process.pid, anymore=True)

    def _close(self) -> None:
        """Kill the program and remove its folder, at the end of this process of Arena's."""
        if self._owner == os.getpid():
            self._end()
            self._slots.close()
            if self._folder is not None:
                self._folder.remove()


class Hello(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a program says first."""

    id: int
    game: str
    version: int


def _shown(data: bytes | bytearray) -> str:
    return repr(bytes(data[:80]).decode(errors="replace"))
