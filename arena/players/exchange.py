"""Sends lines to bots and waits for answers: writes have deadlines too, and every wait drains standard error."""

import os
import select
import time
from collections.abc import Sequence
from typing import Literal

from arena.players.channel import Channel
from arena.players.process import BotProcess
from arena.sandbox.deadlock import Standstill, StandstillWatch
from protocol.verdicts import Reason
from results.base.clock import NS_PER_MS, NS_PER_S

Failure = Literal["", "unread", "timeout", "ended", "deaf", "overlong", "memory"]
"""Why there is no answer: the bot did not read, did not answer, closed its output, closed its input, wrote an overlong
line, or uses too much memory. Empty if there is an answer."""

QUIET_MS = 5
"""How long to wait for an answer before the bot counts as thinking, so that the other bots are frozen and its waits for
a core matter.

Longer than a tick of most kernels (4 ms): a wait that ends before the next tick needs a timer of its own, and on a
virtual machine setting it and taking it back takes longer than all the rest of a quick ask.
"""
LOOK_MS = 50.0
"""Sampling interval of a bot's resource usage during a wait. No single wait is longer."""
STANDSTILL_NS = NS_PER_S
"""If so much time has passed between two looks at the clock, this process stood still: it was stopped, or its machine
was paused. No bot loses that time. Mere overload keeps no process waiting so long."""


class Exchange:
    """One line to a bot and the wait for its answer. `run` carries it out."""

    __slots__ = ("answered_ns", "channel", "failure", "grace_ns", "limit_ns", "over", "since_ns", "unsent")

    def __init__(self, channel: Channel, line: bytes, limit_ns: int) -> None:
        """Prepare the exchange. `limit_ns` limits the write, and then the wait, counted from the last byte written."""
        self.channel = channel
        self.unsent = line if channel.tap is None else channel.tap.sends(line, limit_ns)
        self.limit_ns = limit_ns
        self.since_ns = channel.clock_ns()
        """When the last byte was written; until then, when the write began."""
        self.grace_ns = 0
        """Extra time beyond the limit."""
        self.answered_ns = 0
        """When the newline of the answer was read."""
        self.over = False
        """Whether the wait is over: the bot has answered, or the exchange has failed."""
        self.failure: Failure = ""

    def hear(self, line: bytes) -> bool:
        """Process a line from the bot; return whether it answers the exchange."""
        raise NotImplementedError

    def look(self) -> None:
        """Check the bot's resource usage. Called from time to time during the wait."""

    def extend(self) -> None:
        """Increase `grace_ns` if the bot deserves more time. Called when the limit has been reached."""

    def fail(self, failure: Failure) -> None:
        """End the exchange with a failure."""
        self.failure = failure
        self.over = True

    def leave_out(self, seen_ns: int, now_ns: int) -> None:
        """Don't count the time between two looks at the clock, if it is so long that this process stood still."""
        if now_ns - seen_ns > STANDSTILL_NS:
            latest_ns = self.answered_ns if self.over and not self.failure else now_ns
            self.since_ns = min(self.since_ns + now_ns - seen_ns, latest_ns)

    def write(self) -> None:
        """Write as much as the pipe takes."""
        if self.channel.stdout_ended:
            self.fail("ended")
            return
        # Take the time first: on a single core, the bot may have answered by the time `write` returns.
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
        if self.channel.tap is not None:
            self.channel.tap.sent(self.unsent[:written])
        self.unsent = self.unsent[written:]

    def take_lines(self) -> None:
        """Process the lines received so far, until one answers the exchange."""
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
        """Return the time left before the exchange times out; 0 or less if it has."""
        return self.since_ns + self.limit_ns + self.grace_ns - now_ns


def run(exchanges: Sequence[Exchange]) -> None:
    """Write all lines, then wait for all answers; each exchange is over when this returns."""
    for exchange in exchanges:
        if not exchange.over:
            exchange.write()
    go_on(exchanges)


def go_on(exchanges: Sequence[Exchange]) -> None:
    """Continue exchanges, parts of which have been carried out."""
    waiting = [exchange for exchange in exchanges if not exchange.over]
    if waiting:
        _wait(waiting)


def _looked(waiting: list[Exchange], now_ns: int, seen_ns: int) -> int:
    """Return the time now, after leaving out what has passed since `seen_ns` if this process stood still."""
    for exchange in waiting:
        exchange.leave_out(seen_ns, now_ns)
    return now_ns


def _wait(waiting: list[Exchange]) -> None:
    descriptors = _Descriptors(waiting)
    clock_ns = waiting[0].channel.clock_ns
    looked_ns = time.monotonic_ns()
    seen_ns = min(exchange.since_ns for exchange in waiting)
    while waiting:
        now_ns = seen_ns = _looked(waiting, clock_ns(), seen_ns)
        late = [exchange for exchange in waiting if exchange.left_ns(now_ns) <= 0]
        least_ns = min(exchange.left_ns(now_ns) for exchange in waiting)
        descriptors.look(max(0, least_ns) / NS_PER_MS)
        now_ns = seen_ns = _looked(waiting, clock_ns(), seen_ns)
        for exchange in late:  # `descriptors.look` has just read what had arrived
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
    """The descriptors of the exchanges that aren't over."""

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
        """Wait until a descriptor is ready, at most `most_ms`, then read from it or write to it."""
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


LEAST_GRACE_NS = 5 * NS_PER_MS
"""Shorter waits for a core earn no extra time."""
MOST_GRACE = 1.0
"""Maximum extra time, as a multiple of the limit."""


class MonitoredExchange(Exchange):
    """An exchange that monitors the bot during its turn, from the write to the answer."""

    __slots__ = ("_standstills", "excess", "process", "shared_ns", "standstill")

    def __init__(self, process: BotProcess, line: bytes, limit_ns: int, shared_ns: int = 0) -> None:
        """Begin the bot's turn. `shared_ns` is the part of the limit allowed for other bots on the same core."""
        super().__init__(process.channel, line, limit_ns)
        self.process = process
        self.shared_ns = shared_ns
        self.excess = ""
        """The memory that the bot used, with its limit, if it exceeded the limit."""
        self.standstill: Standstill | None = None
        """Why the bot can't answer any more, if that ended the wait before its limit."""
        self._standstills: StandstillWatch | None = None

    def look(self) -> None:
        """Look for processes that the bot has started; check its memory, the other bots, and whether it can answer."""
        self.process.monitor.look()
        self.process.monitor.beside()
        self.look_at_memory()
        if not self.over and not self.unsent:
            self._look_at_standstill()
        if self.channel.tap is not None and not self.over:
            self.channel.tap.looks()

    def _look_at_standstill(self) -> None:
        """Fail the exchange if it is certain that the bot will never answer."""
        channel = self.channel
        if self._standstills is None:
            self._standstills = StandstillWatch(self.process.members)
        self.standstill = self._standstills.found(
            channel.clock_ns() - self.since_ns, channel.stdin, channel.unread_bytes, channel.came_bytes
        )
        if self.standstill is not None:
            if channel.tap is not None:
                channel.tap.stalls(self.standstill)
            self.fail("timeout")

    def look_at_memory(self) -> None:
        """Fail the exchange if the bot uses more memory than allowed."""
        self.excess = self.process.monitor.memory_excess()
        if self.excess:
            self.fail("memory")

    def extend(self) -> None:
        """Extend the wait by the time the machine kept the bot waiting, to see whether it would have answered.

        If the bot uses too much memory by then, that is its fault, not the timeout.
        """
        self.look()
        if self.over:
            return
        waited_ns = self._kept_waiting_ns()
        if waited_ns >= LEAST_GRACE_NS:
            self.grace_ns = min(waited_ns + LEAST_GRACE_NS, self._most_grace_ns)

    def excuse(self) -> str:
        """Return why the machine is to blame for a late or missing answer; empty if it isn't.

        A late answer is excused if the bot was kept waiting for at least as long as the answer was late. A missing
        answer is excused only if the bot was kept waiting for as long as its limit.
        """
        taken_ns = self.answered_ns - self.since_ns if not self.failure else self.limit_ns + self.grace_ns
        over_ns = taken_ns - self.limit_ns
        if over_ns <= 0 or (self.failure and self.grace_ns < self._most_grace_ns):
            return ""
        waited_ns = self._kept_waiting_ns()
        if waited_ns < over_ns:
            return ""
        return (
            f"overload: {taken_ns // NS_PER_MS} ms on the wall, {waited_ns // NS_PER_MS} ms of them ready to run "
            "without a core"
        )

    def silence(self) -> Reason:
        """Return why there is no answer, as far as that can be seen: it computes, it has no core, or it is idle."""
        return self.process.monitor.silence(self.limit_ns + self.grace_ns - self.shared_ns)

    @property
    def _most_grace_ns(self) -> int:
        return int(self.limit_ns * MOST_GRACE)

    def _kept_waiting_ns(self) -> int:
        return max(0, self.process.monitor.kept_waiting_ns() - self.shared_ns)
