"""The pipes to one bot process: bounded buffers over non-blocking descriptors.

Uses raw descriptors and poll, without threads or file objects. The waiting is done in `exchange`.
"""

import array
import fcntl
import os
import select
import termios
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from arena.players.base import PlayerLog
from arena.sandbox.deadlock import Standstill
from protocol.messages import LINE_BYTES

HEAD_BYTES = 16_384
TAIL_BYTES = 49_152


class LogBuffer:
    """Keeps the first and the last bytes of a stream, within fixed limits, and counts the dropped ones between."""

    __slots__ = ("_dropped_bytes", "_head", "_tail")

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._dropped_bytes = 0

    def write(self, data: bytes) -> None:
        """Add data to the log."""
        room = HEAD_BYTES - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if data:
            self._tail += data
            excess = len(self._tail) - TAIL_BYTES
            if excess > 0:
                del self._tail[:excess]
                self._dropped_bytes += excess

    @property
    def head(self) -> bytes:
        """The first bytes of the log, at most `HEAD_BYTES`."""
        return bytes(self._head)

    def take(self) -> PlayerLog:
        """Return the log and start a new one."""
        log = PlayerLog(bytes(self._head), bytes(self._tail), self._dropped_bytes)
        self._head.clear()
        self._tail.clear()
        self._dropped_bytes = 0
        return log


READ_BYTES = 65_536
_DRAIN_READS = 16
"""Maximum number of reads in one drain: more than a pipe holds, but bounded if a bot keeps writing."""


class Tap:
    """Sees all messages to and from a bot, for tools of authors, not for leagues. Be quick: the bot's clock runs."""

    def sends(self, line: bytes, limit_ns: int) -> bytes:  # noqa: ARG002 - for others
        """Note a message that is about to be sent, newline included; return what to send instead.

        The bot may take `limit_ns` for its answer; 0 if there is none.
        """
        return line

    def sent(self, data: bytes) -> None:
        """See what Arena has written to the bot."""

    def wrote(self, data: bytes) -> None:
        """See what the bot has written to its standard output."""

    def logged(self, data: bytes) -> None:
        """See what the bot has written to its standard error."""

    def looks(self) -> None:
        """See that the bot has not answered yet. Called from time to time during a wait."""

    def stalls(self, why: Standstill) -> None:
        """See that the bot can't answer any more."""


@dataclass(slots=True)
class Channel:
    """Descriptors and buffers of one bot process. The owner closes it."""

    stdin: int
    stdout: int
    stderr: int
    line_bytes: int = LINE_BYTES
    """Maximum length of a line in both directions, including the newline."""
    clock_ns: Callable[[], int] = time.monotonic_ns
    log: LogBuffer = field(default_factory=LogBuffer)
    inbox: bytearray = field(default_factory=bytearray)
    """Bytes read but not yet processed; at most a line and a read."""
    read_bytes: int = 0
    """Number of bytes read from standard output since the game began."""
    stdin_ended: bool = False
    """The bot can't be sent anything more: it has closed its input, or a line was left half written."""
    stdout_ended: bool = False
    stderr_ended: bool = False
    tap: Tap | None = None
    _poll: select.poll = field(default_factory=select.poll)
    waits: Callable[[float], list[tuple[int, int]]] = field(init=False)
    """Waits up to the given milliseconds for output or log; returns (descriptor, poll flags) of the ready ones."""

    def __post_init__(self) -> None:
        for descriptor in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(descriptor, False)
        self._poll.register(self.stdout, select.POLLIN)
        self._poll.register(self.stderr, select.POLLIN)
        self.waits = self._poll.poll

    @property
    def is_usable(self) -> bool:
        """Whether both directions still work."""
        return not (self.stdin_ended or self.stdout_ended)

    def close(self) -> None:
        """Drain the log, then close all descriptors. May be called twice."""
        self.drain_log()
        self.close_stdin()
        for descriptor in (self.stdout, self.stderr):
            if descriptor >= 0:
                os.close(descriptor)
        self.stdout = self.stderr = -1
        self.stdout_ended = self.stderr_ended = True

    def close_stdin(self) -> None:
        """Close the bot's standard input, so that it reads end of file."""
        if self.stdin >= 0:
            os.close(self.stdin)
            self.stdin = -1
        self.stdin_ended = True

    def drain_log(self) -> None:
        """Read what is in the log's pipe now, at most 1 MiB."""
        for _ in range(_DRAIN_READS):
            if self.stderr_ended or not self.read_log():
                return

    def read_log(self) -> bool:
        """Read once from standard error into the log; return whether there was anything to read."""
        data = self._read(self.stderr)
        if not data:
            self.stderr_ended = data is not None
            return False
        self.log.write(data)
        if self.tap is not None:
            self.tap.logged(data)
        return True

    def read_output(self) -> bool:
        """Read once from standard output into the inbox; return whether there was anything to read."""
        data = self._read(self.stdout)
        if not data:
            self.stdout_ended = data is not None
            return False
        self.inbox += data
        self.read_bytes += len(data)
        if self.tap is not None:
            self.tap.wrote(data)
        return True

    def _read(self, descriptor: int) -> bytes | None:
        """Read once; return None if nothing has come. At the end, which is empty, stop waiting for the descriptor."""
        try:
            data = os.read(descriptor, READ_BYTES)
        except BlockingIOError:
            return None
        except OSError:
            data = b""
        if not data:
            self._poll.unregister(descriptor)
        return data

    def unread_bytes(self) -> int:
        """Return how much of what was written to the bot it hasn't read yet."""
        return _lying_in(self.stdin)

    def came_bytes(self) -> int:
        """Return how much of the bot's output hasn't been read yet."""
        return _lying_in(self.stdout)

    def take_line(self) -> bytes | None:
        """Return the next complete line without its newline, or None."""
        end = self.inbox.find(b"\n")
        if end < 0:
            return None
        line = bytes(self.inbox[:end])
        del self.inbox[: end + 1]
        return line

    @property
    def is_overlong(self) -> bool:
        """Whether the next line is longer than allowed, complete or not."""
        return len(self.inbox) >= self.line_bytes and self.inbox.find(b"\n", 0, self.line_bytes) < 0


def _lying_in(pipe: int) -> int:
    found = array.array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, found)
    return found[0]
