"""The work of a league and its results as plain data: the same on every machine, and after msgpack or JSON.

A unit of work is a `GameWork` with some tickets. The work names the game, the version of its rules, bot versions by
content hash, and the wanted confinement. A ticket names ruleset, seats and seed. Neither has a path, a process or
anything else that belongs to one machine: the machine that plays adds those (`arena.league.running.local_games`).
"""

import traceback
from collections.abc import Collection, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import Struct, structs

from arena.core.errors import ArenaError
from arena.core.game import EndlessDraws, EndlessGame
from arena.core.ticket import Ticket, WorkEntry
from arena.executors.base import Lost
from arena.sandbox.confinement import WantedConfinement
from arena.sandbox.machine_shortage import Refusal
from protocol.messages import DEFAULT_CLOCK, DEFAULT_LIMITS, STARTUP_MS, Clock, Limits
from protocol.verdicts import Verdict
from results.base.clock import utc_now
from results.records import AttemptRecord, GameRecord

T = TypeVar("T")

STARTLESS_AFTER = 3
"""A bot that did not start in its latest so many games is paused in a standing league, and benched in any other.

Until that takes effect, each worker counts for itself, and doesn't start it for a while.
"""


class GameWork(Struct, frozen=True):
    """What a machine needs to play any game of a league, apart from the files of the versions."""

    game: str
    rules_version: int
    """Of the game's rules."""
    entries: dict[int, WorkEntry]
    wanted: WantedConfinement = WantedConfinement()
    clock: Clock = DEFAULT_CLOCK
    limits: Limits = DEFAULT_LIMITS
    pace_ms: int = 0
    """Shortest duration of a turn, as all seats see it."""
    startup_ms: int = STARTUP_MS

    def only(self, entry_nos: Collection[int]) -> "GameWork":
        """Return the work with only these entries, for tickets that seat no others."""
        return structs.replace(self, entries={number: self.entries[number] for number in sorted(entry_nos)})


class Excused(Struct, frozen=True):
    """A game with a fault caused by the machine, to be replayed if there is an excuse left."""

    ticket: Ticket
    game: GameRecord
    """The game with its fault; it counts if there is no replay."""
    record: AttemptRecord
    """The failed attempt, which names the entry; it is stored if there is a replay."""


class Raised(Struct, frozen=True):
    """The error that aborted a game, as data: it may have been raised in another process."""

    words: str
    """Its class and message, in one line; of an `ArenaError`, the message alone."""
    places: tuple[tuple[str, int, str], ...]
    """File, line and function of each frame, the innermost last."""
    endless: str = ""
    """If the game did not end, the message; the same game again would not either."""
    remedy: str = ""
    """What ends such games."""


def raised(error: Exception) -> Raised:
    """Return an error as data."""
    said = str(error) if isinstance(error, ArenaError) else "".join(traceback.format_exception_only(error))
    words = (said.strip().splitlines() or [type(error).__name__])[-1]
    frames = traceback.extract_tb(error.__traceback__)
    places = tuple((frame.filename, frame.lineno or 0, frame.name) for frame in frames)
    if isinstance(error, EndlessGame | EndlessDraws):
        return Raised(words, places, str(error), error.remedy)
    return Raised(words, places)


class Failure(Struct, frozen=True):
    """A game that failed because of the platform."""

    ticket: Ticket
    record: AttemptRecord
    refusal: Refusal | None = None
    """What the machine has run out of, if that was the cause."""
    raised: Raised | None = None
    """The error that aborted it, if its detail is a traceback."""


Result = GameRecord | Excused | Failure | Lost
"""The result of a ticket; `Lost` if its worker was lost during the game."""


def failure(ticket: Ticket, verdict: Verdict, detail: str, worker: str) -> Failure:
    """Return a failed game, with its record."""
    key = (ticket.league, ticket.match_no, ticket.rotation)
    return Failure(ticket, AttemptRecord(*key, ticket.attempt, verdict, detail, worker, utc_now()))


class BadUnit(ArenaError):
    """Bytes that this version of Arena can't read as work, tickets or results."""


class _LostGame(Struct, frozen=True):
    """A `Lost` with a game's ticket."""

    ticket: Ticket
    worker: str
    detail: str


_KINDS: dict[str, Any] = {"Lost": _LostGame} | {
    kind.__name__: kind for kind in (GameRecord, Excused, Failure)
}
"""Types of results by the name that goes before each."""


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
    return msgspec.msgpack.encode([(type(result).__name__, result) for result in results])


def unpack_results(packed: bytes) -> list[Result]:
    """Return results from msgpack. Raises BadUnit."""
    results: list[Result] = []
    for kind, body in _decoded(packed, list[tuple[str, msgspec.Raw]], "results"):
        if kind not in _KINDS:
            raise BadUnit(f"can't read the results: {kind[:40]!r} is no kind of result", _OTHER_VERSION)
        found = _decoded(body, _KINDS[kind], "results")
        is_lost = isinstance(found, _LostGame)
        results.append(Lost(found.ticket, found.worker, found.detail) if is_lost else found)
    return results


_OTHER_VERSION = "install the same version of Arena on all machines"


def _decoded(packed: bytes | msgspec.Raw, kind: type[T], what: str) -> T:
    try:
        return msgspec.msgpack.decode(packed, type=kind)
    except msgspec.DecodeError as error:
        raise BadUnit(f"can't read the {what}: {error}", _OTHER_VERSION) from None
