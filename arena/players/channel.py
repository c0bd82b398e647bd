"""The pipes to one bot process: bounded buffers over non-blocking descriptors.

Raw descriptors and poll: no threads, no file objects. What waits on them is in `exchange`.
"""

import os
import select
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from arena.players.log import LogBuffer
from protocol.limits import LINE_BYTES

READ_BYTES = 65_536
_DRAIN_READS = 16
"""Reads of the log at a time when nobody waits: more than a pipe holds, and an end for a bot that goes on writing."""


@dataclass(slots=True)
class Channel:
    """Descriptors and buffers of one bot process. The owner closes it."""

    stdin: int
    stdout: int
    stderr: int
    line_bytes: int = LINE_BYTES
    """Longest line in both directions, newline included."""
    clock_ns: Callable[[], int] = time.monotonic_ns
    log: LogBuffer = field(default_factory=LogBuffer)
    inbox: bytearray = field(default_factory=bytearray)
    """What was read and not taken yet; at most a line and a read."""
    read_bytes: int = 0
    """All that was read from standard output since the game began."""
    stdin_ended: bool = False
    """Nobody reads what is written, or a line was left half written: the bot cannot be spoken to any more."""
    stdout_ended: bool = False
    stderr_ended: bool = False
    _poll: select.poll = field(default_factory=select.poll)
    waits: Callable[[float], list[tuple[int, int]]] = field(init=False)
    """Waits so many milliseconds for output or log; returns (descriptor, poll flags) of those that have some."""

    def __post_init__(self) -> None:
        for descriptor in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(descriptor, False)
        self._poll.register(self.stdout, select.POLLIN)
        self._poll.register(self.stderr, select.POLLIN)
        self.waits = self._poll.poll

    @property
    def is_usable(self) -> bool:
        """Whether the bot can still hear and be heard."""
        return not (self.stdin_ended or self.stdout_ended)

    def close(self) -> None:
        """Close all descriptors; what is still in the log's pipe is taken in first. May be called twice."""
        self.drain_log()
        self.close_stdin()
        for descriptor in (self.stdout, self.stderr):
            if descriptor >= 0:
                os.close(descriptor)
        self.stdout = self.stderr = -1
        self.stdout_ended = self.stderr_ended = True

    def close_stdin(self) -> None:
        """Let the bot see the end of its input."""
        if self.stdin >= 0:
            os.close(self.stdin)
            self.stdin = -1
        self.stdin_ended = True

    def drain_log(self) -> None:
        """Take in what lies in the log's pipe now, at most one megabyte."""
        for _ in range(_DRAIN_READS):
            if self.stderr_ended or not self.read_log():
                return

    def read_log(self) -> bool:
        """Read once from standard error; return whether anything came."""
        try:
            data = os.read(self.stderr, READ_BYTES)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if not data:
            self.stderr_ended = True
            self._poll.unregister(self.stderr)
            return False
        self.log.write(data)
        return True

    def read_output(self) -> bool:
        """Read once from standard output into the inbox; return whether anything came."""
        try:
            data = os.read(self.stdout, READ_BYTES)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if not data:
            self.stdout_ended = True
            self._poll.unregister(self.stdout)
            return False
        self.inbox += data
        self.read_bytes += len(data)
        return True

    def take_line(self) -> bytes | None:
        """Return the next whole line without its newline, or None."""
        end = self.inbox.find(b"\n")
        if end < 0:
            return None
        line = bytes(self.inbox[:end])
        del self.inbox[: end + 1]
        return line

    @property
    def is_overlong(self) -> bool:
        """Whether the line that comes next is longer than allowed, be it whole or not."""
        return len(self.inbox) >= self.line_bytes and self.inbox.find(b"\n", 0, self.line_bytes) < 0
