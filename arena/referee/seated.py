"""A player at a seat in one game: its times, the events it has been sent, and what it is asked."""

from dataclasses import dataclass, field
from typing import Any

from msgspec import UNSET

from arena.core.chance import Stream
from arena.core.game import JSON, AnyGame, Decision, Event
from arena.players.base import NO_LOG, Fault, House, Player, PlayerLog, Reply
from arena.referee.clock import SeatClock
from protocol.messages import Ask
from results.records import LogRecord, SeatRecord

Made = tuple[Any, str, str | None]
"""A move, who made it (`bot`, which a person counts as, `house` or `engine`), and its note."""


@dataclass(frozen=True, slots=True)
class Forfeit:
    """The forfeit of one seat."""

    seat: int
    fault: Fault
    at_decision: int
    """Number of moves made before the turn in which it happened; 0 if the bot didn't start."""

    @property
    def event(self) -> Event:
        """Return what the table sees: only the verdict."""
        return Event("forfeit", {"seat": self.seat, "verdict": str(self.fault.verdict)})


class Forfeits:
    """The forfeited seats of one game."""

    __slots__ = ("_seats", "by_seat", "ends_game")

    def __init__(self, seats: int) -> None:
        self._seats = seats
        self.by_seat: dict[int, Forfeit] = {}
        self.ends_game = False
        """Whether fewer than two seats are left without a fault."""

    def add(self, forfeit: Forfeit) -> None:
        """Take a seat out of the game."""
        self.by_seat[forfeit.seat] = forfeit
        self.ends_game = self._seats - len(self.by_seat) < 2

    @property
    def at_decision(self) -> dict[int, int]:
        """The decision at which each faulted seat went out."""
        return {seat: forfeit.at_decision for seat, forfeit in self.by_seat.items()}

    @property
    def verdicts(self) -> list[str | None]:
        """The verdict on each seat; None for seats that played on."""
        return [
            str(self.by_seat[seat].fault.verdict) if seat in self.by_seat else None
            for seat in range(self._seats)
        ]


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

    def by_house(self, state: object) -> Made:
        """Return a move of the house."""
        return self.house.move(state), "house", None

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


_CHEAPLY_HASHED = frozenset({int, str, tuple})
_MOST_FORMS = 10_000
"""Maximum number of moves whose JSON is kept, so that a game of many moves doesn't fill the memory."""


class Questions:
    """Makes the messages of one game. Keeps the JSON of its moves, as most of them are legal in many turns."""

    __slots__ = ("_forms", "_game")

    def __init__(self, game: AnyGame) -> None:
        self._game = game
        self._forms: dict[Any, JSON] = {}

    def ask(
        self, state: Any, decision: Decision[Any], one: Seated, number: int, events: list[dict[str, Any]]
    ) -> Ask:
        """Return the ask with an id (`number`) for a seat's decision; `events` are those it hasn't been told."""
        game, legal = self._game, decision.legal
        view = game.view(state, one.seat)
        if legal is None:
            example = game.format_move(game.sample_move(state, one.seat, one.examples))
            return Ask(number, decision.kind, view, events, one.clock.time, UNSET, example)
        forms = self._forms
        try:
            listed = [forms[move] for move in legal]
        except (KeyError, TypeError):
            listed = self._listed(legal)
        return Ask(number, decision.kind, view, events, one.clock.time, listed)

    def _listed(self, legal: tuple[Any, ...]) -> list[JSON]:
        """Return the JSON of some moves, and keep it if it can be found again in less time than it takes to make."""
        format_move, forms = self._game.format_move, self._forms
        listed = [format_move(move) for move in legal]
        if len(forms) < _MOST_FORMS and all(type(move) in _CHEAPLY_HASHED for move in legal):
            forms.update(zip(legal, listed, strict=True))
        return listed
