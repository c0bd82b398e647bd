"""Some of a league's matches, counted and rated again from the start values, without touching the stored ratings."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import combinations, groupby
from operator import attrgetter
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from msgspec import Struct

from results.analysis.betting_test import Meetings
from results.base.errors import UnknownName
from results.base.scoring import added, game_shares, game_wins, match_ranks
from results.ratings import league_rater
from results.ratings.base import Rating
from results.ratings.mean_score import mean_score
from results.records import EntryRecord, LeagueRecord, VersionRecord
from results.records.query_rows import CountedMatch, SeatResult, Standing
from results.records.ratings_and_totals_fold import EntryTotal, counts_score, rated_after, standing
from results.store import Store
from results.store.matches import Chosen

Made = TypeVar("Made")
Report = Callable[[int, int], None]
"""Called now and then with the numbers of matches read and of all matches."""


MOST_ENTRIES = 100
"""Rankings look for circles among up to so many entries: reading the pairs of more takes longer than the rest."""


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
    meetings: Sequence[Meetings]
    """How each two entries did in their matches; empty without ratings, and for more than `MOST_ENTRIES`."""
    match_nos: Sequence[int] = ()
    """The matches that fit."""


def recount(
    store: Store,
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
    standings = store.ratings.standings(league.uuid)
    key = (league, store.leagues.progress(league.uuid), standings, selection, before)
    return remembered(
        store, "recounts", key, lambda: _counted(store, league, standings, selection, before, report), 4
    )


def remembered(store: Store, kind: str, key: object, make: Callable[[], Made], most: int) -> Made:
    """Return what is kept of a kind for this key, or make it; the latest `most` are kept as long as a store is open."""
    kept: list[tuple[object, Made]] = _KEPT.setdefault(store, {}).setdefault(kind, [])
    for known, found in kept:
        if known == key:
            return found
    kept[:] = [*kept[1 - most :], (key, make())]
    return kept[-1][1]


_KEPT: WeakKeyDictionary[Store, dict[str, list[tuple[object, Any]]]] = WeakKeyDictionary()


def _counted(
    store: Store,
    league: LeagueRecord,
    stored: Sequence[Standing],
    selection: Selection,
    before: int | None,
    report: Report | None,
) -> Recount:
    if selection.ruleset is not None and selection.ruleset not in (known := rulesets_of(store, league)):
        raise UnknownName("ruleset", selection.ruleset, known)
    count = _Count(store, league, stored, selection)
    earlier: Sequence[Standing] | None = None
    match_nos: list[int] = []
    of = 0
    for block in store.matches.chosen(league.uuid, selection.fits):
        of += block.finished
        for match_no, games in count.games(block):
            if before is not None and earlier is None and match_no >= before:
                earlier = count.standings()
            if count.add(match_no, games):
                match_nos.append(match_no)
        if report:
            report(block.through, block.end)
    now = count.standings()
    return Recount(
        now,
        None if before is None else earlier or now,
        len(match_nos),
        of,
        count.is_rated,
        count.meetings(),
        match_nos,
    )


def rulesets_of(store: Store, league: LeagueRecord) -> tuple[str, ...]:
    """Return the names of the rulesets that a league's matches have, sorted."""
    own = {league.ruleset.name} if league.ruleset else set()
    return tuple(sorted(own | set(store.matches.rulesets(league.uuid))))


class _Count:
    """Sums over matches, in their order, and the ratings after them as the league rates; with a seat, without ratings.

    An entry of an unrated league may have several seats at a table.
    """

    def __init__(
        self, store: Store, league: LeagueRecord, stored: Sequence[Standing], selection: Selection
    ) -> None:
        self._store = store
        self._league = league.uuid
        self._seat = selection.seat
        self._counts_scores = league.counts_scores
        self.is_rated = league.rated and selection.seat is None
        self._rows: Sequence[Standing | EntryRecord] = stored
        self._ratings: dict[int, Rating] = {}
        if self.is_rated:
            self._rater = league_rater(league.name, league.rating, league.rating_options, league.scale)
            self._ratings = store.ratings.after(league.uuid, -1)
        else:
            entries, units = store.entries.all(league.uuid), league.partners.units
            self._rows = [one for one in entries if units([one.entry_no]) == (one.entry_no,)]
        self._totals: dict[int, EntryTotal] = {}
        self._last: dict[int, tuple[int, float]] = {}
        self._pairs: dict[tuple[int, int], list[int]] = {}
        self._partners = league.partners
        self._looks_at_pairs = self.is_rated and len(stored) <= MOST_ENTRIES
        self._has_all = True
        """Whether all matches so far were chosen."""
        self._stored: dict[int, dict[int, Rating]] = {}

    def games(self, block: Chosen) -> Iterator[tuple[int, Sequence[Sequence[SeatResult]]]]:
        """Yield the numbers of a block's matches with their games.

        As long as all matches are chosen, ratings are those of the league, which are stored.
        """
        chosen = frozenset(block.match_nos)
        if not chosen:
            self._has_all = self._has_all and not block.finished
            return
        self._has_all = self._has_all and len(chosen) == block.finished
        first, end = block.match_nos[0], block.match_nos[-1] + 1
        self._stored = {}
        if self._has_all and self.is_rated:
            for point in self._store.ratings.history(self._league, None, first, end):
                self._stored.setdefault(point.match_no, {})[point.entry_no] = Rating(point.mu, point.sigma)
        for seats in self._store.seats.results(self._league, end, first):
            for match_no, of_match in groupby(seats, key=attrgetter("match_no")):
                if match_no in chosen:
                    yield match_no, [list(game) for _, game in groupby(of_match, key=attrgetter("rotation"))]

    def add(self, match_no: int, games: Sequence[Sequence[SeatResult]]) -> bool:
        """Count a match; return whether a game of it counts for anybody."""
        sums: dict[int, int] = {}
        for game in games:
            ranks = tuple([seat.rank for seat in game])
            sides = self._partners.at(len(game))
            shares, wins = game_shares(ranks, sides), game_wins(ranks, sides)
            for seat, share, win in zip(game, shares, wins, strict=True):
                if self._seat is not None and seat.seat != self._seat:
                    continue
                entry = seat.entry_no
                sums[entry] = sums.get(entry, 0) + share
                if self._counts_scores and not counts_score(game, seat):
                    continue
                total = self._totals.get(entry) or self._totals.setdefault(entry, EntryTotal())
                total.games += 1
                total.share += share
                total.wins += win
                total.score = added(total.score, seat.score)
                total.faults += seat.forfeited
        for entry in sums:
            self._totals.setdefault(entry, EntryTotal()).matches += 1
        if self.is_rated:
            self._rate(match_no, sums, games)
        else:
            if self._counts_scores:
                self._ratings.update(self._mean_scores(sums))
            self._last.update(dict.fromkeys(sums, (match_no, 0.0)))
        return bool(sums)

    def _mean_scores(self, entries: Iterable[int]) -> dict[int, Rating]:
        totals = {entry: self._totals[entry] for entry in entries}
        return {entry: mean_score(total.score, total.games) for entry, total in totals.items()}

    def _rate(self, match_no: int, sums: Mapping[int, int], games: Sequence[Sequence[SeatResult]]) -> None:
        after: Mapping[int, Rating] | None = self._stored.get(match_no)
        sides = self._partners.at(len(games[0]))
        if self._counts_scores:
            after = self._mean_scores(sums)
        if after is None:
            ranks = () if self._rater.rates_games else match_ranks(tuple(sums.values()))
            rated = rated_after(self._rater, self._ratings, list(sums), ranks, games, sides)
            after = dict(zip(sums, rated, strict=True))
        for entry, new in after.items():
            self._last[entry] = match_no, new.mu - self._ratings[entry].mu
        self._ratings.update(after)
        if self._looks_at_pairs and not self._counts_scores:
            side = {seat.entry_no: sides[seat.seat] for seat in games[0]} if sides else {}
            for (a, share), (b, other) in combinations(sorted(sums.items()), 2):
                if side and side[a] == side[b]:
                    continue
                pair = self._pairs.get((a, b)) or self._pairs.setdefault((a, b), [0, 0, 0])
                pair[0] += 1
                pair[1] += share > other
                pair[2] += share == other

    def standings(self) -> list[Standing]:
        """Return the standings of all entries by what was counted; without ratings, by their shares."""
        found = []
        for row in self._rows:
            entry = row.entry_no
            version = row.version.reference if isinstance(row.version, VersionRecord) else row.version
            of_entry = self._totals.get(entry), self._last.get(entry), self._ratings.get(entry)
            retired = isinstance(row, Standing) and row.retired
            found.append(standing(entry, row.label, version, *of_entry, retired=retired))
        return found

    def meetings(self) -> list[Meetings]:
        """Return how each pair of entries did in the matches."""
        return [Meetings(*pair, *counts) for pair, counts in sorted(self._pairs.items())]


def entries_named(store: Store, league: LeagueRecord, text: str) -> Mapping[int, str]:
    """Return the labels, by entry number, of entries that are named with commas between.

    Each is named in any way that a league allows; a single label may have commas itself. Raises UnknownEntry, also for
    no name at all, and AmbiguousName.
    """
    names = [name.strip() for name in text.split(",") if name.strip()]
    if any(entry.label == text for entry in store.entries.all(league.uuid)):
        names = [text]
    found = store.entries.find_all(league.uuid, names or [text])
    return {entry.entry_no: entry.label for entry in found}
