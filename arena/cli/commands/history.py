"""`arena history`."""

from collections.abc import Sequence
from dataclasses import replace

import typer

from arena.cli.consoles import console
from arena.cli.display.live import busy
from arena.cli.display.rankings import fitted_to
from arena.cli.display.tables import Format, band, heading, list_rows, print_table, sparkline
from arena.cli.messages import print_line, say
from arena.cli.open_store import reading
from arena.cli.options import DEFAULT_STORE, BotOption, FormatOption, LeagueArgument, StoreOption
from arena.cli.stored_names import find_entry
from results.base.text import counted
from results.ratings.base import Scale
from results.reports.columns import Column
from results.reports.history import RATING_COLUMNS, RatingCourse, RatingRow, rating_courses, rating_rows
from results.reports.leagues import league_summary

COURSE = Column("moments", "μ over the league", priority=2)
COLUMNS = (
    Column("label", "bot", priority=0),
    COURSE,
    Column("start_mu", "start", 2, priority=6),
    Column("mu", "μ", 2, priority=1),
    Column("sigma", "σ", 2, priority=5),
)
LINE_SPANS = 32
"""Moments shown per bot, with all bots in one table."""
NARROW_LINE_SPANS = 16
NARROW = 60
"""Terminals with fewer columns get the shorter lines."""
PLOT_SPANS = 64
"""Moments shown for a single bot."""
PLOT_LINES = 15
BESIDE_THE_PLOT = 11
"""Cells that the scale takes."""


def history(
    name: LeagueArgument = None,
    bot: BotOption = None,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """Show how ratings changed over a league: a line for every bot, or one bot with its uncertainty.

    CSV, JSON and Markdown have the rating after every match.
    """
    with reading(store) as opened:
        league = opened.leagues.get(name)
        entry = None if bot is None else find_entry(opened, league, bot)
        if form is not Format.TABLE:
            entry_no = None if entry is None else entry.entry_no
            columns = fitted_to(league.scale, RATING_COLUMNS)
            list_rows(RatingRow, columns, rating_rows(opened, league, entry_no), form)
            return
        title, empty = heading(league_summary(opened, league)), f"{league.name}: no match is rated yet"
        if entry is None:
            spans = LINE_SPANS if console().width >= NARROW else NARROW_LINE_SPANS
            with busy("reading the ratings after all matches"):
                courses = rating_courses(opened, league, spans)
            _print_lines(league.scale, courses, title, empty)
            return
        spans = max(1, min(PLOT_SPANS, console().width - BESIDE_THE_PLOT))
        with busy("reading the ratings after all matches"):
            courses = rating_courses(opened, league, spans, (entry.entry_no,))
        matches = opened.leagues.progress(league.uuid).matches_counted
        if courses:
            _plot(league.scale, courses[0], matches, title)
        else:
            say(f"{entry.label} has not played yet" if matches else empty)


def _print_lines(scale: Scale, courses: Sequence[RatingCourse], title: str, empty: str) -> None:
    """Print a table of all courses, with the same scale for all lines."""
    if not courses:
        say(empty)
        return
    values = [moment.mu for course in courses for moment in course.moments if moment]
    low, high = min(values), max(values)

    def line(course: RatingCourse) -> str:
        return sparkline([moment and moment.mu for moment in course.moments], low, high)

    columns = [replace(column, drawn=line) if column is COURSE else column for column in COLUMNS]
    print_table(console(), fitted_to(scale, columns), courses, title)


def _plot(scale: Scale, course: RatingCourse, matches: int, title: str) -> None:
    """Draw the course of one entry over this many matches of the league."""
    out = console()
    print_line(out, title, "bold")
    for line in band([moment and (moment.mu, 2 * moment.sigma) for moment in course.moments], PLOT_LINES):
        out.print(line, markup=False, soft_wrap=True)
    last = next(moment for moment in reversed(course.moments) if moment)
    what, now = "rating (●)", f"{last.mu:.{scale.decimals}f}"
    if scale.has_sigma:
        what, now = "μ (●) within ± 2σ (░)", f"{now} ± {2 * last.sigma:.{scale.decimals}f}"
    print_line(
        out,
        f"{course.label}: {what} over {counted(matches, 'match', 'matches')} of the league; now {now}",
    )


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("history")(history)
