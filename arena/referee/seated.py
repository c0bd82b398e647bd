"""A player at a seat in one game: its times, the events it has been sent, and what it is asked."""

from dataclasses import dataclass
from typing import Any

from msgspec import UNSET, structs

from arena.core.chance import Stream
from arena.core.game import JSON, AnyGame, Decision, Event
from arena.core.ticket import Ticket
from arena.players.base import NO_LOG, Fault, Player, PlayerLog, Reply
from arena.referee.clock import SeatClock
from protocol.messages import Ask, Clock, Limits, Start, Time
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
        """What the table sees: only the verdict."""
        return Event("forfeit", {"seat": self.seat, "verdict": str(self.fault.verdict)})

    @property
    def record(self) -> dict[str, JSON]:
        """The forfeit as the replay has it."""
        return {"seat": self.seat, "verdict": str(self.fault.verdict), "at_decision": self.at_decision}


@dataclass(slots=True)
class Seated:
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

    def record(self, score: int, rank: int) -> SeatRecord:
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
        self,
        state: Any,
        decision: Decision[Any],
        number: int,
        events: list[dict[str, Any]],
        time: Time,
        examples: Stream,
    ) -> Ask:
        """Return the ask with an id (`number`) for a decision; `events` are those that its seat hasn't been told."""
        game, seat, legal = self._game, decision.seat, decision.legal
        view = game.view(state, seat)
        if legal is None:
            example = game.format_move(game.sample_move(state, seat, examples))
            return Ask(number, decision.kind, view, events, time, UNSET, example)
        forms = self._forms
        try:
            listed = [forms[move] for move in legal]
        except (KeyError, TypeError):
            listed = self._listed(legal)
        return Ask(number, decision.kind, view, events, time, listed)

    def _listed(self, legal: tuple[Any, ...]) -> list[JSON]:
        """Return the JSON of some moves, and keep it if it can be found again in less time than it takes to make."""
        format_move, forms = self._game.format_move, self._forms
        listed = [format_move(move) for move in legal]
        if len(forms) < _MOST_FORMS and all(type(move) in _CHEAPLY_HASHED for move in legal):
            forms.update(zip(legal, listed, strict=True))
        return listed


def start_message(
    game: AnyGame, state: Any, ticket: Ticket, seat: int, clock: Clock, limits: Limits, bot_seed: int
) -> Start:
    """Return the message that begins a game at a seat; `state` is that after the deal."""
    line_bytes = max(limits.line_bytes, game.info.line_bytes)
    return Start(
        game=game.info.name,
        ruleset=ticket.ruleset.name,
        options=dict(ticket.ruleset.options),
        seat=seat,
        seats=len(ticket.entries),
        bot_seed=bot_seed,
        clock=clock,
        limits=structs.replace(limits, line_bytes=line_bytes),
        private=game.private(state, seat),
    )
