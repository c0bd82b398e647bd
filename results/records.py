"""What the ledger holds of a game, as plain frozen records without SQL."""

from msgspec import Struct

from protocol.verdicts import Verdict


class SeatRecord(Struct, frozen=True):
    """One seat of one finished game."""

    seat: int
    entry_no: int
    score: int
    rank: int
    """1 is best; equal seats share one."""
    verdict: Verdict | None
    """Why the seat was forfeited."""
    detail: str
    """The verdict with figure and limit, for the bot's author; empty without a verdict."""
    at_decision: int | None
    """The game's decision at which the fault happened, from 0."""
    decisions: int
    """Decisions the bot was asked for; forced ones and the house's are not counted."""
    wall_ns: int
    max_wall_ns: int
    cpu_ns: int
    """Wall and CPU time over its decisions, and the longest on the wall."""


class LogRecord(Struct, frozen=True):
    """What a bot wrote to standard error in one game."""

    seat: int
    head: bytes
    tail: bytes
    dropped_bytes: int
    """How much between head and tail was not kept."""


class GameRecord(Struct, frozen=True):
    """One finished game."""

    league: str
    """The league's uuid."""
    match_no: int
    rotation: int
    fingerprint: str
    """SHA-256 of the replay body, hexadecimal."""
    body: bytes
    """The replay body: canonical JSON, zlib."""
    timing: bytes
    """Times of each decision (JSON, zlib); outside the fingerprint."""
    decisions: int
    wall_ns: int
    sandbox: str
    """The level of isolation the bots ran at."""
    worker: str
    finished_at: str
    """UTC, ISO 8601."""
    seats: tuple[SeatRecord, ...]
    logs: tuple[LogRecord, ...]

    @property
    def key(self) -> tuple[str, int, int]:
        """The game's identity in the ledger."""
        return (self.league, self.match_no, self.rotation)


class AttemptRecord(Struct, frozen=True):
    """A game that came to nothing through the platform's fault, and will be played again."""

    league: str
    match_no: int
    rotation: int
    attempt: int
    """From 1."""
    verdict: Verdict
    """One of the platform's."""
    detail: str
    worker: str
    at: str
    """UTC, ISO 8601."""
    entry_no: int | None = None
    """The entry it happened with, where one can be told."""
