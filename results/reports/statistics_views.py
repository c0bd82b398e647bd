"""The statistics of a league: what each view shows, with its columns and notes, for commands and pages."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import msgspec
from msgspec import Struct

from results.base.errors import PackageMissing, UnknownName
from results.base.plugins import BrokenPlugin, load_plugin
from results.base.text import counted
from results.records import LeagueRecord
from results.reports.circles import ClaimRow, circle_rows
from results.reports.columns import ReportRow
from results.reports.statistics import (
    DecisionTimeRow,
    FaultCauseRow,
    LuckRow,
    SeatRow,
    TableSizeRow,
    advantage,
    decision_time_rows,
    fault_cause_rows,
    luck_rows,
    seat_rows,
    table_size_rows,
)
from results.store import Store


class ViewName(StrEnum):
    """The statistics by name."""

    SEATS = "seats"
    TABLES = "tables"
    FAULTS = "faults"
    TIME = "time"
    LUCK = "luck"
    CIRCLES = "circles"
    PRICES = "prices"
    """What moves cost; its rows need the rules of games, so who shows it brings them."""


ALL = "all"
"""Name of the row for all bots of the league together."""


class Bar(Struct, frozen=True):
    """The bar chart in the last column of a view."""

    title: str
    of: Callable[[Any], float]
    most: Callable[[Any], float] | None
    """The value of a full bar, by row; None: the largest value of all rows."""


class OnPage(Struct, frozen=True):
    """How the page "Seats and luck" of the site shows the statistics of another package, once there are rows."""

    heading: str
    about: str
    """What the table shows, below the heading."""
    keys: str
    """Its columns, with blanks between; the first is `bot`."""
    told: Callable[[Sequence[Any]], Iterable[str]] = lambda _: ()
    """Sentences above the table, without a full stop."""
    most: int | None = None
    """Only so many rows are shown; the files have all."""
    is_shown: Callable[[Any], object] = lambda _: True


class View(Struct, frozen=True):
    """One of the statistics, for the command line and for the files that the site has to download.

    Packages export them by entry points of the group `arena.statistics`.
    """

    title: str
    kind: type[ReportRow]
    rows: Callable[[Store, LeagueRecord, int | None], Sequence[ReportRow]]
    bar: Bar | None
    """Only in tables."""
    empty: str
    """Message if there are no rows."""
    answer: Callable[[Sequence[Any]], str] | None = None
    """What its rows say, in a sentence. None: it is only for who asks, as it takes seconds or is of interest to few."""
    most: int | None = None
    """In tables, only so many rows are shown."""
    notes: Callable[[Sequence[Any]], Iterable[str]] = lambda _: ()
    """Lines below a table with these rows."""
    instead: Callable[[Sequence[Any]], str] = lambda _: ""
    """Message instead of a table with these rows, if it would say nothing."""
    file: str = ""
    """Name of the file to download; empty: there is none."""
    on_site: Callable[[Store, LeagueRecord], Sequence[ReportRow]] | None = None
    """The rows of that file if they are others: only what is cached, or without the name `ALL`."""
    on_page: OnPage | None = None


def _luck_rows_with_all(store: Store, league: LeagueRecord, entry_no: int | None = None) -> list[LuckRow]:
    """Return the rows of luck; rows for all bots together have the name `ALL`."""
    return [
        msgspec.structs.replace(row, bot=ALL) if row.bot is None else row
        for row in luck_rows(store, league, entry_no)
    ]


_SHARE_BAR = Bar("share as bar", lambda row: row.share_percent, lambda _: 100)


MOST_SIZES = 3
"""Sizes of tables in an answer."""


def _of_sizes(told: Mapping[int, str]) -> str:
    """Return what is told of tables by their size."""
    more = f"; and {counted(len(told) - MOST_SIZES, 'more size')}" if len(told) > MOST_SIZES else ""
    if len(told) == 1:
        return next(iter(told.values()))
    return "; ".join(f"at tables of {size}, {one}" for size, one in [*told.items()][:MOST_SIZES]) + more


def _seats(rows: Sequence[SeatRow]) -> str:
    """Return which seats do best and worst, by size of the table."""
    sizes = sorted({row.seats for row in rows})
    return _of_sizes({size: advantage([row for row in rows if row.seats == size]) for size in sizes})


def _tables(rows: Sequence[TableSizeRow]) -> str:
    """Return who has the largest share, by size of the table."""
    best: dict[int, TableSizeRow] = {}
    for row in sorted(rows, key=lambda row: -row.share_percent):
        best.setdefault(row.seats, row)
    verb = "has" if len(best) == len(rows) else "leads with"
    return _of_sizes(
        {
            size: f"{best[size].bot} {verb} a share of {best[size].share_percent:.1f} %"
            for size in sorted(best)
        }
    )


def _faults(rows: Sequence[FaultCauseRow]) -> str:
    """Return how many games were forfeited, and what was the most frequent cause."""
    one, games = rows[0], sum(row.games for row in rows)
    most = f"most by {one.bot}: {one.cause} in {one.games:,} of its {counted(one.of_games, 'game')}"
    return f"{counted(games, 'game')} forfeited, {most}"


def _time(rows: Sequence[DecisionTimeRow]) -> str:
    """Return who thinks for the longest time."""
    one, slowest = rows[0], max(rows, key=lambda row: row.max_wall_ms)
    if len(rows) == 1:
        return f"{one.bot} takes {one.wall_ms:.1f} ms a decision on average, and {one.max_wall_ms:.1f} ms at most"
    return (
        f"{one.bot} thinks longest, {one.wall_ms:.1f} ms a decision on average; the slowest answer took "
        f"{slowest.max_wall_ms:.1f} ms ({slowest.bot})"
    )


def _luck(rows: Sequence[LuckRow]) -> str:
    """Return what a match is worth, by kind of match."""
    known = {row.seats: row for row in rows[::-1] if row.worth is not None}
    return _of_sizes(
        {
            size: f"a match of {row.games} games tells as much as {row.worth:.2f} games on separate deals"
            for size, row in reversed(known.items())
        }
    )


def _on_luck(rows: Sequence[LuckRow]) -> Iterable[str]:
    """Yield what a match is worth."""
    if rows:
        yield "within: standard deviation on one deal; between: from deal to deal, by the cards"
    known = next((row for row in rows if row.worth is not None), None)
    if known is not None:
        yield f"worth: a match of {known.games} games tells as much as {known.worth:.2f} games on separate deals"


def _on_circles(rows: Sequence[ClaimRow]) -> Iterable[str]:
    """Yield what the columns mean."""
    if not rows:
        return
    yield "beats: significantly more often than not (95 %, all pairs together)"
    if any(row.circle is None for row in rows):
        yield "without a circle number: the fit ranks the beaten bot significantly higher"


VIEWS: Mapping[str, View] = {
    ViewName.SEATS: View(
        "by seat",
        SeatRow,
        seat_rows,
        _SHARE_BAR,
        "no match is in the rankings yet",
        answer=_seats,
        file="by-seat",
    ),
    ViewName.TABLES: View(
        "by size of the table",
        TableSizeRow,
        table_size_rows,
        _SHARE_BAR,
        "no match is in the rankings yet",
        answer=_tables,
        file="by-table-size",
    ),
    ViewName.FAULTS: View(
        "games forfeited, by cause",
        FaultCauseRow,
        fault_cause_rows,
        Bar("of its games", lambda row: row.games, lambda row: row.of_games),
        "no faults",
        answer=_faults,
        file="fault-causes",
    ),
    ViewName.TIME: View(
        "time per decision, in milliseconds",
        DecisionTimeRow,
        decision_time_rows,
        Bar("wall as bar", lambda row: row.wall_ms, None),
        "no decisions yet",
        answer=_time,
        file="times",
    ),
    ViewName.LUCK: View(
        "luck: how much the share varies by chance, in percentage points",
        LuckRow,
        _luck_rows_with_all,
        Bar("within as bar", lambda row: row.within_percent, lambda _: 50),
        "needs two matches of a bot, each of two or more games",
        notes=_on_luck,
        answer=_luck,
        file="luck",
        on_site=luck_rows,
    ),
    ViewName.CIRCLES: View(
        "circles: each bot significantly beats the next, and the last the first",
        ClaimRow,
        circle_rows,
        _SHARE_BAR,
        "none found; most leagues have none, or need more matches to show one",
        notes=_on_circles,
        file="circles",
    ),
}


PACKAGES = {**dict.fromkeys(("coalitions", "authors"), "arena-fair-play"), "lottery": "arena-lottery"}
"""What to install for statistics that aren't there."""


@cache
def added_views() -> dict[str, View]:
    """Return the statistics of other packages by name, without those that fail to load or have a name of ours."""
    found = {}
    for point in entry_points(group=_GROUP):
        if point.name not in VIEWS:
            with suppress(BrokenPlugin):
                found[point.name] = _loaded(point)
    return dict(sorted(found.items()))


def view_named(name: str) -> View:
    """Return the statistics with that name.

    Raises UnknownName, BrokenPlugin, and PackageMissing for those of a package that isn't installed.
    """
    if (found := VIEWS.get(name) or added_views().get(name)) is not None:
        return found
    for point in entry_points(group=_GROUP, name=name):
        _loaded(point)
    if name in PACKAGES:
        raise PackageMissing(f"--view {name}", PACKAGES[name])
    raise UnknownName("view", name, [*map(str, ViewName), *added_views()])


_GROUP = "arena.statistics"


def _loaded(point: EntryPoint) -> View:
    """Return what an entry point exports. Raises BrokenPlugin."""
    view = load_plugin("statistic", point.value, point.module, point.load)
    if not isinstance(view, View):
        raise BrokenPlugin(f"{point.value} is a {type(view).__name__}, not a View", "export a View")
    return view


def views_of(league: LeagueRecord) -> Mapping[str, View]:
    """Return the views that have something to say of a league: few of them where scores of tables are compared."""
    if not league.counts_scores:
        return VIEWS
    return {name: VIEWS[name] for name in (ViewName.FAULTS, ViewName.TIME)}
