"""`arena matrix` and `arena stats`: statistics of a league."""

import shlex
from collections.abc import Sequence
from typing import Annotated, NamedTuple

import typer
from rich.console import Console

from arena.cli.base import options
from arena.cli.base.open_store import reading
from arena.cli.base.stored_names import find_entry
from arena.cli.display.head_to_head import MOST_WITH_INTERVALS, Grid
from arena.cli.display.long_work import busy
from arena.cli.display.tables import (
    Format,
    bar,
    explain,
    heading,
    in_words,
    list_rows,
    print_table,
    write_markdown,
)
from arena.cli.terminal.consoles import console
from arena.cli.terminal.messages import print_line, print_prose, say
from arena.core.errors import UsageError
from results.base.advice import Advice, run
from results.base.text import counted
from results.records import EntryRecord, LeagueRecord
from results.reports.columns import DRAWING, Column, ReportRow, columns_of
from results.reports.head_to_head import CountedBy, PairRow, is_against_order, pair_rows
from results.reports.leagues import league_summary
from results.reports.prices import PriceRow, price_rows
from results.reports.rankings import in_ranking_order, ordering_fit
from results.reports.statistics_views import Bar, View, ViewName, added_views, view_named, views_of
from results.store import Store


def _priced(store: Store, league: LeagueRecord, entry_no: int | None) -> list[PriceRow]:
    """Return what moves cost, of all bots or of one."""
    from arena.league.move_prices import kept_of_league  # other views need no games

    return price_rows(store, league, kept_of_league(store, league), entry_no)


PRICES = View(
    "What moves cost",
    PriceRow,
    _priced,
    Bar("price as bar", lambda row: max(0.0, row.price), None),
    "no moves have prices yet: a runner prices those of finished games while it has nothing to play, and "
    "`arena why LEAGUE --analyse` those of a bot now",
    notes=lambda rows: (
        ["the lower the better; arena why LEAGUE --bot BOT --analyse shows the dearest moves"] if rows else ()
    ),
)


MOST_SHOWN = 40
"""Largest number of bots in the table."""


def matrix(
    name: options.League = None,
    by: CountedBy = CountedBy.MATCHES,
    explains: options.Explain = False,
    store: options.Store = options.DEFAULT_STORE,
    form: options.Form = Format.TABLE,
) -> None:
    """Show how often each bot finished above each of the others, in percent.

    The intervals hold with 95 % confidence. Ties count half. Rows and columns are in the order of the rankings. A star
    marks figures that are significantly above or below 50 %.

    Options:
        by: Count matches (all games on one deal) or single games.
    """
    with reading(store) as opened:
        league = opened.leagues.get(name)
        summary = league_summary(opened, league)
        if league.counts_scores:
            raise UsageError(
                f"in {league.name} nobody finishes above another: scores of tables are compared",
                Advice("see who has the higher scores: ", run("rankings", league.name)),
            )
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
            say(
                f"{league.name}: no match is in the rankings yet"
                if league.rated
                else f"{league.name} isn't rated, so it has no head to head; see: arena rankings {league.name}"
            )
        else:
            out = console()
            print_line(out, heading(summary), "bold")
            print_line(
                out, f"% of {by.value} in which the row finished above the column, a tie counting half"
            )
            for drawn in grid.tables(out.width):
                out.print(drawn)
            if signs := grid.signs(by):
                print_line(out, signs)
            if explains and (told := grid.example(by)):
                print_prose(out, told)
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
        str | None,
        typer.Option(
            help="Show one table instead of the main answers: "
            f"{', '.join(ViewName)}, or one that a package adds."
        ),
    ] = None,
    bot: options.Bot = None,
    explains: options.Explain = False,
    store: options.Store = options.DEFAULT_STORE,
    form: options.Form = Format.TABLE,
) -> None:
    """Show statistics of a league or of one bot: seats, time, luck, faults.

    Without --view, it answers in a line or two: does a seat have an advantage, who leads at tables of each size, who
    forfeited, who thinks longest, and what a match is worth. With --view, it shows one of these as a table, or:
    circles of bots that significantly beat each other; and prices, what the moves of each bot cost it. Packages add
    others: arena-fair-play has coalitions, how each bot does with and without another at the table, and authors, how
    each bot does against other bots of its author; arena-lottery has the maximal lottery, which copies of a bot don't
    change.
    """
    chosen = None if view is None else _view(view)
    if form is not Format.TABLE and chosen is None:
        raise UsageError(
            f"--format {form.value} writes one view at a time",
            f"choose one, such as --view {ViewName.SEATS.value}; views: {', '.join([*ViewName, *added_views()])}",
        )
    with reading(store) as opened:
        league = opened.leagues.get(name)
        found = None if bot is None else find_entry(opened, league, bot)
        entry = None if found is None else found.entry_no
        summary = league_summary(opened, league)
        views = views_of(league)
        if league.counts_scores and view is not None and view not in views:
            raise UsageError(
                f"in {league.name} scores of tables are compared, so there is nothing to say of {view}",
                f"views: {', '.join(views)}",
            )
        if form is Format.TABLE:
            out = console()
            print_line(out, f"{heading(summary)}{'' if found is None else f' · {found.label}'}", "bold")
            if summary.left_out:
                print_line(out, summary.left_out, "dim")
            if view is None or chosen is None:
                answers = _answers(opened, league, entry)
                drawn = print_table(out, ANSWER, answers)
                _print_views(out, league, found)
                if explains:
                    explain(out, drawn, answers[0], lambda column: in_words(column, answers[0], ""))
                return
            with busy(f"computing {view}"):
                rows = chosen.rows(opened, league, entry)
            drawn = _print(out, chosen, rows, why_none(view, league), explains=explains)
            if explains and rows:
                explain(out, drawn, rows[0])
        elif chosen is not None:
            if summary.left_out:
                say(summary.left_out)
            with busy(f"computing {view}"):
                rows = chosen.rows(opened, league, entry)
            list_rows(chosen.kind, rows, form)


def _view(name: str) -> View:
    return PRICES if name == ViewName.PRICES else view_named(name)


ANSWER = (
    Column("view", key="view", priority=0, help="What `--view` shows as a table"),
    Column(
        "answer",
        key="answer",
        wide=True,
        help="What that table says. A share: the mean part of the opponents that a bot finished above, ties as half",
    ),
)


class _Answer(NamedTuple):
    """What a view says, in a sentence."""

    view: str
    answer: str


def _answers(store: Store, league: LeagueRecord, entry_no: int | None) -> list[_Answer]:
    """Return what each view says that needs no patience."""
    answers = []
    for name, view in views_of(league).items():
        if view.answer is not None:
            with busy(f"computing {name}"):
                rows = view.rows(store, league, entry_no)
            told = view.answer(rows) if rows else ""
            answers.append(_Answer(str(name), told or why_none(name, league)))
    return answers


def _print_views(out: Console, league: LeagueRecord, entry: EntryRecord | None) -> None:
    """Print how to see a view, and which of them the answers leave out."""
    of_bot = () if entry is None else ("--bot", entry.label)
    first, *others = views_of(league)
    command = shlex.join(["arena", "stats", league.name, *of_bot, "--view", first])
    print_line(out, f"the whole table, such as: {command}", "dim")
    if league.counts_scores:
        return
    own = (name for name in (*others, ViewName.PRICES) if _view(name).answer is None)
    left = [*own, *added_views()]
    print_line(out, f"more views: {', '.join(left)}", "dim")


def why_none(name: str, league: LeagueRecord) -> str:
    """Return the message for statistics without rows."""
    if name == ViewName.LUCK and league.config.get("rotations") == "off":
        return "luck can't be measured in this league: it plays one game per deal, and measuring takes two or more"
    if league.rated:
        return _view(name).empty
    listed = f"; see: arena faults {league.name}" if name == ViewName.FAULTS else ""
    return f"not counted for {'leagues that are not rated' if league.ruleset else 'single games'}{listed}"


MOST_NOTES = 2
"""Below a table, unless more are asked for."""


def _print(out: Console, view: View, rows: Sequence[ReportRow], none: str, *, explains: bool) -> list[Column]:
    """Print a view, or below its title why it has nothing to show; return the columns of its table."""
    if not rows or (none := view.instead(rows)):
        out.print()
        print_line(out, view.title, "bold")
        print_line(out, none)
        return []
    shown = rows[: view.most]
    bars = () if view.bar is None else (_bar(view.bar, shown),)
    drawn = print_table(out, (*columns_of(view.kind), *bars), shown, view.title)
    notes = list(view.notes(rows))
    if len(notes) > MOST_NOTES and not explains:
        notes[1:] = [f"{len(notes) - 1} more notes with --explain"]
    for note in notes:
        print_line(out, note, "dim")
    if len(shown) < len(rows):
        print_line(out, f"the first {len(shown)} of {len(rows):,} rows; --format csv has all", "dim")
    return drawn


def _bar(chart: Bar, rows: Sequence[ReportRow]) -> Column:
    """Return the column with the bars of these rows."""
    greatest = max(map(chart.of, rows), default=0.0)
    return Column(
        chart.title,
        priority=DRAWING,
        drawn=lambda row: bar(chart.of(row), chart.most(row) if chart.most else greatest),
    )
