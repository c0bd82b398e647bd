"""The work of a league as plain data, and what comes of a game: the same on every machine, and through msgpack or JSON.

A unit of work is a `GameWork` with some tickets. The work names game, version of the rules, versions by content hash
and the confinement that is wanted; a ticket names ruleset, seats and seed. Neither has a path, a process or anything
else of one machine: whoever plays them finds that out for itself (`arena.league.running.local_games`).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TypeVar

import msgspec
from msgspec import Struct, structs

from arena.core.errors import ArenaError
from arena.core.ticket import Ticket
from arena.executors.base import Lost
from arena.sandbox.confinement import WantedConfinement
from arena.sandbox.refusals import Refusal
from protocol.limits import DEFAULT_CLOCK, DEFAULT_LIMITS, STARTUP_MS
from protocol.messages import Clock, Limits
from protocol.verdicts import Verdict
from results.clock import utc_now
from results.records import AttemptRecord, GameRecord

T = TypeVar("T")


class WorkEntry(Struct, frozen=True):
    """An entry as a machine has to know it to start its bot."""

    label: str
    sha256: str
    """The version's content hash, hexadecimal."""
    hash_scheme: int
    command: tuple[str, ...]
    """As in bot.toml, the entry's arguments behind it."""
    engine: bool = False
    reuse: bool = True


class GameWork(Struct, frozen=True):
    """What a machine needs to know to play any game of a league, besides the files of the versions."""

    game: str
    rules_version: int
    """Of the game's rules."""
    entries: dict[int, WorkEntry]
    """By entry number."""
    wanted: WantedConfinement = WantedConfinement()
    clock: Clock = DEFAULT_CLOCK
    limits: Limits = DEFAULT_LIMITS
    pace_ms: int = 0
    """How long a turn lasts at least, as all seats see it."""
    startup_ms: int = STARTUP_MS

    def only(self, entry_nos: Collection[int]) -> "GameWork":
        """Return the work with these entries alone: enough for tickets that seat no others."""
        return structs.replace(self, entries={number: self.entries[number] for number in sorted(entry_nos)})


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


Result = GameRecord | Excused | Failure | Lost
"""What comes of a ticket; `Lost` where whoever played it was lost in the game."""


def failure(ticket: Ticket, verdict: Verdict, detail: str, worker: str) -> Failure:
    """Return a game that came to nothing, with its record."""
    key = (ticket.league, ticket.match_no, ticket.rotation)
    return Failure(ticket, AttemptRecord(*key, ticket.attempt, verdict, detail, worker, utc_now()))


class BadUnit(ArenaError):
    """Bytes that are no work, no tickets or no results of this version of Arena."""


class _LostGame(Struct, frozen=True):
    """A `Lost` whose ticket is known to be one of a game."""

    ticket: Ticket
    worker: str
    detail: str


class _Packed(Struct, frozen=True, omit_defaults=True):
    """One result: exactly one of these is there."""

    game: GameRecord | None = None
    excused: Excused | None = None
    failure: Failure | None = None
    lost: _LostGame | None = None


def pack_work(work: GameWork) -> bytes:
    """Return work as msgpack."""
    return msgspec.msgpack.encode(work)


def unpack_work(packed: bytes) -> GameWork:
    """Return work from msgpack. Raises BadUnit."""
    return _decoded(packed, GameWork, "work")


def pack_tickets(tickets: Sequence[Ticket]) -> bytes:
    """Return tickets as msgpack."""
    return msgspec.msgpack.encode(tickets)


def unpack_tickets(packed: bytes) -> list[Ticket]:
    """Return tickets from msgpack. Raises BadUnit."""
    return _decoded(packed, list[Ticket], "tickets")


def pack_results(results: Sequence[Result]) -> bytes:
    """Return results as msgpack."""
    return msgspec.msgpack.encode([_packed(result) for result in results])


def unpack_results(packed: bytes) -> list[Result]:
    """Return results from msgpack. Raises BadUnit."""
    results: list[Result] = []
    for one in _decoded(packed, list[_Packed], "results"):
        if one.lost is not None:
            results.append(Lost(one.lost.ticket, one.lost.worker, one.lost.detail))
            continue
        result = one.game or one.excused or one.failure
        if result is None:
            raise BadUnit("these are no results: one of them is empty", _OTHER_VERSION)
        results.append(result)
    return results


def _packed(result: Result) -> _Packed:
    match result:
        case GameRecord():
            return _Packed(game=result)
        case Excused():
            return _Packed(excused=result)
        case Failure():
            return _Packed(failure=result)
        case Lost():
            return _Packed(lost=_LostGame(result.ticket, result.worker, result.detail))


_OTHER_VERSION = "install the same version of Arena on all machines"


def _decoded(packed: bytes, kind: type[T], what: str) -> T:
    try:
        return msgspec.msgpack.decode(packed, type=kind)
    except msgspec.DecodeError as error:
        raise BadUnit(f"these are no {what}: {error}", _OTHER_VERSION) from None
