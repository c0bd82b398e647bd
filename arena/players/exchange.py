"""Lines to bots and the wait for their answers: a deadline on everything, writes too.

What a bot writes to standard error is drained whenever anything is waited for.
"""

import os
import select
import time
from collections.abc import Sequence
from typing import Literal

from arena.core.durations import NS_PER_MS
from arena.players.channel import Channel

Failure = Literal["", "unread", "timeout", "ended", "deaf", "overlong", "memory"]
"""Why there is no answer: the bot did not read, did not answer, closed its output, closed its input, wrote a line
too long, holds too much memory; empty where there is one."""

LOOK_MS = 50.0
"""Sampling interval of what a bot uses while it is waited for."""


class Exchange:
    """One line to a bot and the wait for the line that answers it: what `run` works through."""

    __slots__ = ("answered_ns", "channel", "failure", "grace_ns", "limit_ns", "over", "since_ns", "unsent")

    def __init__(self, channel: Channel, line: bytes, limit_ns: int) -> None:
        """Prepare. `limit_ns` is for the writing, and anew for the answer, from the last byte written."""
        self.channel = channel
        self.unsent = line
        self.limit_ns = limit_ns
        self.since_ns = channel.clock_ns()
        """When the last byte was written; before that, when the writing began."""
        self.grace_ns = 0
        """What is waited beyond the limit."""
        self.answered_ns = 0
        """When the newline of the answer was read."""
        self.over = False
        """Whether there is nothing more to wait for: an answer has come, or the exchange has failed."""
        self.failure: Failure = ""

    def hear(self, line: bytes) -> bool:
        """Take a line of the bot; return whether the exchange is answered by it."""
        raise NotImplementedError

    def look(self) -> None:
        """Look at what the bot uses meanwhile; called at times while it is waited for."""

    def extend(self) -> None:
        """Add to `grace_ns` where the bot is to be waited for beyond the limit, which has been reached."""

    def fail(self, failure: Failure) -> None:
        """Give the exchange up."""
        self.failure = failure
        self.over = True

    def write(self) -> None:
        """Write as much as the pipe takes."""
        if self.channel.stdout_ended:
            self.fail("ended")
            return
        # The time is taken before: on one core the bot may have read and answered by the time `write` returns.
        now_ns = self.channel.clock_ns()
        try:
            written = os.write(self.channel.stdin, self.unsent)
        except BlockingIOError:
            return
        except OSError:
            self.fail("deaf")
            self.channel.stdin_ended = True
            return
        if written == len(self.unsent):
            self.since_ns = now_ns
        self.unsent = self.unsent[written:]

    def read_once(self) -> None:
        """Take what is there to be read, once the line is out: in the common case one whole line, the answer."""
        channel = self.channel
        if channel.read_output():
            now_ns = channel.clock_ns()
            inbox = channel.inbox
            last = len(inbox) - 1
            if inbox.find(b"\n") == last < channel.line_bytes:
                del inbox[last:]
                line = bytes(inbox)
                inbox.clear()
                self.answered_ns = now_ns
                self.over = self.hear(line)
                return
        self.take_lines()

    def take_lines(self) -> None:
        """Go through the lines that have come; the exchange is over where one of them answers it."""
        channel = self.channel
        while not channel.is_overlong and (line := channel.take_line()) is not None:
            self.answered_ns = channel.clock_ns()
            if self.hear(line):
                self.over = True
                return
        if channel.is_overlong:
            self.fail("overlong")
        elif channel.stdout_ended:
            self.fail("ended")

    def left_ns(self, now_ns: int) -> int:
        """Return the time left until the exchange has failed; 0 or less: it has."""
        return self.since_ns + self.limit_ns + self.grace_ns - now_ns


def run(exchanges: Sequence[Exchange]) -> None:
    """Write all lines, then wait for all answers; each exchange is over when this returns."""
    for exchange in exchanges:
        if not exchange.over:
            exchange.write()
    waiting = [exchange for exchange in exchanges if not exchange.over]
    if waiting:
        _wait(waiting)


def run_one(exchange: Exchange) -> None:
    """Do the same for a single exchange; mostly it takes one write, one wait and one read."""
    if exchange.over:
        return
    exchange.write()
    if not exchange.unsent:
        channel = exchange.channel
        ready = channel.waits(min(exchange.limit_ns / NS_PER_MS, LOOK_MS))
        if ready and ready[0][0] == channel.stdout:
            exchange.read_once()
    if not exchange.over:
        _wait([exchange])


def _wait(waiting: list[Exchange]) -> None:
    """Wait until all are over."""
    descriptors = _Descriptors(waiting)
    clock_ns = waiting[0].channel.clock_ns
    looked_ns = time.monotonic_ns()
    while waiting:
        now_ns = clock_ns()
        late = [exchange for exchange in waiting if exchange.left_ns(now_ns) <= 0]
        least_ns = min(exchange.left_ns(now_ns) for exchange in waiting)
        descriptors.look(max(0, least_ns) / NS_PER_MS)
        now_ns = clock_ns()
        for exchange in late:  # they had a last look at what had come
            if not exchange.over and exchange.left_ns(now_ns) <= 0:
                exchange.extend()
                if not exchange.over and exchange.left_ns(now_ns) <= 0:
                    exchange.fail("unread" if exchange.unsent else "timeout")
        if time.monotonic_ns() - looked_ns > LOOK_MS * NS_PER_MS:
            looked_ns = time.monotonic_ns()
            for exchange in waiting:
                if not exchange.over:
                    exchange.look()
        for exchange in waiting:
            if exchange.over:
                descriptors.forget(exchange)
        waiting = [exchange for exchange in waiting if not exchange.over]


class _Descriptors:
    """The descriptors of the exchanges that are being waited for."""

    def __init__(self, exchanges: Sequence[Exchange]) -> None:
        self._poll = select.poll()
        self._concerned: dict[int, Exchange] = {}
        for exchange in exchanges:
            channel = exchange.channel
            self._add(channel.stdout, select.POLLIN, exchange)
            if not channel.stderr_ended:
                self._add(channel.stderr, select.POLLIN, exchange)
            if exchange.unsent:
                self._add(channel.stdin, select.POLLOUT, exchange)

    def look(self, most_ms: float) -> None:
        """Wait until something happens to one of the exchanges, and have it done."""
        for descriptor, _ in self._poll.poll(min(most_ms, LOOK_MS)):
            exchange = self._concerned[descriptor]
            channel = exchange.channel
            if descriptor == channel.stdout:
                channel.read_output()
                exchange.take_lines()
            elif descriptor == channel.stderr:
                if not channel.read_log():
                    self._remove(descriptor)
            elif not exchange.over:
                exchange.write()
                if not exchange.unsent:
                    self._remove(descriptor)

    def forget(self, exchange: Exchange) -> None:
        """Wait for an exchange no longer."""
        channel = exchange.channel
        for descriptor in (channel.stdin, channel.stdout, channel.stderr):
            if descriptor in self._concerned:
                self._remove(descriptor)

    def _add(self, descriptor: int, flags: int, exchange: Exchange) -> None:
        self._poll.register(descriptor, flags)
        self._concerned[descriptor] = exchange

    def _remove(self, descriptor: int) -> None:
        self._poll.unregister(descriptor)
        del self._concerned[descriptor]
