"""Statistics of a league: seats, table sizes, luck, times and company; games that bots forfeited, or that failed."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from arena.league.move_prices import kept_of_league
from arena.web.html.links import Path
from arena.web.html.page import Page
from arena.web.html.paging import A_PAGE, Asked, Listed, asks_of, listed, part_of, sorts_of
from arena.web.pages import league_by_places, league_named, path_of, tabs
from protocol.verdicts import Verdict
from results.records import LeagueRecord
from results.reports.columns import columns_of
from results.reports.faults import failed_attempt_rows, latest_faults_of_league
from results.reports.leagues import league_summary
from results.reports.prices import PriceRow, dots, price_rows
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
from results.reports.views import OnPage, View, added_views
from results.store import Store

BAR_LENGTH = 160.0
"""Of an SVG: a share of 100 %, or the longest mean time."""

COLUMNS = {
    "sizes": columns_of(TableSizeRow, "bot seats share_percent win_rate_percent games score"),
    "luck": columns_of(LuckRow, "bot matches within_percent between_percent worth"),
    "times": columns_of(DecisionTimeRow, "bot wall_ms cpu_ms max_wall_ms decisions"),
    "prices": columns_of(PriceRow, "bot price low high games dearest"),
    **{
        name: columns_of(view.kind, view.on_page.keys) for name, view in added_views().items() if view.on_page
    },
}
"""Of the tables that can be sorted."""
SORTS = tuple({column.sort_key: None for columns in COLUMNS.values() for column in columns})
LISTS = "|".join((*(name for name in COLUMNS if name != "luck"), "luck-[0-9]{1,3}-[0-9]{1,9}"))
"""Names of those that can be long."""


class Added(NamedTuple):
    """The statistics of another package on the page."""

    name: str
    view: View
    shows: OnPage
    rows: Listed[Any]
    all: int
    told: list[str]


def seats(store: Store, name: str, **asked: tuple[str, ...]) -> Page:
    """Return the page. Raises NoPage."""
    league = league_by_places(store, name)
    here = path_of(league, "seats")
    by_size: dict[int, list[SeatRow]] = {}
    for row in seat_rows(store, league):
        by_size.setdefault(row.seats, []).append(row)
    luck: dict[tuple[int, int], list[LuckRow]] = {}
    for kind in luck_rows(store, league):
        luck.setdefault((kind.seats, kind.games), []).append(kind)
    sizes = table_size_rows(store, league) if len(by_size) > 1 else []
    times = decision_time_rows(store, league)
    prices = price_rows(store, league, kept_of_league(store, league))
    longest = max((row.wall_ms for row in times), default=0.0) or 1.0
    return Page(
        here,
        f"Seats and luck · {league.name}",
        "seats.html",
        {
            "league": league_summary(store, league),
            "columns": COLUMNS,
            "tables": [(size, rows, advantage(rows)) for size, rows in by_size.items()],
            "sizes": _of_bots(sizes, here, asked, "sizes"),
            "added": list(_added(store, league, here, asked)),
            "luck": [
                (rows[0], _of_bots(rows[1:], here, asked, f"luck-{rows[0].seats}-{rows[0].games}"))
                for rows in luck.values()
                if rows[0].bot is None
            ],
            "times": _of_bots(times, here, asked, "times"),
            "prices": _of_bots(prices, here, asked, "prices"),
            "price_dots": dots(prices),
            "per_ms": BAR_LENGTH / longest,
        },
        tabs=tabs(store, league),
        polls_s=0 if league.state == "finished" else 15,
        scripts=("tables.js",),
        description=f"How much seats and luck decide in {league.name}, and how long bots think.",
    )


def _added(store: Store, league: LeagueRecord, here: Path, asked: Asked) -> Iterator[Added]:
    """Yield the statistics of other packages that have something to show."""
    for name, view in added_views().items():
        if (shows := view.on_page) is not None and view.on_site is not None:
            rows = [row for row in view.on_site(store, league) if shows.is_shown(row)]
            if rows:
                shown = _of_bots(rows[: shows.most], here, asked, name)
                yield Added(name, view, shows, shown, len(rows), list(shows.told(rows)))


def _of_bots(rows: Sequence[Any], whole: Path, asked: Asked, name: str, page: str = "") -> Listed[Any]:
    """Return a list with a row of each bot; `name`: of its table, before the first `-` that of its columns."""
    sorts, ups = sorts_of(COLUMNS[name.partition("-")[0]] if name else CAUSES)
    return listed(rows, whole, asked, lambda row: row.bot, name=name, page=page, sorts=sorts, ups=ups)


MOST_LATEST = 500
"""Faults and failed games that are listed: the latest."""
MEANINGS: Mapping[str, str] = {
    Verdict.STARTUP: "It didn't start, or wasn't ready, in time.",
    Verdict.TIMEOUT: "It didn't answer in time.",
    Verdict.CRASH: "Its process ended during its turn.",
    Verdict.ILLEGAL: "Its move is not allowed by the rules.",
    Verdict.MALFORMED: "What it wrote is not a message of the protocol.",
    Verdict.OUTPUT: "It wrote more than allowed.",
    Verdict.MEMORY: "It used more memory than allowed.",
    Verdict.PONDERING: "It computed during the turns of others, which this league forbids.",
    Verdict.RESIGNED: "A person resigned or left the table.",
}

CAUSES = columns_of(FaultCauseRow)
FAULT_SORTS = tuple(column.sort_key for column in CAUSES)
FAULT_ASKS = asks_of("", "latest", "failed")


def faults(store: Store, name: str, page: str = "", **asked: tuple[str, ...]) -> Page:
    """Return the page. Raises NoPage."""
    league = league_named(store, name)
    here = path_of(league, "faults")
    verdicts = store.games.faults_by_verdict(league.uuid)
    failed = failed_attempt_rows(store, league)
    causes = _of_bots(fault_cause_rows(store, league), here, asked, "", page)
    total = sum(verdicts.values())
    latest = part_of(min(total, MOST_LATEST), "", here, asked, name="latest")
    latest_failed = part_of(min(len(failed), MOST_LATEST), "", here, asked, name="failed")
    return Page(
        causes.part.path(causes.part.number),
        f"Faults · {league.name}",
        "faults.html",
        {
            "league": league_summary(store, league),
            "causes": causes,
            "cause_columns": CAUSES,
            "meanings": {cause: words for cause, words in MEANINGS.items() if cause in verdicts},
            "latest": latest.of(latest_faults_of_league(store, league, latest.number * A_PAGE)),
            "latest_part": latest,
            "faults": total,
            "failed": latest_failed.of(failed[::-1]),
            "failed_part": latest_failed,
            "all_failed": len(failed),
        },
        tabs=tabs(store, league),
        polls_s=0 if league.state == "finished" else 15,
        scripts=("tables.js",),
        description=f"Games of {league.name} that bots have forfeited, by cause.",
        part=causes.part,
    )
