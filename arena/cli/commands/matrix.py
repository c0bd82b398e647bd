"""`arena matrix`."""

import shlex
from typing import Annotated

import typer

from arena.cli.consoles import console
from arena.cli.display.head_to_head import MOST_WITH_INTERVALS, Grid
from arena.cli.display.live import busy
from arena.cli.display.tables import Format, heading, list_rows, write_markdown
from arena.cli.messages import print_line, say
from arena.cli.open_store import reading
from arena.cli.options import DEFAULT_STORE, FormatOption, LeagueArgument, StoreOption
from results.base.text import counted
from results.records import LeagueRecord
from results.reports.head_to_head import CountedBy, PairRow, is_against_order, pair_rows
from results.reports.leagues import league_summary
from results.reports.rankings import in_ranking_order, ordering_fit
from results.store import Store

MOST_SHOWN = 40
"""Largest number of bots in the table."""


def matrix(
    name: LeagueArgument = None,
    by: Annotated[
        CountedBy,
        typer.Option("--by", help="Count matches (all games on one deal) or single games."),
    ] = CountedBy.MATCHES,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """Show how often each bot finished above each other, in percent, with 95 % intervals. Ties count as halves.

    Rows and columns are in the order of the rankings. A star marks intervals that exclude one half.
    """
    with reading(store) as opened:
        league = opened.leagues.get(name)
        summary = league_summary(opened, league)
        if summary.left_out and form is not Format.TABLE:
            say(summary.left_out)
        if form in (Format.CSV, Format.JSON):
            list_rows(PairRow, (), pair_rows(opened, league, by), form)
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
            print_line(out, f"finished above, % of {by.value}")
            for drawn in grid.tables(out.width):
                out.print(drawn)
            signs = "±: 95 % interval; *: it" if grid.is_roomy else "*: the 95 % interval"
            print_line(
                out, f"cell: how often the row's bot finished above the column's; {signs} excludes 50 %"
            )
            if not grid.is_roomy:
                command = shlex.join(["arena", "matrix", league.name, "--format", "csv"])
                what = f"intervals are shown for up to {MOST_WITH_INTERVALS} bots"
                print_line(out, f"{what}; those of all pairs, and how often each has met: {command}")
            if grid.unmet:
                apart = "" if league.config.get("same_author") else _kept_apart(opened, league, grid)
                print_line(out, f"empty cell: no rated match of these two{apart}")
            if summary.left_out:
                print_line(out, summary.left_out)
            if league.traits.chooses and is_against_order(pairs, grid.labels):
                print_line(
                    out, "cells are plain results of two bots; the order also counts whom else each has met"
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


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("matrix")(matrix)
