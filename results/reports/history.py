"""The history of ratings, after every match or over spans of the league, and how entries have moved in the rankings."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Annotated, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from results.records import LeagueRecord
from results.records.query_rows import Standing, ranked
from results.reports.columns import Column, ColumnGroup, ReportRow, row_from
from results.store import Store


class RatingRow(ReportRow, frozen=True, kw_only=True):
    """The rating of an entry after a match that it played."""

    label: Annotated[str, Column("bot")]
    match_no: Annotated[int, Column("match")]
    mu: Annotated[float, Column("μ", 2)]
    sigma: Annotated[float | None, Column("σ", 2)]


class Moment(NamedTuple):
    """A rating at the end of a span of matches."""

    mu: float
    sigma: float


class RatingCourse(Struct, frozen=True, kw_only=True):
    """The course of an entry's rating through its league.

    Columns:
        start_mu: The rating before its first match
        mu: The rating now: the higher, the stronger
        sigma: How uncertain μ is: the strength is within 2 σ of it, 95 times in 100
        moments: The rating after equal parts of the league, from the first match on the left to the newest on the
            right; all bots share one scale, from the lowest rating that any of them had to the highest
    """

    label: Annotated[str, Column("bot", priority=0)]
    start_mu: Annotated[float | None, Column("start", 2, priority=6)]
    """None for mean scores."""
    mu: Annotated[float, Column("μ", 2, priority=1)]
    sigma: Annotated[float | None, Column("σ", 2, priority=5)]
    """None if the rating system has none."""
    moments: Annotated[tuple[Moment | None, ...], Column("μ over the league", priority=2)]
    """At the end of each span, all covering the same number of the league's matches; None before its first match."""


def rating_rows(store: Store, league: LeagueRecord, entry_no: int | None = None) -> Iterator[RatingRow]:
    """Yield the ratings after every match of all entries, or of one, in match order."""
    labels = store.entries.labels(league.uuid)
    for point in store.ratings.history(league.uuid, entry_no):
        sigma = point.sigma if league.scale.has_sigma else None
        yield row_from(point, RatingRow, label=labels[point.entry_no], sigma=sigma)


def rating_courses(
    store: Store, league: LeagueRecord, spans: int, entries: Collection[int] | None = None
) -> list[RatingCourse]:
    """Return the course of every entry that has played, or of some, in ranking order; `spans` divide the league."""
    planned = store.leagues.progress(league.uuid).matches_planned
    spans = max(1, min(spans, planned))
    moments: dict[int, list[Moment | None]] = {}
    points = (
        store.ratings.course(league.uuid, spans)
        if entries is None
        else [point for no in entries for point in store.ratings.course(league.uuid, spans, no)]
    )
    for point in points:
        of_entry = moments.setdefault(point.entry_no, [None] * spans)
        of_entry[point.match_no * spans // planned] = Moment(point.mu, point.sigma)
    starts = store.ratings.after(league.uuid, -1) if moments else {}
    return [
        RatingCourse(
            label=row.label,
            start_mu=None if league.counts_scores else starts[row.entry_no].mu,
            mu=row.mu,
            sigma=row.sigma if league.scale.has_sigma else None,
            moments=tuple(without_gaps(moments[row.entry_no])),
        )
        for row in store.ratings.standings(league.uuid)
        if row.entry_no in moments
    ]


def without_gaps(moments: Sequence[Moment | None]) -> list[Moment | None]:
    """Return the moments with each gap filled from the moment before it; leading gaps stay."""
    filled: list[Moment | None] = []
    for moment in moments:
        filled.append(moment if moment is not None or not filled else filled[-1])
    return filled


class Movement(Struct, frozen=True):
    """The moment that the rankings are compared with."""

    since: datetime
    match_no: int
    """The rankings of that moment counted the matches below this number."""


class Moved(ColumnGroup, frozen=True, kw_only=True):
    """How one entry has moved."""

    rank_before: int | None = None
    """None: it had no rank then."""
    places: int | None = field(default=None, name="moved_places")
    """Places gained, negative if lost; None if it has or had no rank."""
    rating: float | None = field(default=None, name="moved_rating")
    """How much the value that rankings are ordered by has changed; None if it had no rank then, or without ratings."""


def places(
    standings: Sequence[Standing], least_matches: int, strengths: Mapping[int, float] | None = None
) -> dict[int, Standing]:
    """Return the standings of entries with a rank, by number; `strengths` order them instead of ratings."""
    least = max(1, least_matches)
    return {row.entry_no: row for row in ranked(standings, least, strengths) if row.matches >= least}


def moved_since(
    before: Mapping[int, Standing], entry_no: int, now: Standing | None, *, is_rated: bool
) -> Moved:
    """Return how an entry has moved since the places `before`."""
    was = before.get(entry_no)
    if was is None or now is None:
        return Moved(rank_before=was.place if was else None)
    return Moved(
        rank_before=was.place, places=was.place - now.place, rating=now.mu - was.mu if is_rated else None
    )


def earlier_standings(
    store: Store, league: LeagueRecord, standings: Sequence[Standing], match_no: int
) -> list[Standing]:
    """Return the standings after the matches below a number, from the ratings that the ledger has for every match.

    `standings` are those of now. Shares and totals other than `matches` are left as they are. Empty for an unrated
    league.
    """
    if not league.rated:
        return []
    starts = store.ratings.after(league.uuid, -1)
    played = store.ratings.before(league.uuid, match_no)
    earlier = [(row, *played.get(row.entry_no, (starts[row.entry_no], 0))) for row in standings]
    return [replace(row, mu=was.mu, sigma=was.sigma, matches=matches) for row, was, matches in earlier]
