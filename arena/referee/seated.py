"""A player at a seat in one game: its clock, its times, the events it has been sent."""

from dataclasses import dataclass, field

from arena.core.chance import Stream
from arena.core.game import JSON, Event
from arena.players.base import NO_LOG, Player, PlayerLog, Reply
from arena.players.house import House
from arena.referee.clock import SeatClock
from arena.referee.forfeits import Forfeit
from results.records import LogRecord, SeatRecord


@dataclass(slots=True)
class SeatTimes:
    """How long one seat's decisions took."""

    decisions: int = 0
    """All decisions it was asked for, including a faulty one; the times cover only those it answered."""
    wall_ns: int = 0
    max_wall_ns: int = 0
    cpu_ns: int = 0

    def add(self, reply: Reply) -> None:
        """Count one answer."""
        self.wall_ns += reply.wall_ns
        self.cpu_ns += reply.cpu_ns
        if reply.wall_ns > self.max_wall_ns:
            self.max_wall_ns = reply.wall_ns


@dataclass(slots=True)
class Seated:
    """The state of one seat in one game."""

    seat: int
    entry_no: int
    player: Player
    clock: SeatClock
    examples: Stream
    """For the example in a composed decision."""
    house: House
    """Takes over when the player is out."""
    times: SeatTimes = field(default_factory=SeatTimes)
    told: int = 0
    """Number of events sent to the player so far."""
    first_ask: int | None = None
    """The id of its first ask in this game; None before that."""
    log: PlayerLog = NO_LOG
    forfeit: Forfeit | None = None

    def untold(self, events: list[Event]) -> list[dict[str, JSON]]:
        """Return the events not yet sent to the player, as it sees them, and mark them as sent."""
        seat, told = self.seat, self.told
        self.told = len(events)
        return [event.seen_by(seat) for event in events[told:]]

    def unsent(self, events: list[Event]) -> list[dict[str, JSON]]:
        """Return the events not yet sent to the player, as it sees them; the next message will have them, too."""
        return [event.seen_by(self.seat) for event in events[self.told :]]

    def record(self, score: int, rank: int) -> SeatRecord:
        """Return the seat's row for the ledger."""
        forfeit, times = self.forfeit, self.times
        return SeatRecord(
            seat=self.seat,
            entry_no=self.entry_no,
            score=score,
            rank=rank,
            verdict=forfeit.fault.verdict if forfeit else None,
            detail=forfeit.fault.detail if forfeit else "",
            at_decision=forfeit.at_decision if forfeit else None,
            decisions=times.decisions,
            wall_ns=times.wall_ns,
            max_wall_ns=times.max_wall_ns,
            cpu_ns=times.cpu_ns,
            reason=forfeit.fault.reason if forfeit else None,
        )

    def log_record(self) -> LogRecord | None:
        """Return the player's log for the ledger; None if it is empty."""
        log = self.log
        return LogRecord(self.seat, log.head, log.tail, log.dropped_bytes) if log.head else None
