"""Some of a league's matches, counted and rated again from the start values, without touching the stored ratings."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from msgspec import Struct

from results.base.errors import UnknownName
from results.base.scoring import game_shares, game_wins
from results.ratings import league_rater
from results.ratings.base import Rating
from results.records import EntryRecord, LeagueRecord, VersionRecord
from results.records.query_rows import CountedMatch, PairPart, Standing
from results.records.totals_fold import EntryTotal, FinishedMatch, Fold, PairParts, standing

if TYPE_CHECKING:
    from results.store import Store

Report = Callable[[int, int], None]
"""Called now and then with the numbers of matches read and of all matches."""


class Selection(Struct, frozen=True, kw_only=True):
    """Which matches, and which of their games, to count. Without any condition: all of them."""

    since: datetime | None = None
    """The first moment at which the last game of a match may have ended; it has an offset from UTC."""
    until: datetime | None = None
    against: frozenset[int] = frozenset()
    """At least one of these entries is at the table; empty: any table."""
    seats: int | None = None
    ruleset: str | None = None
    seat: int | None = None
    """From 0. Of each entry, only the games that it played at this seat; there are no ratings then, because each
    entry has games of its own."""

    @property
    def is_everything(self) -> bool:
        """Whether there is no condition."""
        return self == Selection()

    def fits(self, match: CountedMatch) -> bool:
        """Return whether a match is counted."""
        if self.seats is not None and len(match.entries) != self.seats:
            return False
        if self.against and self.against.isdisjoint(match.entries):
            return False
        if self.ruleset is not None and match.ruleset != self.ruleset:
            return False
        if self.since is None and self.until is None:
            return True
        ended = datetime.fromisoformat(match.ended_at)
        return (self.since is None or ended >= self.since) and (self.until is None or ended < self.until)


EVERY_MATCH = Selection(until=datetime(9999, 1, 1, tzinfo=UTC))
"""Makes a league without ratings count its matches, for their shares."""


def counted_for(league: LeagueRecord, selection: Selection) -> Selection:
    """Return which matches to count for the rankings of a league: without ratings, all of them if none are selected."""
    return EVERY_MATCH if not league.rated and selection.is_everything else selection


class Recount(Struct, frozen=True):
    """The matches of a selection, counted."""

    standings: Sequence[Standing]
    """Of all entries, in no order."""
    before: Sequence[Standing] | None
    """The same for the matches before the number that was given."""
    matches: int
    of: int
    is_rated: bool
    parts: Sequence[PairPart]
    """How each two entries did in their matches; empty without ratings."""
    match_nos: Sequence[int] = ()
    """The matches that fit."""


def recount(
    store: "Store",
    league: LeagueRecord,
    selection: Selection,
    before: int | None = None,
    report: Report | None = None,
) -> Recount:
    """Count the matches of a selection, and rate them by the league's own rating system.

    Only matches that are counted in the rankings are looked at. `before`: also return the standings of the matches
    below this number. The latest results of an open store are kept as long as nothing happens in their leagues.
    Raises UnknownName if no match of the league has the ruleset, RatingMissing, and RatingFailed.
    """
    kept = _KEPT.setdefault(store, [])
    standings = store.ratings.standings(league.uuid)
    key = (league, store.leagues.progress(league.uuid), standings, selection, before)
    for known, found in kept:
        if known == key:
            return found
    kept[:] = [*kept[1 - _MOST_KEPT :], (key, _counted(store, league, standings, selection, before, report))]
    return kept[-1][1]


_KEPT: WeakKeyDictionary["Store", list[tuple[object, Recount]]] = WeakKeyDictionary()
_MOST_KEPT = 4


def _counted(
    store: "Store",
    league: LeagueRecord,
    stored: Sequence[Standing],
    selection: Selection,
    before: int | None,
    report: Report | None,
) -> Recount:
    if selection.ruleset is not None:
        _check_ruleset(store, league, selection.ruleset)
    counter = (
        _Rated(store, league, stored)
        if league.rated and selection.seat is None
        else _Shares(store, league, selection)
    )
    earlier: Sequence[Standing] | None = None
    match_nos: list[int] = []
    of = 0
    for block in store.matches.chosen(league.uuid, selection.fits):
        of += block.finished
        for match in block.matches:
            if before is not None and earlier is None and match.match_no >= before:
                earlier = counter.standings()
            if counter.add(match):
                match_nos.append(match.match_no)
        if report:
            report(block.through, block.end)
    now = counter.standings()
    return Recount(
        now,
        None if before is None else earlier or now,
        len(match_nos),
        of,
        isinstance(counter, _Rated),
        counter.parts() if isinstance(counter, _Rated) else (),
        match_nos,
    )


def rulesets_of(store: "Store", league: LeagueRecord) -> tuple[str, ...]:
    """Return the names of the rulesets that a league's matches have, sorted."""
    own = {league.ruleset.name} if league.ruleset else set()
    return tuple(sorted(own | set(store.matches.rulesets(league.uuid))))


class _Rated:
    """Rates matches as the league does."""

    def __init__(self, store: "Store", league: LeagueRecord, stored: Sequence[Standing]) -> None:
        rater = league_rater(league.name, league.rating, league.rating_options, league.scale)
        self._stored = stored
        self._scale = league.scale
        self._fold = Fold(rater, store.ratings.after(league.uuid, -1))
        self._parts = PairParts()

    def add(self, match: FinishedMatch) -> int:
        """Count a match; return 1."""
        result = self._fold.add(match)
        self._fold.points.clear()
        self._parts.add(match.match_no, match.entries, result.ranks)
        return 1

    def standings(self) -> list[Standing]:
        fold = self._fold
        return [
            _standing(
                row, fold.entries.get(row.entry_no), fold.last.get(row.entry_no), fold.ratings[row.entry_no]
            )
            for row in self._stored
        ]

    def parts(self) -> list[PairPart]:
        """Return how each pair of entries did in each part of the matches."""
        return self._parts.rows()


class _Shares:
    """Sums shares and wins, of all games or of those at one seat. An entry may have several seats at a table."""

    def __init__(self, store: "Store", league: LeagueRecord, selection: Selection) -> None:
        self._seat = selection.seat
        self._entries = store.entries.all(league.uuid)
        self._totals: dict[int, EntryTotal] = {}
        self._last: dict[int, tuple[int, float]] = {}

    def add(self, match: FinishedMatch) -> int:
        """Count a match; return 1 if a game of it counts for anybody."""
        seen = set()
        for game in match.games:
            ranks = [seat.rank for seat in game]
            for seat, share, win in zip(game, game_shares(ranks), game_wins(ranks), strict=True):
                if self._seat is not None and seat.seat != self._seat:
                    continue
                seen.add(seat.entry_no)
                total = self._totals.setdefault(seat.entry_no, EntryTotal())
                total.games += 1
                total.share += share
                total.wins += win
                total.score += seat.score
                total.faults += seat.verdict is not None
        for entry in seen:
            self._totals[entry].matches += 1
            self._last[entry] = match.match_no, 0.0
        return bool(seen)

    def standings(self) -> list[Standing]:
        return [
            _standing(entry, self._totals.get(entry.entry_no), self._last.get(entry.entry_no))
            for entry in self._entries
        ]


def _standing(
    row: Standing | EntryRecord,
    total: EntryTotal | None,
    last: tuple[int, float] | None,
    rating: Rating | None = None,
) -> Standing:
    """Return the standing of an entry by other sums; without a rating, it is ordered by its share."""
    version = row.version.reference if isinstance(row.version, VersionRecord) else row.version
    retired = isinstance(row, Standing) and row.retired
    return standing(row.entry_no, row.label, version, total, last, rating, retired=retired)


def _check_ruleset(store: "Store", league: LeagueRecord, name: str) -> None:
    known = rulesets_of(store, league)
    if name not in known:
        raise UnknownName("ruleset", name, known)


def entries_named(store: "Store", league: LeagueRecord, text: str) -> Mapping[int, str]:
    """Return the labels, by entry number, of entries that are named with commas between.

    Each is named in any way that a league allows; a single label may have commas itself. Raises UnknownEntry, also for
    no name at all, and AmbiguousName.
    """
    names = [name.strip() for name in text.split(",") if name.strip()]
    if any(entry.label == text for entry in store.entries.all(league.uuid)):
        names = [text]
    found = store.entries.find_all(league.uuid, names or [text])
    return {entry.entry_no: entry.label for entry in found}
