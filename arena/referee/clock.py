"""The clock of one seat: time for each move, a bank for the game, a margin at the very end."""

from dataclasses import dataclass

from arena.core.durations import NS_PER_MS
from protocol.messages import Clock, Time


@dataclass(slots=True)
class SeatClock:
    """What one seat has left. Times are wall time from the last byte written to the newline read.

    Where `sharing` bots are asked at once on one core, each gets `sharing` times the time on the wall, and a
    `sharing`th of what it takes is its own. The margin is for the arena's delays and not multiplied.
    """

    clock: Clock
    bank_ns: int
    time: Time
    """What the bot is told it has left."""

    @classmethod
    def of(cls, clock: Clock) -> "SeatClock":
        """Return the clock of a seat at the start of a game."""
        return cls(clock, clock.bank_ms * NS_PER_MS, Time(clock.move_ms, clock.bank_ms))

    def limit_ns(self, sharing: int = 1) -> int:
        """Return the longest that a decision may take now, margin included."""
        clock = self.clock
        return (clock.move_ms * NS_PER_MS + self.bank_ns) * sharing + clock.margin_ms * NS_PER_MS

    def charge(self, wall_ns: int, sharing: int = 1) -> bool:
        """Take what a decision took beyond the move's time off the bank; return whether it was in time."""
        over_ns = wall_ns // sharing - self.clock.move_ms * NS_PER_MS
        if over_ns <= 0:
            return True
        if wall_ns > self.limit_ns(sharing):
            return False
        self.bank_ns = max(0, self.bank_ns - over_ns)
        self.time = Time(self.clock.move_ms, self.bank_ns // NS_PER_MS)
        return True

    def limit_text(self, sharing: int = 1) -> str:
        """Return the limit and what it is made of, in words."""
        shared = f", both {sharing} times as {sharing} were asked at once" if sharing > 1 else ""
        return (
            f"time: {self.limit_ns(sharing) // NS_PER_MS} ms limit ({self.clock.move_ms} ms for the move, "
            f"{self.bank_ns // NS_PER_MS} ms in the bank{shared}, {self.clock.margin_ms} ms margin)"
        )
