"""Plays the games of a league on this machine: prepares the work for it, then opens the work in each worker."""

import platform
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from tempfile import mkdtemp
from typing import Any, Protocol

from msgspec import Struct, field, structs
from msgspec.structs import replace

from arena import registry
from arena.core.errors import ArenaError
from arena.core.ticket import Ticket, WorkEntry
from arena.league.running.work_units import STARTLESS_AFTER, Excused, Failure, GameWork, failure, raised
from arena.players.base import Fault, Player, ScriptedPlayer
from arena.players.bot import BotPlayer
from arena.players.channel import Tap
from arena.players.person import Person, PersonIO
from arena.players.pool import BotPool, HostRefusal, PoolLimits
from arena.players.process import EndedFromOutside
from arena.referee.referee import Referee
from arena.referee.transcript import Entrant
from arena.sandbox.bot_program import Program, game_files, refuse_unknown_program
from arena.sandbox.confinement import UNCONFINED, Confinement, choose
from arena.sandbox.machine_shortage import refusal
from arena.sandbox.probe import ProbeReport
from arena.sandbox.runtimes import Runtimes
from arena.submissions.version_files_by_hash import VersionSource
from protocol.messages import DEFAULT_CLOCK, DEFAULT_LIMITS, Clock, Limits
from protocol.verdicts import Verdict
from results.records import GameRecord, SeatRecord

BENCHED = Fault(
    Verdict.PONDERING, "benched for thinking during other players' turns in earlier games; it was not started"
)
"""Of an entry that Arena benched. One that the organiser benched is only said not to have started."""


class Observer(Protocol):
    """Sees what passes between Arena and the bots of a game that is played in this process."""

    def tap(self, seat: int) -> Tap | None:
        """Return what sees the lines of the bot at a seat; None if nobody wants to."""

    def asking(self, seat: int, decision: int, ask_id: int) -> None:
        """See which decision a seat is asked for next, by the id of the ask."""


class EntryPrograms(dict[int, Program]):
    """The programs of a league's entries, by entry number, each looked up when first needed.

    Raises HostRefusal if this machine can't get a version or may not start it. Bots are checked when a league is
    created, so this is the machine's fault. Picklable if `versions` is.
    """

    def __init__(self, entries: Mapping[int, WorkEntry], versions: VersionSource, runtimes: Runtimes) -> None:
        super().__init__()
        self._entries = dict(entries)
        self._versions = versions
        self._runtimes = runtimes

    def admit(self, entry_no: int, entry: WorkEntry) -> None:
        """Add an entry that has joined the league."""
        self._entries[entry_no] = entry

    def __missing__(self, entry_no: int) -> Program:
        entry = self._entries[entry_no]
        try:
            if entry.machine and entry.machine != platform.machine():
                raise ArenaError(
                    f"entry {entry.label!r} was built for {entry.machine}, and this machine is {platform.machine()}",
                    "play it on machines like the one where it was submitted",
                )
            folder = self._versions.folder(entry.sha256)
            program = Program(folder, entry.command, engine=entry.engine, reuse=entry.reuse)
            refuse_unknown_program(program, self._runtimes, f"entry {entry.label!r}")
        except ArenaError as error:
            said = f"{error}; {error.hint}" if error.hint else str(error)
            raise HostRefusal(f"this machine cannot play: {said}", entry_no, None) from error
        self[entry_no] = program
        return program


class AtTable(Struct, frozen=True):
    """A person at the table."""

    face: PersonIO
    move_s: float | None = None
    """Time limit of each decision; None for no limit."""
    watched: Callable[[Mapping[str, Any], Sequence[Mapping[str, Any]]], None] | None = None
    """Called after the deal and each turn with what spectators see; see `Referee.watched`."""


class PreparedGames(Struct, frozen=True):
    """A league's work on the machine that plays it: a `PreparedWork`, and a `Work` that needs no preparation."""

    game: str
    programs: Mapping[int, Program]
    entrants: dict[int, Entrant]
    clock: Clock = DEFAULT_CLOCK
    limits: Limits = DEFAULT_LIMITS
    pace_ms: int = 0
    """Shortest duration of a turn, as all seats see it."""
    pool: PoolLimits = field(default_factory=PoolLimits)
    confinement: Confinement = UNCONFINED
    observer: Observer | None = None
    people: Mapping[int, AtTable] = field(default_factory=dict)
    """Entries that are people. They sit at a terminal of this process, so only the serial executor can play this."""

    def prepare(self) -> "PreparedGames":
        """Return itself."""
        return self

    def admit(self, ticket: Ticket) -> None:
        """Take in the newcomers of a ticket."""
        for entry_no, entry in ticket.newcomers:
            if entry_no not in self.entrants and isinstance(self.programs, EntryPrograms):
                self.programs.admit(entry_no, entry)
                self.entrants[entry_no] = Entrant(entry.label, entry.sha256)

    def open(self, worker: str, token: str, *, own_process: bool) -> "GamePlaying":
        """Start playing in a worker."""
        return GamePlaying(self, worker, token, own_process=own_process)


def prepare(
    work: GameWork, versions: VersionSource, runtimes: Runtimes, private: tuple[Path, ...]
) -> tuple[PreparedGames, ProbeReport]:
    """Return a league's work prepared for this machine, and the report of the sandbox probe.

    `private` are folders that no bot may see; `runtimes` are the programs that bots may start here by name.
    Raises UsageError if this machine can't confine bots as wanted or lacks the game, MachineRefuses if the probe
    fails, and ArenaError if the game has another version of its rules here.
    """
    info = registry.game(work.game).info
    if info.version != work.rules_version:
        raise ArenaError(
            f"the league needs version {work.rules_version} of the rules of {info.name}, but version {info.version} "
            "is installed here",
            "install the same version of the game on all machines",
        )
    wanted = work.wanted
    confinement, report = choose(
        wanted.sandbox, wanted.bounds, private, pondering=wanted.pondering, runtimes=runtimes
    )
    prepared = PreparedGames(
        game=work.game,
        programs=EntryPrograms(work.entries, versions, runtimes),
        entrants={number: Entrant(entry.label, entry.sha256) for number, entry in work.entries.items()},
        clock=work.clock,
        limits=work.limits,
        pace_ms=work.pace_ms,
        pool=PoolLimits(startup_ms=work.startup_ms),
        confinement=confinement,
    )
    return prepared, report


REST_FACTOR = 10
"""For this many times as long as its latest start failed to end, a bot is not started again."""


class StartBreaker:
    """Keeps one worker from starting bots again and again that don't start: a circuit breaker.

    A bot that didn't start in its latest `STARTLESS_AFTER` games here rests for a time. Then it is tried once, and
    rests again if that fails. Its league benches or pauses it by the same count, but only in matches planned later.
    """

    def __init__(self, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._clock_s = clock_s
        self._failed: dict[int, int] = {}
        """By entry: how many starts failed since the last that didn't."""
        self._faults: dict[int, tuple[float, Fault]] = {}
        """By entry: until when it rests, and its fault until then."""

    def resting(self, entry_no: int) -> Fault | None:
        """Return the fault of an entry that isn't to be started now, or None."""
        until_s, fault = self._faults.get(entry_no, (0.0, None))
        return fault if self._clock_s() < until_s else None

    def note(self, entry_no: int, failed: SeatRecord | None, took_s: float) -> None:
        """Note a game for which an entry was to be started: its seat if that failed, and how long it took."""
        if failed is None:
            self._failed.pop(entry_no, None)
            return
        count = self._failed[entry_no] = self._failed.get(entry_no, 0) + 1
        if count >= STARTLESS_AFTER:
            detail = (
                f"it was not started: its last {count} starts failed, the most recent with: {failed.detail}"
            )
            fault = Fault(Verdict.STARTUP, detail, failed.reason)
            self._faults[entry_no] = (self._clock_s() + REST_FACTOR * took_s, fault)


class GamePlaying:
    """A `Playing`: the bots of one worker, and its referee."""

    def __init__(self, work: PreparedGames, worker: str, token: str, *, own_process: bool) -> None:
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
            asking=work.observer.asking if work.observer else None,
            watched=next((person.watched for person in work.people.values()), None),
        )
        self._turn = 0
        self._starts = StartBreaker()
        folder = Path(mkdtemp(prefix="arena-bots-"))
        self._pool = BotPool(
            work.programs,
            folder,
            token,
            work.pool,
            work.confinement,
            owns_all_children=own_process,
            freezes_late=not work.pace_ms and not work.people,
            engine_files=self._engine_files,
            tap_of=work.observer.tap if work.observer else None,
        )

    def _engine_files(self) -> Mapping[PurePosixPath, Path]:
        return game_files(type(self._game).__module__, registry.distribution_of(self._game))

    def expect(self, tickets: Sequence[Ticket]) -> None:
        """Prepare the sandboxes of all bots that have to be started for these games, while bots play."""
        turn, kept = self._turn, self._pool.kept_entries()
        needed: dict[int, None] = {}
        for ticket in tickets:
            if _may_be_known(ticket, turn):
                kept.clear()
            turn = ticket.turn
            entries = set(ticket.entries) - kept - self._work.people.keys() - dict(ticket.benched).keys()
            entries = {entry_no for entry_no in entries if not self._starts.resting(entry_no)}
            kept |= entries
            if not ticket.newcomers:
                needed.update(dict.fromkeys(sorted(entries)))
        self._pool.prepare(needed)

    def play(self, ticket: Ticket) -> GameRecord | Excused | Failure:
        """Play one game. If the platform is at fault, return a failure, so that the game is replayed."""
        players: list[Player] = []
        self._excuses.clear()
        self._work.admit(ticket)
        if _may_be_known(ticket, self._turn):
            self._pool.end_idle()
        self._turn = ticket.turn
        try:
            for seat, entry_no in enumerate(ticket.entries):
                players.append(self._player(ticket, seat, entry_no))
            self._pool.start_together(ticket.entries, ticket.deal, players)
            entrants = [self._work.entrants[entry_no] for entry_no in ticket.entries]
            game = self._referee.play(self._game, players, entrants, ticket)
            result: GameRecord | Excused | Failure = game
            if self._excuses:
                result = self._excused(ticket, game)
            else:
                self._note_starts(players, game)
        except EndedFromOutside as error:
            result = self._failed(players, ticket, Verdict.HOST, str(error))
        except HostRefusal as error:
            result = self._failed(players, ticket, Verdict.HOST, str(error))
            record = structs.replace(result.record, entry_no=error.entry_no)
            result = replace(result, record=record, refusal=error.refusal)
        except Exception as error:  # noqa: BLE001 - any error here is ours and must not end the league
            refused = refusal(error)
            what = f"{refused.what}\n" if refused else ""
            verdict = Verdict.HOST if refused else Verdict.INTERNAL
            result = self._failed(players, ticket, verdict, what + traceback.format_exc())
            result = replace(result, refusal=refused, raised=raised(error))
        for seat, player in enumerate(players):
            if isinstance(player, BotPlayer):
                self._pool.give_back(ticket.entries[seat], player, seat)
        self._pool.end_dismissed()
        return result

    def _player(self, ticket: Ticket, seat: int, entry_no: int) -> Player:
        person = self._work.people.get(entry_no)
        if person is not None:
            pool = self._pool
            return Person(person.face, person.move_s, pool.look_around, pool.excuse_long_wait)
        reason = dict(ticket.benched).get(entry_no)
        if reason is not None:
            fault = Fault(Verdict.STARTUP, f"{reason}; it was not started") if reason else BENCHED
            return ScriptedPlayer(on_start=lambda _: fault)
        if resting := self._starts.resting(entry_no):
            return ScriptedPlayer(on_start=lambda _: resting)
        return self._pool.take(entry_no, ticket.deal, seat)

    def _note_starts(self, players: Sequence[Player], game: GameRecord) -> None:
        took_s = min(game.wall_ns / 1e9, self._work.pool.startup_ms / 1000)
        for player, seat in zip(players, game.seats, strict=True):
            if isinstance(player, BotPlayer):
                self._starts.note(seat.entry_no, seat if seat.verdict is Verdict.STARTUP else None, took_s)

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


def _may_be_known(ticket: Ticket, turn: int) -> bool:
    """Return whether idle processes may know a deal, from bots that have played it, if they have played in `turn`.

    From one game on a deal to the next, at the same table or another, the number rises at least once in its worker.
    When it falls, other deals begin, which nobody has played.
    """
    return ticket.turn > turn or ticket.attempt > 1
