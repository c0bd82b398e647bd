"""`arena why LEAGUE`: where a bot loses ground; in a comparison, where the new version does worse than the old."""

import shlex
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import TypeVar

from arena.cli.base.stored_names import by_format, find_entry
from arena.cli.display.long_work import busy
from arena.cli.display.tables import Format, explain, heading, list_rows, print_table
from arena.cli.terminal.consoles import console
from arena.cli.terminal.messages import print_line, print_prose
from arena.core.errors import UsageError
from arena.league.why_lost import points_by_hand
from results.base.advice import Advice, run
from results.base.scoring import LEAST_MATCHES
from results.base.text import counted
from results.records import EntryRecord, LeagueRecord
from results.records.league_state import TUNE
from results.reports.columns import columns_of
from results.reports.comparisons import outcome_in_words
from results.reports.leagues import league_summary
from results.reports.lost_points import DealRow, Duel, DuelRow, LossBy, Losses, LossRow, duel, losses
from results.reports.rankings import ordering_fit
from results.reports.rankings import rankings as rankings_of
from results.reports.recount import Selection, counted_for
from results.store import Store

MOST_OF_A_KIND = 5
"""Rows of a table of losses that have the same thing in common, such as an opponent; the other formats have all."""
MOST_DEALS = 5

Row = TypeVar("Row", DuelRow, LossRow)


def few_of_each(rows: Sequence[Row]) -> list[Row]:
    """Return the first rows of each kind, in their order."""
    left = Counter({row.by: MOST_OF_A_KIND for row in rows})
    shown = []
    for row in rows:
        if left[row.by]:
            left[row.by] -= 1
            shown.append(row)
    return shown


def entry_and_duel(
    store: Store, league: LeagueRecord, bot: str | None
) -> tuple[EntryRecord | None, Duel | None]:
    """Return the bot to explain, by default the last in the rankings that plays; in a comparison the new version.

    Unless a bot is named, a comparison also has how both versions did with the same cards.
    Raises UsageError for a tune, whose entries play a few matches each.
    """
    if league.counts_scores:
        raise UsageError(
            f"in {league.name} nobody loses to another: scores of tables are compared",
            Advice(
                "see how far behind each bot is: ", run("rankings", league.name), ", or explain a single game"
            ),
        )
    if bot is not None:
        return find_entry(store, league, bot), None
    if league.rated or league.ruleset is None:
        return _last_of(store, league), None
    if any(event.kind == TUNE for event in store.leagues.events(league.uuid)):
        raise UsageError(
            f"{league.name} is a tune, whose entries play a few matches each",
            "name the comparison after it, such as compare-1; `arena replay list` has the games of a tune",
        )
    old, new, *_ = store.entries.all(league.uuid)
    with busy("reading games"):
        return new, duel(store, league, old, new, partial(points_by_hand, store))


def explain_duel(
    store: Store, league: LeagueRecord, found: Duel, form: Format, at: str, *, explains: bool
) -> None:
    """Show where the new version of a comparison does worse, and the deals that it lost and the old one won."""
    if form is not Format.TABLE:
        list_rows(DuelRow, found.rows, form)
        return
    every, *parts = found.rows
    old, new, *_ = (entry.label for entry in store.entries.all(league.uuid))
    out, columns = console(), columns_of(DuelRow)
    summary = league_summary(store, league)
    print_line(out, heading(summary), "bold")
    if summary.outcome:
        print_prose(out, outcome_in_words(summary.outcome))
    print_line(out, f"NEW is {new}, OLD is {old}: leads over the others in points a game, or a hand", "bold")
    print_table(out, columns, [every, *few_of_each(parts)])
    if every.deals < LEAST_MATCHES:
        print_line(out, "?: fewer than 10 deals, which says little", "dim")
    if found.worse:
        both = sum(row.old_won for row in found.worse)
        won = f"{counted(len(found.worse), 'deal')} that {new} lost, {both:,} of which {old} won with the same cards"
        print_line(out, won)
        print_table(out, columns_of(DealRow), found.worse[:MOST_DEALS])
        worst = found.worse[0]
        print_line(out, f"next: arena why {shlex.quote(worst.new_game)} --seat {worst.seat} --analyse{at}")
    else:
        print_line(out, f"there is no deal that {new} lost and {old} played better")
    if explains:
        explain(out, columns, every)


def explain_league(
    store: Store, league: LeagueRecord, entry: EntryRecord | None, form: Format, at: str, *, explains: bool
) -> None:
    """Show where a bot of a league loses ground."""
    with busy("reading games"):
        found = losses(store, league, entry) if entry else None
        title = heading(league_summary(store, league))
    who = "no bot" if entry is None else entry.label
    if found is None:
        none = (
            f"{league.name}: {who} has finished a match yet"
            if who == "no bot"
            else f"{who} has finished no match"
        )
        list_rows(LossRow, [], form, empty=none)
        return
    if form is not Format.TABLE:
        list_rows(LossRow, found.rows, form)
        return
    shown = few_of_each([row for row in found.rows if row.lost > 0])
    out, columns = console(), columns_of(LossRow)
    print_line(out, title, "bold")
    print_line(out, in_short(found), "bold")
    if shown:
        print_table(out, columns, shown)
    notes = ["?: fewer than 10 games, which says little"] if any("?" in row.interval for row in shown) else []
    if hidden := len(found.rows) - len(shown):
        notes.append(f"{counted(hidden, 'more row')} with --format csv")
    if notes:
        print_line(out, " · ".join(notes), "dim")
    worst = next((row for row in shown if row.game is not None), None)
    if worst is not None:
        print_line(out, f"next: arena why {shlex.quote(worst.game or '')} --seat {worst.seat}{at}")
    if explains and shown:
        explain(out, columns, shown[0])


def _last_of(store: Store, league: LeagueRecord) -> EntryRecord | None:
    """Return the lowest-ranked entry that plays, or None before the first match."""
    entries = store.entries.all(league.uuid)
    fit = ordering_fit(store, league)
    selection = counted_for(league, Selection())
    found = rankings_of(store, league, fit, selection=selection, by_format=by_format(store, league))
    labels = [row.label for row in found.rows if row.games and row.state == "active"]
    return next((entry for entry in entries if labels and entry.label == labels[-1]), None)


def in_short(found: Losses) -> str:
    """Return how a bot did and what costs it most, in a line."""
    games = (
        counted(found.games, "game") if not found.left_out else f"its {counted(found.games, 'newest game')}"
    )
    said = f"{found.bot} has a share of {found.share_percent:.1f} % in {games}"
    if found.forfeits:
        total, verdicts = sum(found.forfeits.values()), ", ".join(found.forfeits)
        return f"{said}; {total:,} of them forfeited ({verdicts})"
    sure = [row for row in found.rows if row.high_percent < 50]
    if sure:
        worst = max(sure, key=lambda row: (row.by is LossBy.OPPONENT, row.lost))
        return f"{said}, significantly below 50 % {worst.where}"
    return said if found.share_percent >= 50 else f"{said}; no loss is significant (95 %)"
