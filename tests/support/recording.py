"""Bots within this process that keep the bytes they are sent, and stored games of them."""

import hashlib
import json
import zlib
from collections.abc import Sequence
from typing import Any

from arena.conversation.rebuild import StoredGame
from arena.core.game import AnyGame
from arena.core.ruleset import ruleset
from arena.core.ticket import Ticket
from arena.players.base import NO_LOG, Fault, PlayerLog, Reply
from arena.referee.referee import Referee
from arena.registry import game as game_named
from protocol import codec
from protocol.messages import ArenaMessage, Ask, Clock, End, Limits, Start
from protocol.verdicts import Verdict
from results.records import GameRecord, MatchDeal
from tests.support.tables import body_of, entrants, timing_of

CLOCK = Clock(ready_ms=1_000, move_ms=10, bank_ms=60_000, margin_ms=20)
LIMITS = Limits(line_bytes=65_536, depth=16, output_bytes=1_048_576, note_chars=500)
SEED = b"\7" * 32
NS_PER_MS = 1_000_000


class Recording:
    """Answers by a hash of the seat and the number of the ask; some answers take longer than a move's time. A `Player`.

    `first_id`: of its first ask, as in a process that has played before. `fails_at`: it forfeits on the ask of that
    number, from 0; `verdict`: how. `fails_at` −1: it doesn't start; `None`: it plays on.
    """

    def __init__(
        self, seat: int, first_id: int = 1, fails_at: int | None = None, verdict: Verdict = Verdict.ILLEGAL
    ) -> None:
        self.seat = seat
        self.sent: list[bytes] = []
        self.moves: list[Any] = []
        self._first_id = self._id = first_id
        self._fails_at = fails_at
        self._verdict = verdict
        self._line_bytes = 0

    def _hear(self, message: ArenaMessage) -> None:
        self.sent.append(codec.encode(message, self._line_bytes))

    def start(self, message: Start, limit_ms: int) -> Fault | None:  # noqa: ARG002 - always in time
        """Begin a game, or don't."""
        self._line_bytes = message.limits.line_bytes
        self._hear(message)
        return Fault(Verdict.STARTUP, "made to fail") if self._fails_at == -1 else None

    def next_id(self) -> int:
        """Return the next id."""
        return self._id

    def ask(self, message: Ask, limit_ns: int) -> Reply | Fault:  # noqa: ARG002 - the reply says how long it took
        """Answer."""
        self._hear(message)
        number, self._id = self._id - self._first_id, self._id + 1
        drawn = hashlib.sha256(f"{self.seat}/{number}".encode()).digest()
        wall_ns = (drawn[4] % 16) * NS_PER_MS + drawn[5]
        if number == self._fails_at:
            if self._verdict is Verdict.ILLEGAL:
                return Reply({"type": "no such move"}, None, wall_ns, 0)
            return Fault(self._verdict, "made to fail", wrote="half a li", was_asked=False)
        legal = message.legal if isinstance(message.legal, list) else [message.example]
        move = legal[int.from_bytes(drawn[:4], "big") % len(legal)]
        self.moves.append(move)
        return Reply(move, f"note {number}" if drawn[6] % 2 else None, wall_ns, 7)

    def last_look(self) -> Fault | None:
        """Find a fault after the last move, if it was made to fail then."""
        return Fault(Verdict.PONDERING, "made to fail") if self._fails_at == 1_000_000 else None

    def end(self, message: End) -> PlayerLog:
        """Hear the result."""
        self._hear(message)
        return NO_LOG

    def stop(self) -> PlayerLog:
        """Say no more."""
        return NO_LOG


def play(game: AnyGame, ruleset_name: str, players: Sequence[Recording], rotation: int = 0) -> GameRecord:
    """Referee a game between recording bots."""
    seats = len(players)
    rules = game.resolve(ruleset(game.info, ruleset_name), seats)
    ticket = Ticket("0" * 32, 3, rotation, tuple(range(seats)), rules, match_seed=SEED)
    return Referee(clock=CLOCK, limits=LIMITS).play(game, list(players), entrants(seats), ticket)


def stored(record: GameRecord, **changes: Any) -> StoredGame:
    """Return a game as it comes out of a store."""
    body = json.loads(zlib.decompress(record.body))
    facts: dict[str, Any] = {
        "timing": timing_of(record),
        "deal": MatchDeal(SEED, record.rotation),
        "clock": CLOCK,
        "limits": LIMITS,
    }
    return StoredGame(game_named(body["game"]), body_of(record), record.seats, **facts | changes)
