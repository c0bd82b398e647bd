"""The clock of one seat: time for each move, a bank for the game, and a margin on top; and the pace of a game."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from protocol.messages import Clock, Time
from results.base.clock import NS_PER_MS, NS_PER_S


@dataclass(slots=True)
class SeatClock:
    """The time one seat has left. Times are wall time from the last byte written to the newline read.

    If `sharing` bots are asked at once on one core, each gets `sharing` times the wall time and is charged one
    `sharing`th of what it takes. The margin covers the arena's delays and isn't multiplied.
    """

    clock: Clock
    bank_ns: int
    time: Time
    """What the bot is told about its time."""
    move_ns: int = field(init=False)
    """How long a decision may take, asked alone, without using the bank."""
    alone_ns: int = field(init=False)
    """The longest a decision may take now, asked alone; `limit_ns()`."""

    def __post_init__(self) -> None:
        self.move_ns = self.clock.move_ms * NS_PER_MS
        self.alone_ns = self.limit_ns()

    @classmethod
    def of(cls, clock: Clock) -> "SeatClock":
        """Return a seat's clock at the start of a game."""
        return cls(clock, clock.bank_ms * NS_PER_MS, Time(clock.move_ms, clock.bank_ms))

    def limit_ns(self, sharing: int = 1) -> int:
        """Return the longest a decision may take now, margin included."""
        return (self.move_ns + self.bank_ns) * sharing + self.clock.margin_ms * NS_PER_MS

    def charge(self, wall_ns: int, sharing: int = 1) -> bool:
        """Charge the bank for time beyond the move's; return whether the decision was in time."""
        over_ns = wall_ns // sharing - self.move_ns
        if over_ns <= 0:
            return True
        if wall_ns > self.limit_ns(sharing):
            return False
        self.bank_ns = max(0, self.bank_ns - over_ns)
        self.time = Time(self.clock.move_ms, self.bank_ns // NS_PER_MS)
        self.alone_ns = self.limit_ns()
        return True

    def limit_text(self, sharing: int = 1) -> str:
        """Describe the limit and its parts in words."""
        shared = f", both {sharing} times as {sharing} were asked at once" if sharing > 1 else ""
        return (
            f"time: {self.limit_ns(sharing) // NS_PER_MS} ms limit ({self.clock.move_ms} ms for the move, "
            f"{self.bank_ns // NS_PER_MS} ms in the bank{shared}, {self.clock.margin_ms} ms margin)"
        )


class Pace:
    """Delays whatever follows a turn until the turn has lasted `pace_ms`. Longer turns aren't delayed.

    Each turn is measured from when the previous one was due, not from when its wait ended. So overruns
    neither add up nor reveal how many waits there were.
    """

    __slots__ = ("_due_ns", "_monotonic_ns", "_pace_ns", "_sleep_s")

    def __init__(
        self,
        pace_ms: int,
        monotonic_ns: Callable[[], int] = time.monotonic_ns,
        sleep_s: Callable[[float], None] = time.sleep,
    ) -> None:
        """`pace_ms` 0 delays nothing."""
        self._pace_ns = pace_ms * NS_PER_MS
        self._monotonic_ns = monotonic_ns
        self._sleep_s = sleep_s
        self._due_ns = 0

    def begin(self) -> None:
        """Start the first turn."""
        if self._pace_ns:
            self._due_ns = self._monotonic_ns()

    def hold(self) -> None:
        """Wait until the decided turn may become visible, then start the next one."""
        if not self._pace_ns:
            return
        self._due_ns += self._pace_ns
        now_ns = self._monotonic_ns()
        if now_ns > self._due_ns:
            self._due_ns = now_ns
        while now_ns < self._due_ns:
            self._sleep_s((self._due_ns - now_ns) / NS_PER_S)
            now_ns = self._monotonic_ns()
