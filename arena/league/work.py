"""The work of one worker: plays the games of a league with its bots."""

import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import mkdtemp

from msgspec import structs

from arena import registry
from arena.core.ticket import Ticket
from arena.players.base import Fault, Player
from arena.players.bot import BotPlayer
from arena.players.house import ScriptedPlayer
from arena.players.killed import EndedFromOutside
from arena.players.pool import BotPool, HostRefusal, PoolLimits
from arena.referee.referee import Referee
from arena.referee.transcript import Entrant
from arena.sandbox.confinement import UNCONFINED, Confinement
from arena.sandbox.program import Program
from arena.sandbox.refusals import Refusal, refusal
from protocol.limits import DEFAULT_CLOCK, DEFAULT_LIMITS
from protocol.messages import Clock, Limits
from protocol.verdicts import Verdict
from results.records import AttemptRecord, GameRecord

BENCHED = Fault(
    Verdict.PONDERING, "benched for thinking on others' time in earlier games; it was not started"
)


@dataclass(frozen=True, slots=True)
class GameWork:
    """What a worker needs to play any game of a league. A `Work`; picklable."""

    game: str
    programs: Mapping[int, Program]
    """By entry number."""
    entrants: Mapping[int, Entrant]
    clock: Clock = DEFAULT_CLOCK
    limits: Limits = DEFAULT_LIMITS
    pace_ms: int = 0
    """How long a turn lasts at least, as all seats see it."""
    pool: PoolLimits = field(default_factory=PoolLimits)
    confinement: Confinement = UNCONFINED

    def open(self, worker: str, token: str, *, own_process: bool) -> "GamePlaying":
        """Begin in a worker."""
        return GamePlaying(self, worker, token, own_process=own_process)


@dataclass(frozen=True, slots=True)
class Excused:
    """A game with a fault for which the machine is to blame: to be played again, where there is an excuse left."""

    ticket: Ticket
    game: GameRecord
    """With the fault, for where it is not to be played again."""
    record: AttemptRecord
    """The failure it is otherwise; names the entry."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A game that came to nothing through a fault of the platform."""

    ticket: Ticket
    record: AttemptRecord
    refusal: Refusal | None = None
    """What the machine has run out of, where it was that."""


class GamePlaying:
    """The bots of one worker and the referee among them. A `Playing`."""

    def __init__(self, work: GameWork, worker: str, token: str, *, own_process: bool) -> None:
        self._work = work
        self._game = registry.game(work.game)
        self._excuses: list[tuple[int, str]] = []
        self._referee = Referee(
            work.clock,
            work.limits,
            pace_ms=work.pace_ms,
            worker=worker,
            sandbox=work.confinement.level.word,
            excused=lambda entry_no, fault: self._excuses.append((entry_no, fault.excuse)),
        )
        self._rotation = 0
        place = Path(mkdtemp(prefix="arena-bots-"))
        self._pool = BotPool(
            work.programs, place, token, work.pool, work.confinement, owns_all_children=own_process
        )

    def play(self, ticket: Ticket) -> GameRecord | Excused | Failure:
        """Play one game. What goes wrong on our side comes back as a failure, to be played again."""
        players: list[Player] = []
        self._excuses.clear()
        if ticket.rotation != self._rotation:
            # Others may have heard of the deals from those that played them, and tell them on.
            self._rotation = ticket.rotation
            self._pool.end_idle()
        try:
            for seat, entry_no in enumerate(ticket.entries):
                players.append(
                    ScriptedPlayer(on_start=lambda _: BENCHED)
                    if entry_no in ticket.benched
                    else self._pool.take(entry_no, (ticket.league, ticket.match_no), seat)
                )
            entrants = [self._work.entrants[entry_no] for entry_no in ticket.entries]
            result: GameRecord | Excused | Failure = self._referee.play(self._game, players, entrants, ticket)
            if self._excuses and isinstance(result, GameRecord):
                result = self._excused(ticket, result)
        except EndedFromOutside as error:
            result = self._failed(players, ticket, Verdict.HOST, str(error))
        except HostRefusal as error:
            result = self._failed(players, ticket, Verdict.HOST, str(error))
            record = structs.replace(result.record, entry_no=error.entry_no)
            result = replace(result, record=record, refusal=error.refusal)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is our fault and must not cost the league
            if refused := refusal(error):
                result = self._failed(
                    players, ticket, Verdict.HOST, f"{refused.what}\n{traceback.format_exc()}"
                )
                result = replace(result, refusal=refused)
            else:
                result = self._failed(players, ticket, Verdict.INTERNAL, traceback.format_exc())
        for seat, player in enumerate(players):
            if isinstance(player, BotPlayer):
                self._pool.give_back(ticket.entries[seat], player, seat)
        self._pool.settle()
        return result

    def _excused(self, ticket: Ticket, game: GameRecord) -> Excused:
        entry_no, detail = self._excuses[0]
        failed = failure(ticket, Verdict.OVERLOAD, detail, self._referee.worker)
        return Excused(ticket, game, structs.replace(failed.record, entry_no=entry_no))

    def _failed(self, players: Sequence[Player], ticket: Ticket, verdict: Verdict, detail: str) -> Failure:
        for player in players:
            player.stop()
        return failure(ticket, verdict, detail, self._referee.worker)

    def close(self) -> None:
        """End all bots."""
        self._pool.close()


def failure(ticket: Ticket, verdict: Verdict, detail: str, worker: str) -> Failure:
    """Return a game that came to nothing, with its record."""
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    key = (ticket.league, ticket.match_no, ticket.rotation)
    return Failure(ticket, AttemptRecord(*key, ticket.attempt, verdict, detail, worker, at))
