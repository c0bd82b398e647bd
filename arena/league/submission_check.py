"""Checks a submission: the bot plays against itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from secrets import token_hex

from arena import registry
from arena.core.ruleset import ruleset
from arena.core.ticket import Ticket, match_seed
from arena.executors.base import Stop
from arena.league.running.game_work import Excused
from arena.league.running.local_games import PreparedGames
from arena.league.running.single_games import play_here, why_failed
from arena.referee.transcript import Entrant
from arena.sandbox.confinement import UNCONFINED, Confinement
from arena.sandbox.program import Program
from arena.submissions.versions import Candidate
from protocol.limits import DEFAULT_CLOCK
from protocol.messages import Clock
from results.records import GameRecord


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The result of a bot's game against itself."""

    game: str
    ruleset: str
    seats: int
    scores: tuple[int, ...]
    fault: str
    """The verdict and its detail; empty for a clean game."""
    log: str
    """The end of the bot's log, if it was at fault."""
    decisions: int
    max_wall_ms: float
    deterministic: bool | None

    @property
    def passed(self) -> bool:
        """Whether the bot may play."""
        return not self.fault


def check(
    candidate: Candidate,
    game_name: str,
    clock: Clock = DEFAULT_CLOCK,
    confinement: Confinement = UNCONFINED,
) -> CheckReport:
    """Play a bot against itself, in the default ruleset at the smallest table.

    It plays three times: twice in one process, once in a fresh one. If the moves are the same, it is deterministic.
    The first fault ends the check.
    Raises GameFailed for a fault that is not the bot's.
    """
    game = registry.game(game_name)
    rules = ruleset(game.info)
    seats = game.seats(rules)[0]
    manifest = candidate.manifest
    program = Program(candidate.folder, manifest.command, engine=manifest.engine, reuse=manifest.reuse)
    work = PreparedGames(
        game_name,
        {0: program},
        {0: Entrant(manifest.name, candidate.sha256)},
        clock=clock,
        confinement=confinement,
    )
    league, seed = token_hex(16), match_seed(b"arena/check", 0)
    resolved = game.resolve(rules, seats)
    # One deal under two match numbers: the same process plays both. A game of the first match again starts a new one.
    tickets = [Ticket(league, match_no, 0, (0,) * seats, resolved, seed) for match_no in (0, 1, 0)]
    records: list[GameRecord] = []
    stop = Stop()
    for chunk in play_here(work, _Once(tickets), stop):
        for played in chunk:
            result = played.game if isinstance(played, Excused) else played
            if not isinstance(result, GameRecord):
                raise why_failed(result, game)
            records.append(result)
        if any(map(_fault, records)):
            stop.at_once = True  # further games could only take as long to fail again
    first = next((record for record in records if _fault(record)), records[0])
    return CheckReport(
        game=game_name,
        ruleset=rules.name,
        seats=seats,
        scores=tuple(seat.score for seat in first.seats),
        fault=_fault(first),
        log=_log(first),
        decisions=sum(seat.decisions for seat in first.seats),
        max_wall_ms=max(seat.max_wall_ns for record in records for seat in record.seats) / 1_000_000,
        deterministic=None if _fault(first) else len({record.fingerprint for record in records}) == 1,
    )


class _Once:
    """A `TicketSource` that hands out each ticket once."""

    def __init__(self, tickets: Sequence[Ticket]) -> None:
        self._tickets = list(tickets)

    def take(self, most: int, worker_no: int) -> list[Ticket]:  # noqa: ARG002 - there is one worker
        taken, self._tickets = self._tickets[:most], self._tickets[most:]
        return taken


def _fault(record: GameRecord) -> str:
    return next((f"{seat.verdict}: {seat.detail}" for seat in record.seats if seat.verdict), "")


def _log(record: GameRecord) -> str:
    at_fault = {seat.seat for seat in record.seats if seat.verdict}
    for log in record.logs:
        if log.seat in at_fault:
            return (log.head + log.tail).decode("utf-8", "replace")[-2000:]
    return ""
