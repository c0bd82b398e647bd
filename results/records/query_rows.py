"""The results of queries, as plain frozen records without SQL."""

import json
from bisect import insort
from collections.abc import Iterable, Mapping
from enum import StrEnum
from math import inf
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from results.base.advice import Advice, run
from results.base.errors import StoreDamaged
from results.base.scoring import LEAST_MATCHES
from results.ratings.base import Scale
from results.records import LeagueState, SeatRecord


class Standing(Struct, frozen=True):
    """One line of a league's rankings."""

    place: int
    """From 1, in ranking order; equal ratings share a place."""
    entry_no: int
    label: str
    version: str | None
    """`author/bot@3`; None for a player that isn't a submitted bot."""
    mu: float
    """The value that rankings are ordered by; without ratings, the mean share."""
    sigma: float
    """0 if the rating system has none."""
    matches: int
    games: int
    wins: float
    """Games won; a win shared among k counts 1/k."""
    share: float | None
    """Mean share of a game, 0 to 1; None before the first."""
    score: float | None
    faults: int
    change: float | None
    """How its last match changed μ; None before the first."""
    last_match_no: int | None
    retired: bool


class CountedMatch(NamedTuple):
    """What filters may ask about a finished match."""

    match_no: int
    entries: tuple[int, ...]
    ruleset: str | None
    """Its name; None only if the league's is unknown."""
    ended_at: str


class HeadToHead(Struct, frozen=True):
    """How one entry did against another; each pair of entries has two rows."""

    entry_no: int
    opponent_no: int
    games: int
    """Games at the same table."""
    games_above: int
    games_tied: int
    matches: int
    matches_above: int
    """Matches in which it had the higher sum of shares."""
    matches_tied: int


class SeatResult(NamedTuple):
    """How one seat of a finished game ended."""

    match_no: int
    rotation: int
    seat: int
    entry_no: int
    rank: int
    score: float
    forfeited: int
    """1 if the seat was forfeited, otherwise 0."""


class SeatStatistics(Struct, frozen=True):
    """How an entry did at one seat of tables of one size."""

    entry_no: int
    seats: int
    seat: int
    games: int
    wins: float
    share: float
    """Mean share of a game, 0 to 1."""
    score: float


class EntryStatistics(Struct, frozen=True):
    """How an entry did in all its games."""

    entry_no: int
    label: str
    matches: int
    games: int
    decisions: int
    wall_ns: int
    max_wall_ns: int
    cpu_ns: int
    faults: dict[str, int]
    """Games forfeited, by verdict."""


class FinishedGame(Struct, frozen=True):
    """One finished game, without its replay."""

    league: str
    match_no: int
    rotation: int
    round_no: int
    state: str
    """State of its match: planned, done, void."""
    rated: bool
    """`MatchRecord.rated` of its match."""
    fingerprint: str
    decisions: int
    wall_ns: int
    sandbox: str
    worker: str
    finished_at: str
    has_replay: bool
    seats: tuple[SeatRecord, ...]


class Forfeit(Struct, frozen=True):
    """A seat that was forfeited."""

    match_no: int
    rotation: int
    seat: int
    entry_no: int
    label: str
    verdict: str
    detail: str
    reason: str | None
    at_decision: int | None
    worker: str
    finished_at: str


class Progress(Struct, frozen=True):
    """The progress of a league."""

    league: str
    state: LeagueState
    matches_planned: int
    """In any state."""
    matches_done: int
    matches_void: int
    games_planned: int
    """Games of all planned matches, including void ones."""
    games_done: int
    matches_counted: int
    """All matches below this number are counted in the rankings."""
    games_unrated: int
    """Games of finished matches that aren't rated, as bots of one author met in them."""


class Replay(Struct, frozen=True):
    """A kept replay."""

    body: bytes
    """Canonical JSON."""
    timing: bytes
    """JSON."""
    fingerprint: str
    """From the ledger: SHA-256 of the body, hexadecimal."""

    def decoded(self, game: str) -> dict[str, Any]:
        """Return the body. Raises StoreDamaged, which names the game, if it isn't a JSON object."""
        found = _parsed(self.body, game)
        if not isinstance(found, dict):
            raise _damaged(game, "it isn't a JSON object")
        return found

    def decoded_timing(self, game: str) -> dict[str, Any]:
        """Return the times; none if they aren't a JSON object. Raises StoreDamaged, which names the game."""
        found = _parsed(self.timing, game)
        return found if isinstance(found, dict) else {}


def _parsed(text: bytes, game: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _damaged(game, str(error)) from error


def _damaged(game: str, why: str) -> StoreDamaged:
    return StoreDamaged(
        f"the replay of {game} is damaged: {why}",
        Advice("restore a backup; ", run("db verify"), " lists all damage"),
    )


class Placing(NamedTuple):
    """How often an entry finished at one rank of tables of one size, in games without a fault."""

    seats: int
    rank: int
    games: int
    lead: float
    """Sum over these games of its score minus the best of the others': negative behind a winner."""


class DayUse(NamedTuple):
    """What an entry used of a league in one day (UTC), in games that have finished."""

    games: int = 0
    cpu_ns: int = 0


def total_use(uses: Iterable[DayUse]) -> DayUse:
    """Return the sum of what several entries used, or one entry in several parts of a day."""
    games = cpu_ns = 0
    for use in uses:
        games += use.games
        cpu_ns += use.cpu_ns
    return DayUse(games, cpu_ns)


class Mend(StrEnum):
    """How to fix a problem in a store."""

    REBUILD = "rebuild"
    """Recompute the derived tables."""
    BACKUP = "backup"
    """Restore a backup; the lost data exists nowhere else."""
    RESUBMIT = "resubmit"
    """Submit a bot's folder again."""
    FIX = "fix"
    """Fix a package that failed, then verify again; without it, something could not be checked."""
    FETCH = "fetch"
    """Get the file of a segment from where it was shipped or backed up, then verify again."""
    AWAY = "away"
    """Nothing is known to be wrong, but a segment that was shipped and isn't here could not be checked."""
    INSTALL = "install"
    """Install a package, then verify again. Nothing is known to be wrong, but something could not be checked."""
    NONE = "none"
    """The store is fine, but something else is missing; the text says what."""


class Finding(Struct, frozen=True):
    """A problem found by `verify`. Its text form is a sentence without the full stop."""

    kind: str
    """file · segment · row · missing · match · fingerprint · seat · rules · version · derived."""
    league: str | None
    """Name of the league; None for the store as a whole."""
    match_no: int | None
    rotation: int | None
    text: str
    """What is wrong, in words, with the table if one is concerned."""
    mend: Mend = Mend.BACKUP

    @property
    def place(self) -> str:
        """Where the problem is: the store, a league, a match or a game."""
        if self.league is None:
            return "the store"
        if self.match_no is None:
            return f"league {self.league}"
        if self.rotation is None:
            return f"match {self.league}/{self.match_no}"
        return f"game {self.league}/{self.match_no}.{self.rotation}"

    @property
    def is_problem(self) -> bool:
        """Whether something is wrong; otherwise `text` is what could not be checked, and why."""
        return self.mend not in (Mend.INSTALL, Mend.AWAY)

    def __str__(self) -> str:
        return f"{self.place}: {self.text}" if self.is_problem else f"not checked: {self.text}"


SURE_PART = 0.3
"""A place is sure once σ is below this part of the scale's unit, however sure the others' places are."""
SURE_MATCHES = 60
"""Without σ, a place counts as sure after this many matches, however many the others have played."""


def newcomers(rows: Iterable[Standing], joined: Mapping[int, int], scale: Scale) -> frozenset[int]:
    """Return which of the entries that joined later are less sure of their places than those there before them.

    `rows` are the entries that play; `joined` has the first match of those that joined later. An entry is a newcomer
    while it has fewer than `LEAST_MATCHES` matches, and while its σ is above the median σ of the ranked entries that
    came before it, and above `SURE_PART` of the scale's unit. If the rating system has no σ: while it has fewer
    matches than half their median, and fewer than `SURE_MATCHES`.
    """
    ordered = sorted(rows, key=lambda row: joined.get(row.entry_no, -1))
    new, before, seen = [], list[float](), 0
    for row in ordered:
        while joined.get((earlier := ordered[seen]).entry_no, -1) < joined.get(row.entry_no, -1):
            if earlier.matches >= LEAST_MATCHES:
                insort(before, earlier.sigma if scale.has_sigma else earlier.matches)
            seen += 1
        if row.entry_no not in joined:
            continue
        middle = (before[(len(before) - 1) // 2] + before[len(before) // 2]) / 2 if before else None
        if scale.has_sigma:
            is_sure = row.sigma <= max(middle or 0.0, SURE_PART * scale.unit)
        else:
            is_sure = row.matches >= min(SURE_MATCHES if middle is None else middle / 2, SURE_MATCHES)
        if not is_sure or row.matches < LEAST_MATCHES:
            new.append(row.entry_no)
    return frozenset(new)


def ranked(
    rows: Iterable[Standing], least_matches: int = 1, strengths: Mapping[int, float] | None = None
) -> list[Standing]:
    """Return the rows in ranking order, with their places.

    The highest μ comes first, or the highest of the `strengths`, by entry number, if they are given; entries without
    one have the lowest.
    Equal ratings share a place and are ordered by share, then by number. Entries with
    fewer than `least_matches` (at least 1) come last in the same order, and those without
    any match at the very end. They all share the place after the others, because their
    ratings mean little so far.
    """

    keyed = sorted(
        (
            row.matches < least_matches,
            row.matches == 0,
            -row.mu if strengths is None else -strengths.get(row.entry_no, -inf),
            -(row.share or 0.0),
            row.entry_no,
            row,
        )
        for row in rows
    )
    placed: list[Standing] = []
    before, place = (False, 0.0), 0
    for position, (is_new, _, worth, _, _, row) in enumerate(keyed, 1):
        if not (place and (before[0] or (not is_new and worth == before[1]))):
            place = position
        placed.append(row if row.place == place else msgspec.structs.replace(row, place=place))
        before = is_new, worth
    return placed
