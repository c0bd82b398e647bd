"""The history of ratings: after every match, or over spans of the league."""

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from results.records import LeagueRecord
from results.reports.columns import ReportRow

if TYPE_CHECKING:
    from results.store import Store


class RatingRow(ReportRow, frozen=True, kw_only=True):
    """The rating of an entry after a match that it played."""

    label: str
    match_no: int
    mu: float
    sigma: float | None
    """None if the rating system has none."""


class Moment(NamedTuple):
    """A rating at the end of a span of matches."""

    mu: float
    sigma: float
    """0 if the rating system has none."""


class RatingCourse(Struct, frozen=True, kw_only=True):
    """The course of an entry's rating through its league."""

    label: str
    start_mu: float
    """Before its first match."""
    mu: float
    sigma: float | None
    """None if the rating system has none."""
    """This and μ are current."""
    moments: tuple[Moment | None, ...]
    """At the end of each span, all covering the same number of the league's matches; None before its first match."""


def rating_rows(store: "Store", league: LeagueRecord, entry_no: int | None = None) -> Iterator[RatingRow]:
    """Yield the ratings after every match of all entries, or of one, in match order."""
    labels = {entry.entry_no: entry.label for entry in store.entries.all(league.uuid)}
    for point in store.ratings.history(league.uuid, entry_no):
        yield RatingRow(
            label=labels[point.entry_no],
            match_no=point.match_no,
            mu=point.mu,
            sigma=point.sigma if league.scale.has_sigma else None,
        )


def rating_courses(
    store: "Store", league: LeagueRecord, spans: int, entries: Collection[int] | None = None
) -> list[RatingCourse]:
    """Return the course of every entry that has played, or only of some, in the order of the rankings.

    `spans`: how many spans to divide the league into; fewer if it has fewer matches.
    """
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
            start_mu=starts[row.entry_no].mu,
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
