"""Tables to referee at: tickets, players by functions, a pool with one bot, what a record holds."""

import json
import secrets
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena.core.game import AnyGame
from arena.core.ruleset import ruleset
from arena.core.ticket import Ticket
from arena.players.base import Fault, Player, PlayerLog, Reply, ScriptedPlayer
from arena.players.pool import BotPool, PoolLimits
from arena.referee.referee import Referee
from arena.referee.transcript import Entrant
from arena.sandbox.bot_program import Program
from arena.sandbox.confinement import UNCONFINED, Confinement
from arena.sandbox.survivors import find_marked
from protocol.messages import DEFAULT_LIMITS, Ask, Clock, End, Limits, Start
from results.records import GameRecord
from tests.support.games import BIDS
from tests.support.waiting import eventually

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
        self.started: Start | None = None
        self.ended: End | None = None
        self.stopped = False
        self._by_number = answer
        super().__init__(self._keep, on_start)

    def start(self, message: Start, limit_ms: int) -> Fault | None:
        self.started = message
        return super().start(message, limit_ms)

    def end(self, message: End) -> PlayerLog:
        self.ended = message
        return super().end(message)

    def stop(self) -> PlayerLog:
        self.stopped = True
        return super().stop()

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


class Bench:
    """The bot sits at seat 0 of every game."""

    def __init__(self, pool: BotPool, place: Path, token: str) -> None:
        self.pool = pool
        self.place = place
        self.token = token
        self.games = 0

    def game(
        self,
        opponents: Sequence[Player],
        clock: Clock = PATIENT,
        limits: Limits = DEFAULT_LIMITS,
        match_no: int | None = None,
        padding: int = 0,
    ) -> GameRecord:
        """Play a game, of a match of its own unless told; return its record."""
        match_no = self.games if match_no is None else match_no
        self.games += 1
        given = ticket(BIDS, 1 + len(opponents), match_no=match_no, options={"padding": padding})
        player = self.pool.take(0, (given.league, match_no), 0)
        try:
            return play(BIDS, [player, *opponents], Referee(clock, limits), given)
        except BaseException:
            player.stop()
            raise
        finally:
            self.pool.give_back(0, player, 0)


def new_token() -> str:
    """Return a token of which no other begins with it: what bears it is killed when the pool closes."""
    return f"test-{secrets.token_hex(8)}"


@contextmanager
def bench(
    place: Path,
    bot: Program,
    limits: PoolLimits | None = None,
    confinement: Confinement = UNCONFINED,
) -> Iterator[Bench]:
    """Make a bench with folders below `place`; afterwards nothing may be left of it."""
    token = new_token()
    with BotPool({0: bot}, place, token, limits or PoolLimits(startup_ms=30_000), confinement) as pool:
        yield Bench(pool, place, token)
    assert eventually(lambda: not find_marked(token)), "processes are left"
    assert not place.exists()
