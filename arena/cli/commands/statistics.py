"""`arena history`, `arena matrix` and `arena stats`: statistics of a league."""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import typer
from rich.console import Console

from arena.cli.base import options
from arena.cli.base.open_store import reading
from arena.cli.base.stored_names import find_entry
from arena.cli.display.head_to_head import MOST_WITH_INTERVALS, Grid
from arena.cli.display.progress import busy
from arena.cli.display.rankings import fitted_to
from arena.cli.display.tables import (
    Format,
    band,
    bar,
    heading,
    list_rows,
    print_table,
    sparkline,
    write_markdown,
)
from arena.cli.terminal.consoles import console
from arena.cli.terminal.messages import print_line, say
from arena.core.errors import UsageError
from results.base.text import counted
from results.ratings.base import Scale
from results.records import LeagueRecord
from results.reports.columns import DRAWING, Column, ReportRow, columns_of
from results.reports.head_to_head import CountedBy, PairRow, is_against_order, pair_rows
from results.reports.history import RatingCourse, RatingRow, rating_courses, rating_rows
from results.reports.leagues import league_summary
from results.reports.rankings import in_ranking_order, ordering_fit
from results.reports.views import VIEWS, Bar, View, ViewName
from results.store import Store

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
    name: options.League = None,
    bot: options.Bot = None,
    store: options.Store = options.DEFAULT_STORE,
    form: options.Form = Format.TABLE,
) -> None:
    """Show how ratings changed over a league, of all bots or of one.

    CSV, JSON and Markdown have the rating after every match.
    """
    with reading(store) as opened:
        league = opened.leagues.get(name)
        entry = None if bot is None else find_entry(opened, league, bot)
        if form is not Format.TABLE:
            entry_no = None if entry is None else entry.entry_no
            columns = fitted_to(league.scale, columns_of(RatingRow))
            list_rows(RatingRow, rating_rows(opened, league, entry_no), form, columns=columns)
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

    columns = [
        replace(column, drawn=line) if column.key == "moments" else column
        for column in columns_of(RatingCourse, "label moments start_mu mu sigma")
    ]
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
        out, f"{course.label}: {what} over {counted(matches, 'match', 'matches')} of the league; now {now}"
    )


MOST_SHOWN = 40
"""Largest number of bots in the table."""


def matrix(
    name: options.League = None,
    by: Annotated[
        CountedBy, typer.Option(help="Count matches (all games on one deal) or single games.")
    ] = CountedBy.MATCHES,
    store: options.Store = options.DEFAULT_STORE,
    form: options.Form = Format.TABLE,
) -> None:
    """Show how often each bot finished above each other, in percent.

    The intervals hold with 95 % confidence. Ties count as halves. Rows and columns are in the order of the
    rankings. A star marks intervals that exclude one half.
    """
    with reading(store) as opened:
        league = opened.leagues.get(name)
        summary = league_summary(opened, league)
        if summary.left_out and form is not Format.TABLE:
            say(summary.left_out)
        if form not in (Format.TABLE, Format.MD):
            list_rows(PairRow, pair_rows(opened, league, by), form)
            return
        with busy("counting pairs of bots"):
            ordering_fit(opened, league)
            pairs = list(pair_rows(opened, league, by, MOST_SHOWN))
        met = {pair.bot for pair in pairs}
        bots = [row.label for row in in_ranking_order(opened, league) if row.matches]
        grid = Grid(pairs, [label for label in bots[:MOST_SHOWN] if label in met])
        if form is Format.MD:
            write_markdown(grid.columns(), grid.lines())
        elif not pairs:
            say(f"{league.name}: no match is in the rankings yet")
        else:
            out = console()
            print_line(out, heading(summary), "bold")
            print_line(out, f"% of {by.value} in which the row's bot finished above the column's")
            for drawn in grid.tables(out.width):
                out.print(drawn)
            if signs := grid.signs(by):
                print_line(out, signs)
            if not grid.is_roomy:
                command = shlex.join(["arena", "matrix", league.name, "--format", "csv"])
                print_line(
                    out, f"no intervals with more than {MOST_WITH_INTERVALS} bots; CSV has them: {command}"
                )
            if grid.unmet:
                apart = "" if league.config.get("same_author") else _kept_apart(opened, league, grid)
                print_line(out, f"empty cell: no rated match of these two{apart}")
            if summary.left_out:
                print_line(out, summary.left_out)
            if league.traits.chooses and is_against_order(pairs, grid.labels):
                print_line(
                    out,
                    "cells are head-to-head results; the order also depends on results against the others",
                )
        if len(bots) > MOST_SHOWN:
            command = shlex.join(["arena", "matrix", league.name, "--format", "csv"])
            say(f"the first {MOST_SHOWN} of {counted(len(bots), 'bot')}; all of them: {command}")


def _kept_apart(store: Store, league: LeagueRecord, grid: Grid) -> str:
    """Return what adds to a line about bots that haven't met that bots of one author don't; empty if there are none."""
    versions = {entry.label: entry.version for entry in store.entries.all(league.uuid)}
    authors = {label: of.author for label, of in versions.items() if of is not None and not of.bundled}
    is_one = any(authors.get(one, one) == authors.get(other) for one, other in grid.unmet)
    return "; bots of one author are kept apart" if is_one else ""


def stats(
    name: options.League = None,
    view: Annotated[
        ViewName | None,
        typer.Option(
            help="Show only these statistics; default: all but circles, lottery, coalitions and authors."
        ),
    ] = None,
    bot: options.Bot = None,
    store: options.Store = options.DEFAULT_STORE,
    form: options.Form = Format.TABLE,
) -> None:
    """Show statistics of a league or of one bot: seats, time, luck, faults.

    On request: circles of bots that surely beat each other; the maximal lottery, in which clones of a bot move nobody
    else; coalitions, how each bot does with and without each other one at the table; and authors, how each bot does
    against other bots of its author.
    """
    if form is not Format.TABLE and view is None:
        raise UsageError(
            f"--format {form.value} writes one view at a time",
            f"choose one, such as --view {ViewName.SEATS.value}; views: {', '.join(ViewName)}",
        )
    with reading(store) as opened:
        league = opened.leagues.get(name)
        found = None if bot is None else find_entry(opened, league, bot)
        entry = None if found is None else found.entry_no
        summary = league_summary(opened, league)
        if form is Format.TABLE:
            out = console()
            print_line(out, f"{heading(summary)}{'' if found is None else f' · {found.label}'}", "bold")
            if summary.left_out:
                print_line(out, summary.left_out, "dim")
            for one in (view,) if view else [name for name in ViewName if not VIEWS[name].on_request]:
                with busy(f"computing {VIEWS[one].title}"):
                    rows = VIEWS[one].rows(opened, league, entry)
                _print(out, VIEWS[one], rows, why_none(one, league))
        elif view is not None:
            if summary.left_out:
                say(summary.left_out)
            with busy(f"computing {VIEWS[view].title}"):
                rows = VIEWS[view].rows(opened, league, entry)
            list_rows(VIEWS[view].kind, rows, form)


def why_none(name: ViewName, league: LeagueRecord) -> str:
    """Return the message for statistics without rows."""
    if name == ViewName.LUCK and league.config.get("rotations") == "off":
        return "luck can't be measured in this league: it plays one game per deal, and that takes two or more"
    if league.ruleset is not None:
        return VIEWS[name].empty
    listed = f"; see: arena faults {league.name}" if name == ViewName.FAULTS else ""
    return f"not counted for single games{listed}"


def _print(out: Console, view: View, rows: Sequence[ReportRow], none: str) -> None:
    if rows:
        shown = rows[: view.most]
        bars = () if view.bar is None else (_bar(view.bar, shown),)
        print_table(out, (*columns_of(view.kind), *bars), shown, view.title)
        for note in view.notes(rows):
            print_line(out, note, "dim")
        if len(shown) < len(rows):
            print_line(out, f"the first {len(shown)} of {len(rows):,} rows; --format csv has all", "dim")
    else:
        out.print()
        print_line(out, f"{view.title}: {none}")


def _bar(chart: Bar, rows: Sequence[ReportRow]) -> Column:
    """Return the column with the bars of these rows."""
    greatest = max(map(chart.of, rows), default=0.0)
    return Column(
        chart.title,
        priority=DRAWING,
        drawn=lambda row: bar(chart.of(row), chart.most(row) if chart.most else greatest),
    )
