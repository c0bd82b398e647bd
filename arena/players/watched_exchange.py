"""Exchanges with a bot process that is watched: what it uses meanwhile, and whether the machine kept it waiting."""

from arena.core.durations import NS_PER_MS
from arena.players.exchange import Exchange
from arena.players.process import BotProcess

LEAST_GRACE_NS = 5 * NS_PER_MS
"""Less than this is no reason to wait on."""
MOST_GRACE = 1.0
"""A bot that was kept waiting for as long as it had time is waited for no longer."""


class WatchedExchange(Exchange):
    """An exchange during which the bot is watched: its turn, from the writing to the answer."""

    __slots__ = ("excess", "process", "shared_ns")

    def __init__(self, process: BotProcess, line: bytes, limit_ns: int, shared_ns: int = 0) -> None:
        """Begin the bot's turn. `shared_ns`: what of the limit is there for others that run on the same core."""
        super().__init__(process.channel, line, limit_ns)
        self.process = process
        self.shared_ns = shared_ns
        self.excess = ""
        """By how much the bot exceeded its memory, figure and limit."""

    def look(self) -> None:
        """Look for what the bot has started, at its memory, and at whoever lives beside it."""
        self.process.watch.look()
        self.process.watch.beside()
        self.look_at_memory()

    def look_at_memory(self) -> None:
        """Give the exchange up where the bot holds more than it may."""
        self.excess = self.process.watch.memory_excess()
        if self.excess:
            self.fail("memory")

    def extend(self) -> None:
        """Wait on for as long as the machine has kept the bot waiting, to see whether it would have answered.

        A bot that holds too much memory by then is at fault for that, and not for being slow.
        """
        self.look()
        if self.over:
            return
        waited_ns = self._kept_waiting_ns()
        if waited_ns >= LEAST_GRACE_NS:
            self.grace_ns = min(waited_ns + LEAST_GRACE_NS, self._most_grace_ns)

    def excuse(self) -> str:
        """Return why the machine is to blame for so late an answer, or for none; empty where it is not.

        Where none came, the bot must have been kept waiting for as long as it had time; an answer excuses as much as
        it is late.
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

    @property
    def _most_grace_ns(self) -> int:
        return int(self.limit_ns * MOST_GRACE)

    def _kept_waiting_ns(self) -> int:
        return max(0, self.process.watch.kept_waiting_ns() - self.shared_ns)
