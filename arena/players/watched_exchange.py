"""Exchanges that monitor the bot process: what it uses, and whether the machine kept it waiting."""

from arena.core.durations import NS_PER_MS
from arena.players.exchange import Exchange
from arena.players.process import BotProcess
from arena.sandbox.standstill import Standstill, StandstillWatch
from protocol.verdicts import Reason

LEAST_GRACE_NS = 5 * NS_PER_MS
"""Shorter waits for a core earn no extra time."""
MOST_GRACE = 1.0
"""Maximum extra time, as a multiple of the limit."""


class WatchedExchange(Exchange):
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
        self.process.watch.look()
        self.process.watch.beside()
        self.look_at_memory()
        if not self.over and not self.unsent:
            self._look_at_standstill()
        if self.channel.witness is not None and not self.over:
            self.channel.witness.looks()

    def _look_at_standstill(self) -> None:
        """Fail the exchange if it is certain that the bot will never answer."""
        channel = self.channel
        if self._standstills is None:
            self._standstills = StandstillWatch(self.process.members)
        self.standstill = self._standstills.found(
            channel.clock_ns() - self.since_ns, channel.stdin, channel.unread_bytes, channel.came_bytes
        )
        if self.standstill is not None:
            if channel.witness is not None:
                channel.witness.standstill = self.standstill
            self.fail("timeout")

    def look_at_memory(self) -> None:
        """Fail the exchange if the bot uses more memory than allowed."""
        self.excess = self.process.watch.memory_excess()
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
        return self.process.watch.silence(self.limit_ns + self.grace_ns - self.shared_ns)

    @property
    def _most_grace_ns(self) -> int:
        return int(self.limit_ns * MOST_GRACE)

    def _kept_waiting_ns(self) -> int:
        return max(0, self.process.watch.kept_waiting_ns() - self.shared_ns)
