"""The clock of one seat: time for each move, a bank for the game, a margin at the very end."""

from dataclasses import dataclass

from protocol.messages import Clock, Time

NS_PER_MS = 1_000_000


@dataclass(slots=True)
class SeatClock:
    """What one seat has left. Times are wall time from the last byte written to the newline read.

    Where `sharing` bots are asked at once on one core, each gets `sharing` times the time on the wall.
    """

    clock: Clock
    bank_ns: int

    @classmethod
    def of(cls, clock: Clock) -> "SeatClock":
        """Return the clock of a seat at the start of a game."""
        return cls(clock, clock.bank_ms * NS_PER_MS)

    @property
    def time(self) -> Time:
        """What the bot is told it has left."""
        return Time(self.clock.move_ms, self.bank_ns // NS_PER_MS)

    def limit_ns(self, sharing: int = 1) -> int:
        """Return the longest that a decision may take now, margin included."""
        own_ns = self.clock.move_ms * NS_PER_MS + self.bank_ns
        return own_ns * sharing + self.clock.margin_ms * NS_PER_MS

    def charge(self, wall_ns: int, sharing: int = 1) -> bool:
        """Take a decision's time off the bank; return whether it was in time."""
        if wall_ns > self.limit_ns(sharing):
            return False
        over_ns = wall_ns // sharing - self.clock.move_ms * NS_PER_MS
        if over_ns > 0:
            self.bank_ns = max(0, self.bank_ns - over_ns)
        return True

    def lateness(self, wall_ns: int, sharing: int = 1) -> str:
        """Return the limit and the figure of a decision that came too late, in words."""
        limit_ms = self.limit_ns(sharing) // NS_PER_MS
        return (
            f"time: {limit_ms} ms limit ({self.clock.move_ms} ms for the move, "
            f"{self.bank_ns // NS_PER_MS} ms in the bank, {self.clock.margin_ms} ms margin), "
            f"{wall_ns // NS_PER_MS} ms taken"
        )
