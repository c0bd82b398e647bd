"""Seats, table sizes, luck, times and company of a league."""

from collections.abc import Sequence
from typing import NamedTuple

from arena.web.html.page import Page
from arena.web.pages.league_tabs import league_named, path_of, tabs
from results.reports.coalitions import author_flags, cached_author_rows, cached_coalition_rows, flags
from results.reports.leagues import league_summary
from results.reports.statistics import (
    LuckRow,
    SeatRow,
    decision_time_rows,
    luck_rows,
    seat_rows,
    table_size_rows,
)
from results.store import Store

BAR_LENGTH = 160.0
"""Of an SVG: a share of 100 %, or the longest mean time."""

SORTS = (
    "bot",
    "seats",
    "share",
    "wins",
    "games",
    "score",
    "matches",
    "within",
    "between",
    "worth",
    "wall",
    "cpu",
    "longest",
    "decisions",
    "other",
    "with",
    "without",
    "gain",
    "honest",
    "author",
    "expected",
    "difference",
)


class SeatLine(NamedTuple):
    """A seat with its bar."""

    row: SeatRow
    bar: float


class Table(NamedTuple):
    """The seats of tables of one size."""

    seats: int
    lines: Sequence[SeatLine]
    games: int
    expected: float
    """Where the bar of a seat without an advantage ends: a share of one half."""
    advantage: str
    """How much the seats differ, in words."""


MOST_PAIRS = 20
"""Of the pairs that were looked at for coalitions, so many are shown, the most unusual first."""


class Luck(NamedTuple):
    """The luck of matches of one kind."""

    all: LuckRow
    bots: Sequence[LuckRow]


def seats(store: Store, name: str) -> Page:
    """Return the page. Raises NoPage."""
    league = league_named(store, name)
    by_size: dict[int, list[SeatRow]] = {}
    for row in seat_rows(store, league):
        by_size.setdefault(row.seats, []).append(row)
    luck: dict[tuple[int, int], list[LuckRow]] = {}
    for kind in luck_rows(store, league):
        luck.setdefault((kind.seats, kind.games), []).append(kind)
    sizes = table_size_rows(store, league) if len(by_size) > 1 else []
    times = decision_time_rows(store, league)
    company = cached_coalition_rows(store, league)
    authors = [row for row in cached_author_rows(store, league) if row.matches]
    longest = max((row.wall_ms for row in times), default=0.0) or 1.0
    return Page(
        path_of(league, "seats"),
        f"Seats and luck · {league.name}",
        "seats.html",
        {
            "league": league_summary(store, league),
            "tables": [_table(size, rows) for size, rows in by_size.items()],
            "sizes": sizes,
            "company": company[:MOST_PAIRS],
            "company_rows": len(company),
            "company_unit": "points a game" if company and company[0].by == "scores" else "points of share",
            "company_flags": list(flags(company)),
            "authors": authors,
            "author_flags": list(author_flags(authors)),
            "luck": [Luck(rows[0], rows[1:]) for rows in luck.values() if rows[0].bot is None],
            "times": [(row, round(BAR_LENGTH * row.wall_ms / longest, 1)) for row in times],
        },
        tabs=tabs(league),
        polls_s=0 if league.state == "finished" else 15,
        scripts=("tables.js",),
    )


def _table(size: int, rows: Sequence[SeatRow]) -> Table:
    best, worst = (
        max(rows, key=lambda row: row.share_percent),
        min(rows, key=lambda row: row.share_percent),
    )
    differ = best.share_percent - worst.share_percent
    games = max(row.games for row in rows)
    # Of a mean of so many shares, whose standard deviation is at most one half: twice the error of a difference.
    noise = 2 * 50 * (2 / max(1, games)) ** 0.5
    if differ <= noise:
        advantage = f"No seat has a clear advantage after {_counted(games)}."
    else:
        advantage = (
            f"Seat {best.seat} does best, with a share {differ:.1f} points above that of seat {worst.seat}."
        )
    return Table(
        size,
        [SeatLine(row, round(BAR_LENGTH * row.share_percent / 100, 1)) for row in rows],
        games,
        BAR_LENGTH / 2,
        advantage,
    )


def _counted(games: int) -> str:
    return "1 game" if games == 1 else f"{games} games"
