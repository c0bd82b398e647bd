"""What the ledger holds, as plain frozen records without SQL.

Times are as `clock.utc_text` writes them; a league is named by its uuid.
"""

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from protocol.verdicts import Verdict
from results.ratings.base import Rating, Scale

JSON = Any
"""A JSON value: None, bool, int, float, str, or a list or dict of these."""

MatchState = Literal["planned", "done", "void"]
"""planned: not all its games are in · done: all are · void: given up for the platform's faults, never rated."""

LeagueState = Literal["created", "running", "finished", "stopped"]

# Bots


class AuthorRecord(Struct, frozen=True):
    """Who submits bots."""

    name: str
    added_at: str


class VersionRecord(Struct, frozen=True):
    """One immutable submission of a bot."""

    id: int
    """The store's own number for it."""
    author: str
    bot: str
    number: int
    """From 1, in the order of submission of this bot."""
    sha256: str
    """Over the sorted files, hexadecimal."""
    parent: int | None
    """The `id` of the version it was made from."""
    manifest: dict[str, JSON]
    """What its bot.toml said."""
    report: dict[str, JSON]
    """What the check on submission found."""
    deterministic: bool | None
    """Whether the check saw it play the same game twice; None: not looked at."""
    added_at: str
    hash_scheme: int
    """How `sha256` frames the files, by number."""

    @property
    def reference(self) -> str:
        """The name by which it can always be found: `author/bot@3`."""
        return f"{self.author}/{self.bot}@{self.number}"


class VersionSpec(Struct, frozen=True):
    """A submission that a store is to keep."""

    author: str
    bot: str
    sha256: str
    manifest: Mapping[str, JSON]
    report: Mapping[str, JSON]
    hash_scheme: int = 2
    deterministic: bool | None = None
    parent: VersionRecord | None = None


# Leagues


class RulesetRecord(Struct, frozen=True):
    """A game's rules with all options fixed."""

    game: str
    version: int
    """Of the rules."""
    name: str
    """As shown: `tens+hands=2`."""
    options: str
    """Canonical JSON of every option; equal for equal rules."""


class EntrySpec(Struct, frozen=True):
    """An entry that a league is to have."""

    label: str
    """How it is shown; unique in its league."""
    version_id: int | None
    """`VersionRecord.id`; None for a player that is no submitted bot, such as a person."""
    args: tuple[str, ...] = ()
    """Arguments to the bot's command."""
    prior: Rating | None = None
    """Where its rating starts; None: at the rating system's own start."""
    predecessor: int | None = None
    """The entry number that it takes over from."""


class EntryRecord(Struct, frozen=True):
    """A version with its arguments in one league: what is rated."""

    league: str
    entry_no: int
    """From 0."""
    label: str
    version: VersionRecord | None
    """None for a player that is no submitted bot, such as a person."""
    args: tuple[str, ...]
    prior: Rating | None
    predecessor: int | None


class LeagueRecord(Struct, frozen=True):
    """One league, without its secret."""

    uuid: str
    name: str
    config: dict[str, JSON]
    """The league file's content, all defaults filled in."""
    ruleset: RulesetRecord | None
    """None in `casual`, where every match names its own."""
    commitment: str
    """SHA-256 of the secret, hexadecimal; public from the start."""
    sealed: bool
    """Whether the secret was drawn by the store, so that nobody could know or choose it."""
    rated: bool
    rating: str
    """Name of the rating system; empty in `casual`."""
    rating_options: dict[str, JSON]
    """All its parameters."""
    scale: Scale
    """What its ratings mean; they can be read without the rating system."""
    keep_replays: str
    """`all`, `faults`, `last N` (games) or `none`."""
    state: LeagueState
    revealed: bool
    """Whether the secret has been made public; such a league can't go on."""
    created_at: str
    seed_derivation: int | None = None
    """How the secret follows from the seed in `config`: the version of the derivation, from 1. None: it does not."""


class LeagueEvent(Struct, frozen=True):
    """Something done to a league while it ran: an entry added or retired, a pause, a stop."""

    league: str
    event_no: int
    """From 0."""
    at_match_no: int
    """The first match that it is true for."""
    kind: str
    data: dict[str, JSON]
    at: str


class MatchRecord(Struct, frozen=True):
    """One match of the schedule."""

    league: str
    match_no: int
    """From 0, without gaps."""
    round_no: int
    entries: tuple[int, ...]
    """Entry numbers in base order."""
    games: int
    """How many games it has: its rotations, from 0 to games − 1."""
    why: str = ""
    """Why this table, in words."""
    state: MatchState = "planned"
    ruleset: RulesetRecord | None = None
    """Only where it is not the league's."""


# Games


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
    """As `clock.utc_text` writes it."""
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
    """As `clock.utc_text` writes it."""
    entry_no: int | None = None
    """The entry it happened with, where one can be told."""
