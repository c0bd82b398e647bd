"""`arena history`: how ratings changed over a league, as lines, a plot or a picture."""

import sys
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, NamedTuple

import typer
from msgspec import structs
from msgspec.structs import replace

from arena.cli.base import options
from arena.cli.base.open_store import reading
from arena.cli.base.stored_names import find_entry
from arena.cli.display.long_work import busy
from arena.cli.display.rankings import fitted_to
from arena.cli.display.tables import (
    Format,
    at_both_ends,
    band,
    explain,
    heading,
    in_words,
    list_rows,
    print_table,
    sparkline,
)
from arena.cli.terminal.consoles import console, write_data
from arena.cli.terminal.messages import print_line, say
from arena.core.errors import UsageError
from results.ratings.base import Scale
from results.records import LeagueRecord
from results.reports import charts
from results.reports.columns import Column, columns_of
from results.reports.history import RatingCourse, RatingRow, rating_courses, rating_rows
from results.reports.leagues import league_summary
from results.store import Store

LINE_SPANS = 32
"""Moments shown per bot, with all bots in one table."""
NARROW_LINE_SPANS = 16
NARROW = 60
"""Terminals with fewer columns get the shorter lines."""
PLOT_SPANS = 64
"""Moments shown for a single bot."""
PLOT_LINES = 15
PNG_WIDTH = 2000
"""Pixels: two for each unit of the drawing."""
BESIDE_THE_PLOT = 11
"""Cells that the scale takes."""


class ChartFormat(StrEnum):
    """Output format of what can be drawn."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    CSV_BOM = "csv-bom"
    MD = "md"
    SVG = "svg"
    PNG = "png"


def history(
    name: options.League = None,
    bot: options.Bot = None,
    explains: options.Explain = False,
    store: options.Store = options.DEFAULT_STORE,
    form: Annotated[ChartFormat, typer.Option("--format")] = ChartFormat.TABLE,
) -> None:
    """Show how ratings changed over a league: a line for every bot, or one bot with its uncertainty.

    CSV, JSON and Markdown have the rating after every match. SVG and PNG have one bot, or the first 10 of the
    rankings; PNG needs `pip install 'arena-league[png]'`.

    Options:
        form: Output format; `csv-bom` is CSV for spreadsheets, `svg` and `png` the site's chart as a picture.
    """
    if form is ChartFormat.PNG and sys.stdout.isatty():
        raise UsageError("a PNG is not for terminals", "write it to a file: add > history.png")
    with reading(store) as opened:
        league = opened.leagues.get(name)
        entry = None if bot is None else find_entry(opened, league, bot)
        progress = opened.leagues.progress(league.uuid)
        is_picture = form in (ChartFormat.SVG, ChartFormat.PNG)
        if form is not ChartFormat.TABLE and not is_picture:
            entry_no = None if entry is None else entry.entry_no
            columns = fitted_to(league.scale, columns_of(RatingRow))
            rows = rating_rows(opened, league, entry_no)
            list_rows(RatingRow, rows, Format(form.value), columns=columns)
            return
        title = heading(league_summary(opened, league))
        none = f"{league.name}{': no match is rated yet' if league.rated else ' is not rated'}"
        if entry is not None and progress.matches_counted:
            none = f"{entry.label} has not played yet"
        if is_picture:
            drawn = charts.chart(opened, league, charts.first_entries(opened, league, entry))
            if drawn is None:
                raise UsageError(none, "draw it once a match is finished")
            svg = charts.course_file(drawn, title if entry is None else f"{title} · {entry.label}")
            write_data(svg if form is ChartFormat.SVG else charts.as_png(svg, PNG_WIDTH))
            return
        wide = console().width
        wanted = LINE_SPANS if wide >= NARROW else NARROW_LINE_SPANS
        if entry is not None:
            wanted = max(1, min(PLOT_SPANS, wide - BESIDE_THE_PLOT))
        entries = None if entry is None else (entry.entry_no,)
        with busy("reading the ratings after all matches"):
            spans = charts.spans_of(progress, wanted)
            courses = rating_courses(opened, league, spans, entries) if progress.matches_counted else []
        if not courses:
            say(none)
            return
        reached = charts.reached(progress, len(courses[0].moments))
        courses = [structs.replace(course, moments=course.moments[:reached]) for course in courses]
        ends = _ends(opened, league, progress.matches_counted)
        if entry is None:
            _print_lines(league.scale, courses, title, ends, explains=explains)
        else:
            _plot(league.scale, courses[0], title, ends, explains=explains)


def _ends(store: Store, league: LeagueRecord, matches: int) -> list[tuple[str, str]]:
    """Return what stands at both ends of the axis below a chart: matches, by their numbers, and days."""
    first, last = (store.matches.day_of(league.uuid, match) for match in (0, matches - 1))
    return [("match 0", f"{matches - 1}" if matches > 1 else ""), (first, last if last != first else "")]


class _Drawn(NamedTuple):
    """A line of the table: of a course, or of the axis below."""

    course: RatingCourse | None
    """None: this line has nothing but `line`."""
    line: str


def _print_lines(
    scale: Scale,
    courses: Sequence[RatingCourse],
    title: str,
    ends: Sequence[tuple[str, str]],
    *,
    explains: bool,
) -> None:
    """Print a table of all courses, with the same scale for all lines."""
    values = [moment.mu for course in courses for moment in course.moments if moment]
    rows = [
        _Drawn(
            course, sparkline([moment and moment.mu for moment in course.moments], min(values), max(values))
        )
        for course in courses
    ]
    width = len(courses[0].moments)
    rows += [_Drawn(None, at_both_ends(left, right, width)) for left, right in ends]

    def text_of(column: Column) -> Column:
        return replace(
            column,
            drawn=lambda row: (
                row.line if column.key == "moments" else column.text(row.course) if row.course else ""
            ),
        )

    fitted = fitted_to(scale, columns_of(RatingCourse, "label moments start_mu mu sigma"))
    out = console()
    drawn = print_table(out, list(map(text_of, fitted)), rows, title)
    if explains:
        first = next(row for row in rows if row.course)
        who = courses[0].label
        explain(
            out, drawn, first, lambda column: in_words(column, first, "" if column.key == "moments" else who)
        )


def _plot(
    scale: Scale, course: RatingCourse, title: str, ends: Sequence[tuple[str, str]], *, explains: bool
) -> None:
    """Draw the course of one entry, with the matches of the league and their days below."""
    out = console()
    print_line(out, title, "bold")
    for line in band([moment and (moment.mu, 2 * moment.sigma) for moment in course.moments], PLOT_LINES):
        out.print(line, markup=False, soft_wrap=True)
    for left, right in ends:
        line = at_both_ends(left, right, len(course.moments))
        out.print(" " * (BESIDE_THE_PLOT - 1) + line, markup=False, soft_wrap=True)
    last = next(moment for moment in reversed(course.moments) if moment)
    what, now = f"{scale.title} (●)", f"{last.mu:.{scale.decimals}f}"
    if scale.has_sigma:
        what, now = "μ (●) within ± 2σ (░)", f"{now} ± {2 * last.sigma:.{scale.decimals}f}"
    print_line(out, f"{course.label}: {what} over the matches of the league; now {now}")
    if explains:
        explain(out, fitted_to(scale, columns_of(RatingCourse, "label start_mu mu sigma")), course)
