"""Plays the deal of a stored game again, with the same bots or others, and steps a bot through one of its seats."""

import re
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from arena import registry
from arena.config.league_file import LeagueFile
from arena.conversation.bot_replay import SandboxedBot, StepWork
from arena.conversation.rebuild import clock_of
from arena.core.errors import MachineRefuses, UsageError
from arena.core.game import AnyGame
from arena.core.replay import Body, canonical, ruleset_named
from arena.executors.base import Stop
from arena.executors.worker import SerialExecutor
from arena.league.definition.bot_arguments import labels
from arena.league.definition.bots_of_commands import StagedBot, Table, TablePlayer
from arena.league.definition.stored import file_of
from arena.league.single_match import MatchRules
from arena.league.stored_games import FoundGame, clock_and_limits, deal_of, rules_of
from arena.players.pool import HostRefusal, PoolLimits
from arena.sandbox.bot_program import Program, game_files
from arena.sandbox.confinement import Confinement
from arena.submissions.launch_spec import program_of
from protocol.messages import STARTUP_MS
from results.base.advice import Advice, run
from results.base.errors import ReplayNotKept
from results.base.text import counted
from results.records import MatchDeal
from results.store import Store

_AT_SEAT = re.compile(r"(\d+)=(.+)", re.DOTALL)


class Repetition(Struct, frozen=True):
    """What it takes to play a stored game again."""

    rules: MatchRules
    table: Table
    deal: MatchDeal
    file: LeagueFile | None
    """The league file, for the limits of bots; None if it has none, as in `casual`."""
    fingerprint: str
    body: Body | None
    """Of the stored game; None if its replay wasn't kept."""


def named_seats(bots: Sequence[str], found: FoundGame) -> dict[int, str]:
    """Return which bots take which seats: SEAT=BOT, or a bot for each seat. Raises UsageError."""
    seats = len(found.labels)
    single = [_AT_SEAT.fullmatch(bot) for bot in bots]
    if bots and not any(single):
        if len(bots) != seats:
            raise UsageError(
                f"{found.name} has {counted(seats, 'seat')}, but the bots named fill {len(bots)}",
                "name a bot for each seat, or single seats as SEAT=BOT, such as 0=./mybot",
            )
        return dict(enumerate(bots))
    named: dict[int, str] = {}
    for bot, one in zip(bots, single, strict=True):
        if one is None:
            raise UsageError(
                f"{bot!r} names no seat, but others do", "write SEAT=BOT for each, such as 0=./mybot"
            )
        seat = int(one[1])
        if seat >= seats or seat in named:
            raise UsageError(
                f"{found.name} has no seat {seat}" if seat >= seats else f"seat {seat} is named twice",
                f"its seats are 0 to {seats - 1}",
            )
        named[seat] = one[2]
    return named


def repetition_of(store: Store, found: FoundGame, others: Mapping[int, StagedBot]) -> Repetition:
    """Return what plays a game of a finished match again, with `others` at seats. Raises UsageError, RulesMissing."""
    deal = deal_of(store, found)
    if deal is None:
        raise UsageError(
            f"the deal of {found.name} can't be played again: its seed isn't stored",
            "only games of which the store keeps the seed can be played again",
        )
    record, league = found.record, found.league
    match = store.matches.get(league.uuid, record.match_no)
    ruleset = match.ruleset or league.ruleset
    if ruleset is None:
        raise UsageError(f"the ruleset of {found.name} is missing", Advice("run ", run("db verify")))
    game = rules_of(ruleset.game, ruleset.version)
    resolved = game.resolve(ruleset_named(game, ruleset.name), len(found.labels))
    clock, limits = clock_and_limits(league)
    body, fingerprint = None, record.fingerprint
    try:
        replay = store.replays.get(league.uuid, record.match_no, record.rotation)
    except ReplayNotKept:
        pass
    else:
        body = replay.decoded(found.name)
        clock, limits = clock_of(replay.decoded_timing(found.name), clock, limits)
    file = file_of(league) if league.config else None
    rules = MatchRules(
        game,
        resolved,
        "off",
        clock,
        limits,
        pace_ms=file.clock.pace_ms if file else 0,
        startup_ms=file.clock.startup_ms if file else STARTUP_MS,
    )
    players: list[TablePlayer] = []
    index_of: dict[object, int] = {}
    seats: list[int] = []
    entries = {entry.entry_no: entry for entry in store.entries.all(league.uuid)}
    named = dict(zip(sorted(others), labels([others[seat].version for seat in sorted(others)]), strict=True))
    key: object
    for seat in record.seats:
        other, entry = others.get(seat.seat), entries[seat.entry_no]
        if other is not None:
            key, player = ("other", other.version.id), TablePlayer(named[seat.seat], other)
        elif entry.version is None:
            raise UsageError(
                f"{entry.label} in seat {seat.seat} of {found.name} was a person",
                f"name a bot for the seat: {seat.seat}=BOT",
            )
        else:
            program = program_of(store, entry.version, entry.args)
            key = ("entry", entry.entry_no)
            player = TablePlayer(entry.label, StagedBot(entry.version, program), entry.args)
        if key not in index_of:
            index_of[key] = len(players)
            players.append(player)
        seats.append(index_of[key])
    return Repetition(rules, Table(tuple(players), tuple(seats)), deal, file, fingerprint, body)


class Difference(Struct, frozen=True):
    """Where a game played again first differs from the stored one."""

    decision: int | None
    """The decision number; None if all moves are the same, and only names, versions or notes differ."""
    stored: str
    played: str
    """What the two games have there, as JSON; empty if one has ended."""


def difference(stored: Body, played: Body) -> Difference | None:
    """Return where two games on the same deal first differ; None if they are the same."""
    if canonical(stored) == canonical(played):
        return None
    longest = max(len(stored["moves"]), len(played["moves"]))
    for decision in range(longest + 1):
        there, here = _at(stored, decision), _at(played, decision)
        if there != here:
            return Difference(decision, there, here)
    return Difference(None, "", "")


def _at(body: Body, decision: int) -> str:
    """Return what a game has at a decision, without notes: faults, and the move."""
    faults = [
        f"seat {fault['seat']}: {fault['verdict']}"
        for fault in body["faults"]
        if fault["at_decision"] == decision
    ]
    moves = body["moves"]
    if decision >= len(moves):
        return "; ".join(faults)
    move = moves[decision]
    maker = "" if move["by"] == "bot" else f" ({move['by']})"
    return "; ".join([*faults, f"seat {move['seat']}{maker}: {canonical(move['move']).decode()}"])


def with_bot(
    program: Program,
    confinement: Confinement,
    game: AnyGame,
    startup_ms: int,
    do: Callable[[SandboxedBot], None],
) -> None:
    """Start a bot for a game, call a function with it, and remove all of it. Raises MachineRefuses."""
    work = StepWork(
        program,
        confinement,
        PoolLimits(startup_ms=startup_ms),
        lambda: game_files(type(game).__module__, registry.distribution_of(game)),
    )
    for results in SerialExecutor().run(work, _Once(do), Stop()):
        for result in results:
            if isinstance(result, HostRefusal):
                raise MachineRefuses(str(result), "`arena doctor` says what is missing")


class _Once:
    """A `TicketSource` with one ticket."""

    def __init__(self, do: Callable[[SandboxedBot], None]) -> None:
        self._tickets = [do]

    def take(self, most: int, worker_no: int) -> list[Callable[[SandboxedBot], None]]:  # noqa: ARG002 - one worker
        """Return the ticket, once."""
        taken, self._tickets = self._tickets[:most], self._tickets[most:]
        return taken
