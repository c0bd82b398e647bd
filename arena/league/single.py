"""Single matches, outside any league: `arena match`, and the check of a submission."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from secrets import token_bytes, token_hex
from typing import Any

from arena import registry
from arena.core.errors import ArenaError, UsageError
from arena.core.game import AnyGame
from arena.core.late_chance import EndlessDraws
from arena.core.length import EndlessGame
from arena.core.rotation import Rotations, seatings
from arena.core.ruleset import Ruleset, ruleset
from arena.core.ticket import Ticket, match_seed
from arena.executors.base import Lost, Stop, TicketSource
from arena.executors.processes import ProcessExecutor
from arena.league.definition.seeds import secret_of_seed
from arena.league.running.host import PreparedGames
from arena.league.running.tickets import PlannedMatch, Tickets
from arena.league.running.work import Excused, Failure
from arena.league.setting import parse_options
from arena.referee.transcript import Entrant
from arena.registry import blaming
from arena.sandbox.confinement import UNCONFINED, Confinement
from arena.sandbox.program import Program
from arena.submissions.versions import Candidate, program_of, refuse_unknown_program
from protocol.limits import DEFAULT_CLOCK
from protocol.messages import Clock
from results.records import EntrySpec, GameRecord, RulesetRecord, VersionRecord
from results.store import Store


class GameFailed(ArenaError):
    """A game that could not be played, through no fault of a bot."""


@dataclass(frozen=True, slots=True)
class MatchSetting:
    """How a single match is played."""

    game: AnyGame
    ruleset: Ruleset
    """Resolved."""
    rotations: Rotations
    clock: Clock = DEFAULT_CLOCK


def match_setting(
    game_name: str,
    ruleset_name: str | None,
    options: Sequence[str],
    seats: int,
    rotations: Rotations | None,
    clock: Clock = DEFAULT_CLOCK,
) -> MatchSetting:
    """Return the setting of a match from the words of a command line; options are NAME=VALUE.

    Raises UsageError where they make no sense or the ruleset is not for that many seats.
    """
    game = registry.game(game_name)
    rules = ruleset(game.info, ruleset_name, parse_options(game, options))
    with blaming("game", game_name, game):
        allowed = game.seats(rules)
        if seats not in allowed:
            raise UsageError(
                f"{game.info.name} ({rules.name}) is for {allowed[0]} to {allowed[-1]} players, not {seats}",
                "name a bot for each seat",
            )
        resolved = game.resolve(rules, seats)
    return MatchSetting(game, resolved, rotations or "off", clock)


def play_match(
    store: Store,
    setting: MatchSetting,
    versions: Sequence[VersionRecord],
    labels: Sequence[str],
    seed: str | None = None,
    confinement: Confinement = UNCONFINED,
) -> Iterator[GameRecord]:
    """Play one match between versions, in base order by seat; enter it into `casual`; yield its games.

    Raises GameFailed where a game could not be played, UsageError where a bot's program may not be started here.
    """
    for version in versions:
        refuse_unknown_program(program_of(store, version), confinement.runtimes, version.reference)
    league = store.leagues.casual()
    entries = [
        store.entries.casual(EntrySpec(label, version.id))
        for label, version in zip(labels, versions, strict=True)
    ]
    numbers = tuple(entry.entry_no for entry in entries)
    rules = setting.ruleset
    match = store.matches.plan_next(
        league.uuid,
        numbers,
        len(seatings(numbers, setting.rotations)),
        why="a single match",
        ruleset=RulesetRecord(rules.game, rules.version, rules.name, rules.key),
    )
    by_number = dict(zip(numbers, versions, strict=True))
    work = PreparedGames(
        game=setting.game.info.name,
        programs={number: program_of(store, version) for number, version in by_number.items()},
        entrants={
            entry.entry_no: Entrant(entry.label, by_number[entry.entry_no].sha256) for entry in entries
        },
        clock=setting.clock,
        confinement=confinement,
    )
    secret = token_bytes(32) if seed is None else secret_of_seed(seed)
    planned = iter([[PlannedMatch(match.match_no, numbers)]])
    tickets = Tickets(
        league.uuid,
        lambda _match_no: match_seed(secret, 0),
        {len(numbers): rules},
        setting.rotations,
        lambda: next(planned, []),
        lambda _match_no, _rotation: False,
    )
    for chunk in _played(work, tickets):
        for result in chunk:
            game = result.game if isinstance(result, Excused) else result
            if isinstance(game, GameRecord):
                store.append([game])
                yield game
            else:
                store.append([], [result.record] if isinstance(result, Failure) else [])
                if _is_endless(result) or not tickets.play_again(result.ticket):
                    raise _why_failed(result, setting.game)


def _played(work: PreparedGames, source: TicketSource) -> Iterator[list[Any]]:
    """Yield the results of games that one worker plays here."""
    return ProcessExecutor(1).run(work, source, Stop())


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What came of a bot's game against itself."""

    game: str
    ruleset: str
    seats: int
    scores: tuple[int, ...]
    fault: str
    """The verdict and its detail; empty for a clean game."""
    log: str
    """The end of the bot's log where it was at fault."""
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

    Twice in one process and once in a fresh one: the same moves all three times make it deterministic.
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
    # One deal under two match numbers: the same process plays both. The first number again gets a fresh process.
    tickets = [Ticket(league, match_no, 0, (0,) * seats, resolved, seed) for match_no in (0, 1, 0)]
    records = []
    for chunk in _played(work, _Once(tickets)):
        for played in chunk:
            result = played.game if isinstance(played, Excused) else played
            if not isinstance(result, GameRecord):
                raise _why_failed(result, game)
            records.append(result)
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
    """Tickets that are played once. A `TicketSource`."""

    def __init__(self, tickets: Sequence[Ticket]) -> None:
        self._tickets = list(tickets)

    def take(self, most: int, place: int) -> list[Ticket]:  # noqa: ARG002 - there is one place
        taken, self._tickets = self._tickets[:most], self._tickets[most:]
        return taken


def _is_endless(result: Failure | Lost) -> bool:
    """Return whether a game did not end, and would not the next time."""
    detail = result.detail if isinstance(result, Lost) else result.record.detail
    return any(f"{kind.__module__}.{kind.__name__}: " in detail for kind in (EndlessGame, EndlessDraws))


def _why_failed(result: Failure | Lost, game: AnyGame) -> GameFailed:
    """Return what to tell of a game that could not be played: where its rules failed, that it was these."""
    if isinstance(result, Lost):
        return GameFailed(f"a game could not be played: {result.detail}", "nothing was rated; try again")
    detail = result.record.detail.strip().splitlines()
    places = [line.strip() for line in detail if line.lstrip().startswith("File ")]
    where = f" ({places[-1]})" if places else ""
    for refused in (EndlessGame, EndlessDraws):
        named = f"{refused.__module__}.{refused.__name__}: "
        if detail[-1].startswith(named):
            return GameFailed(detail[-1].removeprefix(named), f"nothing was rated; {refused.remedy}")
    source = getattr(sys.modules.get(type(game).__module__), "__file__", None)
    if any(f'File "{source}"' in place for place in places):
        return GameFailed(
            f"the game {game.info.name!r} failed: {detail[-1]}{where}",
            "nothing was rated; this is a fault of the game: fix it, or tell who wrote it",
        )
    return GameFailed(f"a game could not be played: {detail[-1]}{where}", "nothing was rated; try again")


def _fault(record: GameRecord) -> str:
    return next((f"{seat.verdict}: {seat.detail}" for seat in record.seats if seat.verdict), "")


def _log(record: GameRecord) -> str:
    at_fault = {seat.seat for seat in record.seats if seat.verdict}
    for log in record.logs:
        if log.seat in at_fault:
            return (log.head + log.tail).decode("utf-8", "replace")[-2000:]
    return ""
