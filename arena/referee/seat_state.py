"""The state of one seat in one game: its times, the events that it has been sent, and its forfeit."""

from typing import Any

from msgspec import Struct

from arena.core.chance import Stream
from arena.core.game import JSON, AnyGame, Event
from arena.players.base import NO_LOG, Fault, Player, PlayerLog, Reply
from arena.referee.clock import SeatClock
from results.records import LogRecord, SeatRecord

Made = tuple[Any, str, str | None]
"""A move, who made it (`bot`, which a person counts as, `house` or `engine`), and its note."""


class Forfeit(Struct, frozen=True):
    """The forfeit of one seat."""

    seat: int
    fault: Fault
    at_decision: int
    """Number of moves made before the turn in which it happened; 0 if the bot didn't start."""

    @property
    def event(self) -> Event:
        """What the table sees: only the verdict."""
        return Event("forfeit", {"seat": self.seat, "verdict": str(self.fault.verdict)})

    @property
    def record(self) -> dict[str, JSON]:
        """The forfeit as the replay has it."""
        return {"seat": self.seat, "verdict": str(self.fault.verdict), "at_decision": self.at_decision}


class Seated(Struct):
    """The state of one seat in one game."""

    seat: int
    entry_no: int
    player: Player
    clock: SeatClock
    examples: Stream
    """For the example in a composed decision."""
    house: Stream
    """For the random moves that are made when the player is out."""
    decisions: int = 0
    """All decisions it was asked for, including a faulty one; the times cover only those it answered."""
    wall_ns: int = 0
    max_wall_ns: int = 0
    cpu_ns: int = 0
    sent: int = 0
    """Number of events sent to the player so far."""
    first_ask: int | None = None
    """The id of its first ask in this game; None before that."""
    log: PlayerLog = NO_LOG
    forfeit: Forfeit | None = None

    def new_events(self, events: list[Event]) -> list[dict[str, JSON]]:
        """Return the events not yet sent to the player, as it sees them, and mark them as sent."""
        seat, sent = self.seat, self.sent
        self.sent = len(events)
        return [event.seen_by(seat) for event in events[sent:]]

    def upcoming(self, events: list[Event]) -> list[dict[str, JSON]]:
        """Return the events not yet sent to the player, as it sees them; the next message will have them, too."""
        return [event.seen_by(self.seat) for event in events[self.sent :]]

    def answered(self, reply: Reply) -> None:
        """Count the times of one answer."""
        self.wall_ns += reply.wall_ns
        self.cpu_ns += reply.cpu_ns
        if reply.wall_ns > self.max_wall_ns:
            self.max_wall_ns = reply.wall_ns

    def by_house(self, game: AnyGame, state: object) -> Made:
        """Return a move of the house."""
        return game.sample_move(state, self.seat, self.house), "house", None

    @property
    def verdict(self) -> str | None:
        """The verdict on it; None if it has played on."""
        return str(self.forfeit.fault.verdict) if self.forfeit else None

    def record(self, score: float, rank: int) -> SeatRecord:
        """Return the seat's row for the ledger."""
        forfeit = self.forfeit
        return SeatRecord(
            seat=self.seat,
            entry_no=self.entry_no,
            score=score,
            rank=rank,
            verdict=forfeit.fault.verdict if forfeit else None,
            detail=forfeit.fault.detail if forfeit else "",
            at_decision=forfeit.at_decision if forfeit else None,
            decisions=self.decisions,
            wall_ns=self.wall_ns,
            max_wall_ns=self.max_wall_ns,
            cpu_ns=self.cpu_ns,
            reason=forfeit.fault.reason if forfeit else None,
        )

    def log_record(self) -> LogRecord | None:
        """Return the player's log for the ledger; None if it is empty."""
        log = self.log
        return LogRecord(self.seat, log.head, log.tail, log.dropped_bytes) if log.head else None
