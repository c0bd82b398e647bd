"""`arena matrix`: how often each bot finished above each of the others."""

import shlex

from arena.cli.base import options
from arena.cli.base.open_store import reading
from arena.cli.display.head_to_head import MOST_WITH_INTERVALS, Grid
from arena.cli.display.long_work import busy
from arena.cli.display.tables import (
    Format,
    heading,
    list_rows,
    write_markdown,
)
from arena.cli.terminal.consoles import console
from arena.cli.terminal.messages import print_line, print_prose, say
from arena.core.errors import UsageError
from results.base.advice import Advice, run
from results.base.text import counted
from results.records import LeagueRecord
from results.reports.head_to_head import CountedBy, PairRow, is_against_order, pair_rows
from results.reports.leagues import league_summary
from results.reports.rankings import in_ranking_order, ordering_fit
from results.store import Store

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
