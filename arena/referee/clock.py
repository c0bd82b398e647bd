"""The clock of one seat: time for each move, a bank for the game, and a margin on top."""

from dataclasses import dataclass, field

from arena.core.durations import NS_PER_MS
from protocol.messages import Clock, Time


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
