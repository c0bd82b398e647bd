"""`arena stats`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from arena.cli.consoles import console
from arena.cli.display.live import busy
from arena.cli.display.tables import Format, bar, heading, list_rows, print_table
from arena.cli.messages import print_line, say
from arena.cli.open_store import reading
from arena.cli.options import DEFAULT_STORE, BotOption, FormatOption, LeagueArgument, StoreOption
from arena.cli.stored_names import find_entry
from results.reports.columns import DRAWING, Column, ReportRow
from results.reports.leagues import league_summary
from results.reports.views import VIEWS, Bar, View, ViewName

if TYPE_CHECKING:
    from results.records import LeagueRecord


def stats(
    name: LeagueArgument = None,
    view: Annotated[
        ViewName | None,
        typer.Option(
            "--view",
            help="Show only these statistics; default: all but circles, lottery, coalitions and authors.",
        ),
    ] = None,
    bot: BotOption = None,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """Show statistics of a league or of one bot: by seat, by table size, faults, time, luck.

    On request: circles of bots that surely beat each other; the maximal lottery, in which clones of a bot move nobody
    else; coalitions, how each bot does with and without each other one at the table; and authors, how each bot does
    against other bots of its author.
    """
    from arena.core.errors import UsageError

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
                _print(out, VIEWS[one], rows, _why_none(one, league))
        elif view is not None:
            if summary.left_out:
                say(summary.left_out)
            with busy(f"computing {VIEWS[view].title}"):
                rows = VIEWS[view].rows(opened, league, entry)
            list_rows(VIEWS[view].kind, VIEWS[view].columns, rows, form)


def _why_none(name: ViewName, league: "LeagueRecord") -> str:
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
        print_table(out, (*view.columns, *bars), shown, view.title)
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
        "",
        chart.title,
        priority=DRAWING,
        drawn=lambda row: bar(chart.of(row), chart.most(row) if chart.most else greatest),
    )


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("stats")(stats)
