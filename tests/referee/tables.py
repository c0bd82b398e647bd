"""Tables to referee at: tickets, players by functions, what a record holds."""

import json
import zlib
from collections.abc import Callable, Sequence
from typing import Any

from arena.core.game import AnyGame
from arena.core.ruleset import ruleset
from arena.core.ticket import Ticket
from arena.players.base import Fault, Player, Reply
from arena.players.house import ScriptedPlayer
from arena.referee.referee import Referee
from arena.referee.transcript import Entrant
from protocol.messages import Ask, Clock, Start
from results.records import GameRecord

PATIENT = Clock(ready_ms=30_000, move_ms=30_000, bank_ms=30_000, margin_ms=20)
"""A clock that no bot fails by."""
LEAGUE = "00000000-league"
SEED = bytes(range(32))


def ticket(
    game: AnyGame,
    seats: int,
    *,
    match_no: int = 0,
    rotation: int = 0,
    seed: bytes = SEED,
    options: dict[str, Any] | None = None,
) -> Ticket:
    """Return a ticket; entry n sits at seat n."""
    rules = game.resolve(ruleset(game.info, None, options), seats)
    return Ticket(LEAGUE, match_no, rotation, tuple(range(seats)), rules, seed)


def entrants(seats: int) -> list[Entrant]:
    return [Entrant(f"entrant-{seat}", f"sha-{seat}") for seat in range(seats)]


def first_move(ask: Ask) -> Any:
    return ask.legal[0] if isinstance(ask.legal, list) else ask.example


def reply(move: Any, wall_ns: int = 0, cpu_ns: int = 0, note: str | None = None) -> Reply:
    return Reply(move, note, wall_ns, cpu_ns)


class Recorder(ScriptedPlayer):
    """Plays by a function of the ask and the number of the ask, from 0; keeps all that it is told."""

    def __init__(
        self,
        answer: Callable[[Ask, int], Reply | Fault] = lambda ask, _: reply(first_move(ask)),
        on_start: Callable[[Start], Fault | None] | None = None,
    ) -> None:
        self.asks: list[Ask] = []
        self._by_number = answer
        super().__init__(self._keep, on_start)

    def _keep(self, ask: Ask) -> Reply | Fault:
        self.asks.append(ask)
        return self._by_number(ask, len(self.asks) - 1)

    @property
    def events(self) -> list[dict[str, Any]]:
        """All events it was told, in order."""
        told = [event for ask in self.asks for event in ask.events]
        return told + (self.ended.events if self.ended else [])


def play(
    game: AnyGame, players: Sequence[Player], referee: Referee | None = None, given: Ticket | None = None
) -> GameRecord:
    """Referee one game between players."""
    seats = len(players)
    return (referee or Referee(clock=PATIENT)).play(
        game, players, entrants(seats), given or ticket(game, seats)
    )


def body_of(record: GameRecord) -> dict[str, Any]:
    """Return the replay body of a record."""
    body: dict[str, Any] = json.loads(zlib.decompress(record.body))
    return body


def timing_of(record: GameRecord) -> dict[str, Any]:
    """Return the times of a record."""
    timing: dict[str, Any] = json.loads(zlib.decompress(record.timing))
    return timing
