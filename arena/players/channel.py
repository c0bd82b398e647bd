"""The pipes to one bot process: bounded, non-blocking, with a deadline on everything.

Raw descriptors and poll: no threads, no file objects. What the bot writes to
standard error is drained whenever anything is waited for.
"""

import os
import select
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from arena.players.log import LogBuffer
from protocol.limits import LINE_BYTES

READ_BYTES = 65_536
_HANGUP = select.POLLHUP | select.POLLERR | select.POLLNVAL


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
    read_bytes: int = 0
    """All that was read from standard output since the game began."""
    stdout_ended: bool = False
    stderr_ended: bool = False

    def __post_init__(self) -> None:
        for descriptor in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(descriptor, False)

    def close(self) -> None:
        """Close all descriptors; what is still in the log's pipe is taken in first."""
        self.drain_log()
        for descriptor in (self.stdin, self.stdout, self.stderr):
            if descriptor >= 0:
                os.close(descriptor)
        self.stdin = self.stdout = self.stderr = -1

    def close_stdin(self) -> None:
        """Let the bot see the end of its input."""
        if self.stdin >= 0:
            os.close(self.stdin)
            self.stdin = -1

    def drain_log(self) -> None:
        """Take in what lies in the log's pipe now, at most one megabyte at a time."""
        for _ in range(16):
            if self.stderr_ended or self.stderr < 0 or not self.read_log():
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
            return False
        self.log.write(data)
        return True

    def read_output(self) -> None:
        """Read once from standard output into the inbox."""
        try:
            data = os.read(self.stdout, READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self.inbox += data
            self.read_bytes += len(data)
        else:
            self.stdout_ended = True

    def take_line(self) -> bytes | None:
        """Return the next whole line without its newline, or None."""
        end = self.inbox.find(b"\n")
        if end < 0:
            return None
        line = bytes(self.inbox[:end])
        del self.inbox[: end + 1]
        return line

    @property
    def overlong(self) -> bool:
        """Whether the line that has begun is longer than allowed already."""
        return len(self.inbox) >= self.line_bytes and b"\n" not in self.inbox[: self.line_bytes]


@dataclass(slots=True)
class Exchange:
    """One line to a bot and the wait for its lines: what `run` works through."""

    channel: Channel
    unsent: bytes
    limit_ns: int
    """Counted anew from the last byte written."""
    on_line: Callable[[bytes], bool]
    """Called with each line; returns whether the exchange is answered by it."""
    sent_ns: int = 0
    """When the last byte was written."""
    answered_ns: int = 0
    """When the newline of the answer was read; 0 without an answer."""
    failure: str = ""
    """Why there is no answer: `unread`, `timeout`, `ended`, `overlong`; empty with one."""
    begun_ns: int = 0

    @property
    def over(self) -> bool:
        """Whether there is nothing more to wait for."""
        return self.answered_ns != 0 or self.failure != ""

    def write(self) -> None:
        """Write as much as the pipe takes."""
        if self.begun_ns == 0:
            self.begun_ns = self.channel.clock_ns()
        try:
            written = os.write(self.channel.stdin, self.unsent)
        except BlockingIOError:
            return
        except OSError:
            self.failure = "ended"
            return
        self.unsent = self.unsent[written:]
        if not self.unsent:
            self.sent_ns = self.channel.clock_ns()

    def take_lines(self) -> None:
        """Go through the lines that have come; ends the exchange where one of them answers it."""
        channel = self.channel
        while (line := channel.take_line()) is not None:
            if len(line) >= channel.line_bytes:
                self.failure = "overlong"
                return
            now_ns = channel.clock_ns()
            if self.on_line(line):
                self.answered_ns = now_ns
                return
        if channel.overlong:
            self.failure = "overlong"
        elif channel.stdout_ended:
            self.failure = "ended"

    def check_deadline(self, now_ns: int) -> int:
        """Return the nanoseconds left; at none the exchange has failed."""
        left_ns = (self.sent_ns or self.begun_ns) + self.limit_ns - now_ns
        if left_ns <= 0:
            self.failure = "timeout" if self.sent_ns else "unread"
        return left_ns


def run(exchanges: Sequence[Exchange]) -> None:
    """Write all lines, then wait for all answers; each exchange is over when this returns."""
    for exchange in exchanges:
        exchange.write()
    if len(exchanges) == 1 and _run_one(exchanges[0]):
        return
    while waiting := [exchange for exchange in exchanges if not exchange.over]:
        _wait_once(waiting)


def _run_one(exchange: Exchange) -> bool:
    """Do the common case with one poll and one read; return whether that was all."""
    channel = exchange.channel
    if exchange.over or exchange.unsent or channel.stderr_ended:
        return exchange.over
    poll = select.poll()
    poll.register(channel.stdout, select.POLLIN)
    poll.register(channel.stderr, select.POLLIN)
    ready = poll.poll(exchange.limit_ns / 1_000_000)
    if ready and ready[0] == (channel.stdout, select.POLLIN):
        channel.read_output()
        exchange.take_lines()
    return exchange.over


def _wait_once(waiting: Sequence[Exchange]) -> None:
    poll = select.poll()
    by_descriptor: dict[int, Exchange] = {}
    now_ns = waiting[0].channel.clock_ns()
    least_ns = min(exchange.check_deadline(now_ns) for exchange in waiting)
    for exchange in waiting:
        channel = exchange.channel
        by_descriptor[channel.stdout] = exchange
        poll.register(channel.stdout, select.POLLIN)
        if not channel.stderr_ended:
            by_descriptor[channel.stderr] = exchange
            poll.register(channel.stderr, select.POLLIN)
        if exchange.unsent:
            by_descriptor[channel.stdin] = exchange
            poll.register(channel.stdin, select.POLLOUT)
    # An exchange whose time is up still gets one last look at what has come.
    for descriptor, happened in poll.poll(max(0, least_ns) / 1_000_000):
        exchange = by_descriptor[descriptor]
        channel = exchange.channel
        if descriptor == channel.stdout:
            channel.read_output()
        elif descriptor == channel.stderr:
            channel.read_log()
        elif happened & _HANGUP:
            exchange.failure = exchange.failure or "ended"
        else:
            exchange.write()
    for exchange in waiting:
        late = exchange.failure in ("timeout", "unread")
        if late:
            exchange.failure = ""
        if not exchange.over and not exchange.unsent:
            exchange.take_lines()
        if late and not exchange.over:
            exchange.check_deadline(exchange.channel.clock_ns())
