"""Statistics of a league: seats, table sizes, luck, times, company and faults; who finished above whom; old ratings."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from arena.league.move_prices import kept_of_league
from arena.league.why_lost import MEANINGS
from arena.web.html.links import Path, asking, choice
from arena.web.html.page_model import Page, PageRefused
from arena.web.html.paging import A_PAGE, Asked, Listed, asks_of, listed, part_of, sorts_of
from arena.web.pages import league_by_places, league_named, path_of, tabs
from arena.web.pages.league_format import format_places
from results.records import LeagueRecord
from results.reports.charts import MOST_LINES, chart
from results.reports.columns import columns_of
from results.reports.faults import failed_attempt_rows, latest_faults_of_league
from results.reports.head_to_head import CountedBy, PairRow, is_against_order, pair_rows
from results.reports.leagues import league_summary
from results.reports.move_costs import PriceRow, dots, price_rows
from results.reports.rankings import in_ranking_order
from results.reports.statistics import (
    DecisionTimeRow,
    FaultCauseRow,
    LuckRow,
    TableSizeRow,
    advantage,
    decision_time_rows,
    fault_cause_rows,
    luck_rows,
    seat_rows,
    table_size_rows,
)
from results.reports.statistics_views import OnPage, View, added_views
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
    by_size = {size: [*rows] for size, rows in groupby(seat_rows(store, league), attrgetter("seats"))}
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
            "tables": [(size, rows, advantage(rows, first=1)) for size, rows in by_size.items()],
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
            "meanings": {
                cause: f"{words[:1].upper()}{words[1:]}."
                for cause, words in MEANINGS.items()
                if cause in verdicts
            },
            "latest": latest.of(latest_faults_of_league(store, league, latest.number * A_PAGE)),
            "latest_part": latest,
            "faults": total,
            "failed": latest_failed.of(failed[::-1]),
            "failed_part": latest_failed,
            "all_failed": len(failed),
        },
        tabs=tabs(store, league, total),
        polls_s=0 if league.state == "finished" else 15,
        scripts=("tables.js",),
        description=f"Games of {league.name} that bots have forfeited, by cause.",
        part=causes.part,
    )


PAIRS_ASK = ("first", "by")
SIZES = (20, 40, 60)
"""How many bots can be shown, from the top."""
FEW = 8
"""Up to so many columns have names instead of numbers."""
MOST_SURPRISES = 3
_CLASSES = 5


def head_to_head(store: Store, name: str, first: tuple[str, ...] = (), by: tuple[str, ...] = ()) -> Page:
    """Return the page. Raises NoPage, NotUnderstood."""
    league = league_by_places(store, name)
    counted_by, size = counted_by_of(by), first_of(first)
    by_format = format_places(store, league)
    labels = [row.label for row in in_ranking_order(store, league, by_format) if row.matches]
    pairs = {
        (pair.bot, pair.opponent): pair for pair in pair_rows(store, league, counted_by, size, by_format)
    }
    shown = labels[:size]
    rows = [
        (number, label, [cell_of(pairs.get((label, other))) for other in shown])
        for number, label in enumerate(shown, 1)
    ]
    return Page(
        path_of(league, "head-to-head"),
        f"Head to head · {league.name}",
        "head_to_head.html",
        {
            "league": league_summary(store, league),
            "rows": rows,
            "is_one_match": store.leagues.progress(league.uuid).matches_done == 1,
            "is_sparse": 2 * len(pairs) < len(shown) * (len(shown) - 1),
            "surprises": _surprises([*pairs.values()], {label: no for no, label in enumerate(shown, 1)}),
            "by": counted_by.value,
            "size": size,
            "few": FEW,
            "sizes": SIZES,
            "bots": len(labels),
            "is_against_order": league.traits.chooses and is_against_order(pairs.values(), shown),
            "asking": asking({"first": str(size), "by": counted_by.value}),
        },
        tabs=tabs(store, league),
        polls_s=0 if league.state == "finished" else 15,
        description=f"How often each bot of {league.name} finished above each of the others.",
    )


def _surprises(pairs: Sequence[PairRow], place: Mapping[str, int]) -> list[tuple[PairRow, int]]:
    """Return who mostly finished above a bot at least two places ahead of it, with how many places that is."""
    above = [(pair, place[pair.bot] - place[pair.opponent]) for pair in pairs if pair.share_percent > 50]
    found = sorted(above, key=lambda one: (one[0].is_one_sided, one[1]), reverse=True)
    return [one for one in found if one[1] > 1][:MOST_SURPRISES]


def first_of(asked: Sequence[str]) -> int:
    """Return how many bots are asked for: one of `SIZES`. Raises NotUnderstood."""
    return int(choice("first", asked, [str(size) for size in SIZES], str(SIZES[0])))


def counted_by_of(asked: Sequence[str]) -> CountedBy:
    """Return what is asked to be counted. Raises NotUnderstood."""
    return CountedBy(choice("by", asked, [one.value for one in CountedBy], CountedBy.MATCHES.value))


def cell_of(pair: PairRow | None) -> tuple[PairRow, str, str] | None:
    """Return a pair, the class of its colour, from `heat1` (always below) to `heat5`, and the query for its matches."""
    if pair is None:
        return None
    colour = 1 + min(_CLASSES - 1, int(pair.share_percent * _CLASSES / 100))
    return (pair, f"heat{colour}", asking({"bot": (pair.bot, pair.opponent)}))


HISTORY_ASKS = ("bot", *asks_of(""))


def history(store: Store, name: str, bot: tuple[str, ...] = (), **asked: tuple[str, ...]) -> Page:
    """Return the page. Raises NoPage, and PageRefused if one of the bots isn't there."""
    league = league_named(store, name)
    standings = [row for row in store.ratings.standings(league.uuid) if row.matches]
    numbers = {row.label: row.entry_no for row in standings}
    chosen = [label for label in dict.fromkeys(bot) if label in numbers]
    shown = chosen[:MOST_LINES] or [row.label for row in standings if not row.retired][:MOST_LINES]
    drawn = chart(store, league, {label: numbers[label] for label in shown})
    unknown = [label for label in bot if label and label not in numbers]
    listing = listed(list(numbers), path_of(league, "history"), {**asked, "bot": bot}, str)
    offered = dict.fromkeys((*chosen[:MOST_LINES], *listing.found[:A_PAGE]))
    page = Page(
        path_of(league, "history"),
        f"{league.scale.title.capitalize()}s over time · {league.name}",
        "history.html",
        {
            "league": league_summary(store, league),
            "chart": drawn,
            "shown": shown,
            "is_chosen": bool(chosen),
            "unknown": unknown,
            "too_many": max(0, len(chosen) - MOST_LINES),
            "labels": [*offered][:A_PAGE],
            "more": max(0, len(listing.found) - A_PAGE),
            "choices": listing.part,
            "most": MOST_LINES,
            "has_sigma": league.scale.has_sigma,
            "title": league.scale.title,
        },
        tabs=tabs(store, league),
        polls_s=0 if league.state == "finished" else 30,
        scripts=("charts.js",),
        description=f"How the {league.scale.title}s of {league.name} have changed over its matches.",
    )
    if unknown:
        raise PageRefused(page, 404)
    return page
