"""`arena stats`: statistics of a league, a table for each question."""

import shlex
from collections.abc import Sequence
from typing import Annotated, NamedTuple

import typer
from rich.console import Console

from arena.cli.base import options
from arena.cli.base.open_store import reading
from arena.cli.base.stored_names import find_entry
from arena.cli.display.long_work import busy
from arena.cli.display.tables import (
    Format,
    bar,
    explain,
    heading,
    in_words,
    list_rows,
    print_table,
)
from arena.cli.terminal.consoles import console
from arena.cli.terminal.messages import print_line, say
from arena.core.errors import UsageError
from results.records import EntryRecord, LeagueRecord
from results.reports.columns import DRAWING, Column, ReportRow, columns_of
from results.reports.leagues import league_summary
from results.reports.move_costs import PriceRow, price_rows
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
                if not league.rated:
                    print_line(out, f"statistics are {why_none(ViewName.FAULTS, league)}")
                    return
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
