"""`arena history`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.commands.rankings import LeagueArgument, heading
from arena.cli.display.rating_columns import fitted_to
from arena.cli.display.tables import (
    Column,
    Format,
    FormatOption,
    console,
    counted,
    list_rows,
    print_line,
    say,
)
from arena.cli.open_store import DEFAULT_STORE, StoreOption, reading

if TYPE_CHECKING:
    from results.query_rows import RatingAfter
    from results.ratings.base import Scale
    from results.records import LeagueRecord
    from results.store import Store

COLUMNS = (
    Column("label", "bot", priority=0),
    Column("line", "μ over the league", priority=2),
    Column("start", "start", 2, priority=6),
    Column("mu", "μ", 2, priority=1),
    Column("sigma", "σ", 2, priority=5),
    Column("conservative", "μ−3σ", 2, priority=3),
)
POINT_COLUMNS = (
    Column("label", "bot"),
    Column("match_no", "match", right=True),
    Column("mu", "μ", 2),
    Column("sigma", "σ", 2),
    Column("conservative", "μ−3σ", 2),
)
LINE_SPANS = 32
NARROW_LINE_SPANS = 16
NARROW = 60
"""Terminals with fewer columns have the shorter lines."""
"""Moments shown of every bot where all are."""
PLOT_SPANS = 64
"""Moments shown of a single bot."""
PLOT_LINES = 15
BESIDE_THE_PLOT = 11
"""Cells of the scale."""


def history(
    name: LeagueArgument = None,
    bot: Annotated[str | None, typer.Option("--bot", "-b", help="Only this bot, drawn large.")] = None,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """Show how the ratings of a league came about: a line for every bot, or one bot with its uncertainty.

    The other formats give the rating after every match.
    """
    with reading(store) as opened:
        league = opened.leagues.get(name)
        entry_no = None if bot is None else opened.entries.find(league.uuid, bot).entry_no
        labels = {entry.entry_no: entry.label for entry in opened.entries.all(league.uuid)}
        title, empty = heading(opened, league), f"{league.name}: no match is rated yet"
        if form is not Format.TABLE:
            points = opened.ratings.history(league.uuid, entry_no)
            columns = fitted_to(league.scale, POINT_COLUMNS) if form is Format.MD else POINT_COLUMNS
            list_rows(columns, (_point(league.scale, labels, point) for point in points), form, title)
        elif entry_no is None:
            list_rows(fitted_to(league.scale, COLUMNS), _lines(opened, league, labels), form, title, empty)
        else:
            _plot(opened, league, entry_no, labels[entry_no], title, empty)


def _point(scale: "Scale", labels: dict[int, str], point: "RatingAfter") -> dict[str, Any]:
    return {
        "label": labels[point.entry_no],
        "match_no": point.match_no,
        "mu": point.mu,
        "sigma": point.sigma if scale.has_sigma else None,
        "conservative": point.conservative,
    }


def _lines(store: "Store", league: "LeagueRecord", labels: dict[int, str]) -> list[dict[str, Any]]:
    """Return a row for each bot that has played, in order of the rankings; all lines have one scale."""
    from arena.cli.display.charts import carried, sparkline

    starts = store.ratings.after(league.uuid, -1)
    courses = _courses(store, league, LINE_SPANS if console().width >= NARROW else NARROW_LINE_SPANS)
    values = [point[0] for course in courses.values() for point in course if point]
    return [
        {
            "label": labels[row.entry_no],
            "line": sparkline(
                [point and point[0] for point in carried(courses[row.entry_no])], min(values), max(values)
            ),
            "start": starts[row.entry_no].mu,
            "mu": row.mu,
            "sigma": row.sigma,
            "conservative": row.conservative,
        }
        for row in store.ratings.standings(league.uuid)
        if row.entry_no in courses
    ]


def _courses(
    store: "Store", league: "LeagueRecord", spans: int, entry_no: int | None = None
) -> dict[int, list[tuple[float, float] | None]]:
    """Return μ and σ of every entry that has played at the end of each span; None where it did not play in it."""
    planned = store.leagues.progress(league.uuid).matches_planned
    spans = max(1, min(spans, planned))
    courses: dict[int, list[tuple[float, float] | None]] = {}
    for point in store.ratings.course(league.uuid, spans, entry_no):
        course = courses.setdefault(point.entry_no, [None] * spans)
        course[point.match_no * spans // planned] = point.mu, point.sigma
    return courses


def _plot(store: "Store", league: "LeagueRecord", entry_no: int, label: str, title: str, empty: str) -> None:
    from arena.cli.display.charts import band, carried

    spans = max(1, min(PLOT_SPANS, console().width - BESIDE_THE_PLOT))
    course = _courses(store, league, spans, entry_no).get(entry_no)
    if course is None:
        say(
            empty
            if not store.leagues.progress(league.uuid).matches_counted
            else f"{label} has not played yet"
        )
        return
    out = console()
    print_line(out, title, "bold")
    for line in band([point and (point[0], 2 * point[1]) for point in carried(course)], PLOT_LINES):
        out.print(line, markup=False, soft_wrap=True)
    last = next(point for point in reversed(course) if point)
    matches = store.leagues.progress(league.uuid).matches_counted
    what, now = "rating (●)", f"{last[0]:.{league.scale.decimals}f}"
    if league.scale.has_sigma:
        what, now = "μ (●) within ± 2σ (░)", f"{now} ± {2 * last[1]:.{league.scale.decimals}f}"
    print_line(out, f"{label}: {what} over {counted(matches, 'match', 'matches')} of the league; now {now}")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("history")(history)
