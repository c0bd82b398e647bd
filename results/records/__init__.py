"""What the ledger stores, as plain frozen records without SQL, and what is computed from them without it.

Times are in the format of `clock.utc_text`; leagues are identified by uuid.
"""

import re
from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from msgspec import Struct

from protocol.verdicts import Reason, Verdict
from results.base.advice import Advice
from results.base.errors import BadPolicy
from results.base.scoring import NO_PARTNERS, Partners
from results.ratings.base import Rating, Scale

JSON = Any
"""A JSON value: None, bool, int, float, str, or a list or dict of these."""

MatchState = Literal["planned", "done", "void"]
"""planned: some games are missing · done: all games are stored · void: given up after platform errors, never rated."""

CommandOutcome = Literal["done", "refused"]

LeagueState = Literal["created", "running", "finished", "stopped"]

# Bots


class AuthorRecord(Struct, frozen=True):
    """An author of bots."""

    name: str
    added_at: str


class VersionRecord(Struct, frozen=True):
    """One immutable submission of a bot."""

    id: int
    """The store's own number for the version."""
    author: str
    bot: str
    number: int
    """From 1, in the order in which versions of this bot were submitted."""
    sha256: str
    """Over the sorted files, hexadecimal."""
    parent: int | None
    """The `id` of the version it was derived from."""
    manifest: dict[str, JSON]
    """The content of its bot.toml."""
    report: dict[str, JSON]
    """The result of the check on submission."""
    deterministic: bool | None
    """Whether it played the same game identically twice in the check; None: not checked."""
    added_at: str
    build: dict[str, JSON] = {}
    """How its files were built from their source; empty if they weren't."""
    bundled: bool = False
    """Whether it came with an Arena that entered it: a reference bot, known by its content."""

    @property
    def reference(self) -> str:
        """The name that always identifies it: `author/bot@3`."""
        return f"{self.author}/{self.bot}@{self.number}"


class VersionSpec(Struct, frozen=True):
    """A submission to store."""

    author: str
    bot: str
    sha256: str
    """Over the sorted files, 64 hexadecimal digits."""
    manifest: Mapping[str, JSON]
    report: Mapping[str, JSON]
    deterministic: bool | None = None
    parent: VersionRecord | None = None
    build: Mapping[str, JSON] = {}
    bundled: bool = False


# Leagues


class RulesetRecord(Struct, frozen=True):
    """A game's rules with all options fixed."""

    game: str
    version: int
    name: str
    """The name shown to users: `tens+hands=2`."""
    options: str
    """Canonical JSON of every option; equal for equal rules."""


class EntrySpec(Struct, frozen=True):
    """An entry to add to a league."""

    label: str
    """The name shown to users; unique in its league."""
    version_id: int | None
    """`VersionRecord.id`; None for a player that isn't a submitted bot, such as a person."""
    args: tuple[str, ...] = ()
    """Arguments for the bot's command."""
    prior: Rating | None = None
    """Its initial rating; None: the rating system's default."""
    predecessor: int | None = None
    """The number of the entry whose rating it takes over."""


class EntryRecord(Struct, frozen=True):
    """A version with its arguments in one league: the unit that is rated."""

    league: str
    entry_no: int
    """From 0."""
    label: str
    version: VersionRecord | None
    """None for a player that isn't a submitted bot, such as a person."""
    args: tuple[str, ...]
    prior: Rating | None
    predecessor: int | None

    @property
    def author(self) -> str | None:
        """Who is answerable for it; None for a person, and for reference bots, which serve everybody alike."""
        return None if self.version is None or self.version.bundled else self.version.author


class Traits(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What reports and pages have to know of a schedule. Stored with each league, so reading it needs no plug-in."""

    chooses: bool = False
    """Whether results decide who meets whom."""
    places: str = ""
    """The format in one word for people, if its own standings decide who has won; empty if the rankings do."""
    even: bool = False
    """Whether everybody meets everybody equally often, so that the mean share decides who has won."""
    in_rounds: bool = False
    """Whether it means something that an entry doesn't play in a round, as when every round has all entries."""

    @property
    def chooses_each(self) -> bool:
        """Whether each match is chosen by itself, instead of a round at once by the rules of a format."""
        return self.chooses and not self.places and not self.in_rounds


UNSCHEDULED = Traits()
"""The traits of leagues without a schedule."""


class LeagueRecord(Struct, frozen=True):
    """One league, without its secret."""

    uuid: str
    name: str
    config: dict[str, JSON]
    """The content of the league file, with all defaults filled in."""
    ruleset: RulesetRecord | None
    """None in `casual`, where every match has its own."""
    commitment: str
    """SHA-256 of the secret, hexadecimal; public from the start."""
    sealed: bool
    """Whether the store drew the secret, so that nobody could know or choose it."""
    rated: bool
    rating: str
    """Name of the rating system; empty in `casual`."""
    rating_options: dict[str, JSON]
    """All its parameters."""
    scale: Scale
    """What its ratings mean, so that they can be read without the rating system."""
    keep_replays: str
    """`all`, `faults`, `last N` (games) or `none`."""
    state: LeagueState
    revealed: bool
    """Whether the secret has been published; the league can't continue after that."""
    created_at: str
    traits: Traits = UNSCHEDULED
    """Those of its schedule; the defaults in `casual`, which has none."""

    @property
    def counts_scores(self) -> bool:
        """Whether it compares scores of tables, so that entries have mean scores instead of ratings."""
        return self.scale.of_scores

    @property
    def partners(self) -> Partners:
        """Who are partners at its tables."""
        return partners_in(self.config)


def partners_in(config: Mapping[str, JSON]) -> Partners:
    """Return who are partners at the tables of a league with this configuration."""
    found = config.get("partners")
    return NO_PARTNERS if found is None else msgspec.convert(found, Partners, strict=False)


class LeagueEvent(Struct, frozen=True):
    """A change to a running league: an entry added or retired, a pause, a stop."""

    league: str
    event_no: int
    """From 0."""
    at_match_no: int
    """The first match that it applies to."""
    kind: str
    data: dict[str, JSON]
    at: str


class CommandRecord(Struct, frozen=True):
    """A command that was taken up from the inbox."""

    uuid: str
    kind: str
    """What it asks for, in one word; empty for a file that isn't a command."""
    by: str
    """The user who left it."""
    submitted_at: str
    taken_at: str
    outcome: CommandOutcome
    words: str
    """What it did, or why it was refused."""
    advice: Advice = Advice()
    """What to do about a refusal."""

    @property
    def said(self) -> str:
        """What it did, or why it was refused and what to do about it, as a terminal says it."""
        return f"{self.words}; hint: {self.advice}" if self.advice else self.words


class MatchRecord(Struct, frozen=True):
    """One match of the schedule."""

    league: str
    match_no: int
    """From 0, without gaps."""
    round_no: int
    entries: tuple[int, ...]
    """Entry numbers in base order."""
    games: int
    """The number of its games, one per rotation, from 0 to games − 1."""
    why: str = ""
    state: MatchState = "planned"
    ruleset: RulesetRecord | None = None
    """Set only if it differs from the league's."""
    rated: bool = True
    """False if bots of one author meet in it: then it counts only in the standings of its format."""
    deal_no: int | None = None
    """The first match on its deal, if other tables of its round play the same deal; None: nobody else plays it."""

    @property
    def deal(self) -> int:
        """The number that the deal follows from: that of the first match on it."""
        return self.match_no if self.deal_no is None else self.deal_no


class MatchDeal(Struct, frozen=True):
    """What fixes the deal of a single match, and the seeds of its bots."""

    seed: bytes
    """32 bytes, the same for all its games."""
    first_rotation: int = 0
    """The number of the rotation that its first game is: not 0 if it repeats a later game of another match."""


# Games


class SeatRecord(Struct, frozen=True):
    """One seat of one finished game."""

    seat: int
    entry_no: int
    score: int | float
    """A whole number unless its game has decimals: they are told apart when a record is decoded."""
    rank: int
    """1 is best; equal seats share a rank."""
    verdict: Verdict | None
    detail: str
    """The verdict with the figure and the limit, for the bot's author; empty without a verdict."""
    at_decision: int | None
    """The decision of the game at which the fault happened, from 0."""
    decisions: int
    """Decisions the bot was asked for, without forced ones and those of the house."""
    wall_ns: int
    max_wall_ns: int
    cpu_ns: int
    """Wall and CPU time of all its decisions, and the longest wall time of one."""
    reason: Reason | None = None
    """What led to the verdict; None if the verdict says it."""


class LogRecord(Struct, frozen=True):
    """What a bot wrote to standard error in one game."""

    seat: int
    head: bytes
    tail: bytes
    dropped_bytes: int
    """How many bytes between head and tail were dropped."""


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
    """What the rules can't give back, such as times (JSON, zlib); not part of the fingerprint."""
    decisions: int
    wall_ns: int
    sandbox: str
    """The level of isolation the bots ran at."""
    worker: str
    finished_at: str
    """In the format of `clock.utc_text`."""
    seats: tuple[SeatRecord, ...]
    logs: tuple[LogRecord, ...]

    @property
    def key(self) -> tuple[str, int, int]:
        """The game's identity in the ledger."""
        return (self.league, self.match_no, self.rotation)


class AttemptRecord(Struct, frozen=True):
    """A game that failed because of a platform error and will be replayed."""

    league: str
    match_no: int
    rotation: int
    attempt: int
    """From 1."""
    verdict: Verdict
    """One of the platform's verdicts."""
    detail: str
    worker: str
    at: str
    """In the format of `clock.utc_text`."""
    entry_no: int | None = None
    """The entry it happened with, if known."""


POLICIES = "all|faults|none|last [1-9][0-9]{0,8}"
"""All valid policies, as a regular expression."""


def check_policy(keep_replays: str) -> None:
    """Raise BadPolicy unless this is a valid policy."""
    if not re.fullmatch(POLICIES, keep_replays):
        raise BadPolicy(
            f"keep_replays can't be {keep_replays!r}", "it is `all`, `faults`, `none`, or `last N` (games)"
        )


def newest_kept(keep_replays: str) -> int | None:
    """Return the N of `last N`; None for other policies."""
    return int(keep_replays.removeprefix("last ")) if keep_replays.startswith("last ") else None
