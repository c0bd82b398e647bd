"""`arena why`: how a game was lost, or where a bot loses in a league."""

import shlex
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Annotated, TypeVar

import typer

from arena.cli.base import options
from arena.cli.base.open_store import reading
from arena.cli.base.stored_names import (
    by_format,
    chosen_seats,
    find_entry,
    find_league_or_game,
)
from arena.cli.display.long_work import busy
from arena.cli.display.tables import Format, explain, heading, list_rows, print_table
from arena.cli.display.why_lost import WIDEST, page_lines
from arena.cli.terminal.consoles import console, write_line
from arena.cli.terminal.messages import answer, answer_json, print_line, print_prose
from arena.core.errors import UsageError
from arena.league.stored_games import find
from arena.league.why_lost import pages, points_by_hand, seats_to_explain
from results.base.advice import Advice, run
from results.base.scoring import LEAST_MATCHES
from results.base.text import counted
from results.records import EntryRecord, LeagueRecord
from results.records.roster import is_tune
from results.reports.columns import columns_of
from results.reports.comparison_rows import outcome_in_words
from results.reports.leagues import league_summary
from results.reports.lost_points import DealRow, Duel, DuelRow, LossBy, Losses, LossRow, duel, losses
from results.reports.rankings import ordering_fit
from results.reports.rankings import rankings as rankings_of
from results.reports.recounted_matches import Selection, counted_for
from results.store import Store

NEWEST_PRICED = 10


def why(
    game: Annotated[str | None, typer.Argument(metavar="LEAGUE|GAME")] = None,
    bot: Annotated[str | None, typer.Option("--bot", "-b")] = None,
    seat: options.Seat = None,
    full: options.Full = False,
    as_json: Annotated[bool, typer.Option("--json")] = False,
    explains: options.Explain = False,
    analyse: Annotated[bool, typer.Option("--analyse")] = False,
    worlds: int | None = None,
    seconds: Annotated[float | None, typer.Option(min=0.1)] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=0, max=1024)] = 0,
    newest: Annotated[int, typer.Option("--games", min=1, max=10_000)] = NEWEST_PRICED,
    store: options.Store = options.DEFAULT_STORE,
    at: options.At = None,
    insecure: options.Insecure = False,
    form: options.Form = Format.TABLE,
) -> None:
    """Explain where a bot loses ground in a league, or why it forfeited or lost a game.

    For a league, it shows the bot's share by verdict, opponent, seat and size of the table, each with the worst game;
    for a comparison, how many points the new version makes of the same cards as the old one, by opponent, seat and
    hand, and the deals that it lost. For a game, it shows the verdict, the question, the bot's answer and its log, or
    the biggest swings against it. A game is hidden until its match is finished, and you see only what that seat was
    sent. With --at, the explanation of a game comes from a server, which gives only those of your own bots.

    --analyse puts a price on each move of a seat. It plays on from every move, by the game's own policy, in worlds that
    fit what the seat had been told; the price is how much more the best move would have brought. It takes some seconds
    a game. In a league or a comparison it says which kinds of moves cost a bot most.

    Options:
        as_json: Print a JSON object for each seat.
        analyse: Price each move of a game: how many points a better move would have brought.
        worlds: Worlds in which each move is judged, 96 by default; four times as many halve the width of intervals.
        seconds: Judge in as many worlds as take about so many seconds of CPU time a seat; the result then differs from
            run to run.
        jobs: Number of processes that analyse; 0: one a core.
        newest: With --analyse in a league: how many of the bot's newest games.
        game: A league or comparison, or a game: {options.GAME_HELP}
        bot: The bot, {options.ENTRY}. Default in a game: all that forfeited, or else the last; in a league: the
            lowest-ranked one that plays; in a comparison: the new version beside the old one.
    """
    if analyse and at is not None:
        raise UsageError("--analyse needs the game in a store of this machine", "leave out --at")
    if not analyse and (worlds, seconds, jobs, newest) != (None, None, 0, NEWEST_PRICED):
        raise UsageError("--worlds, --seconds, --jobs and --games are for pricing moves", "add --analyse")
    width = min(console().width, WIDEST)
    if at is not None:
        from arena.cli.base.remote_server_arguments import (  # few games are looked at there
            game_at,
            seat_choice,
            server_at,
        )

        if game is None:
            raise UsageError(
                "a server explains games only", "name a game: arena why LEAGUE/MATCH.ROTATION --at URL"
            )
        server = server_at(at, insecure=insecure, token_needed=True)
        shown, name = server.why(*game_at(game), seat_choice(bot, seat), width - 8), "/".join(game_at(game))
        several = True
    else:
        with reading(store) as opened:
            league, match_no, rotation = find_league_or_game(opened, game)
            if match_no is None:
                if seat is not None or full:
                    raise UsageError("--seat and --full need a game", "name one: LEAGUE/MATCH.ROTATION")
                form = Format.JSON if as_json else form
                entry, compared = _entry_and_duel(opened, league, bot)
                if analyse:
                    from arena.cli.base.move_pricing import Analysis, analyse_league  # few look so closely

                    how = Analysis(worlds, seconds, jobs)
                    analyse_league(opened, league, entry, compared, how, newest, as_json=form is Format.JSON)
                elif compared:
                    _explain_duel(
                        opened, league, compared, form, options.naming_store(store), explains=explains
                    )
                else:
                    _explain_league(
                        opened, league, entry, form, options.naming_store(store), explains=explains
                    )
                return
            found = find(opened, league, match_no, rotation)
            chosen = chosen_seats(opened, found, bot, seat) or seats_to_explain(found)
            if analyse:
                from arena.cli.base.move_pricing import Analysis, analyse_game

                analyse_game(
                    opened,
                    found,
                    chosen,
                    Analysis(worlds, seconds, jobs),
                    as_json=as_json or form is Format.JSON,
                )
                return
            shown, name = pages(opened, found, chosen, width - 8), found.name
            several = len(found.record.seats) > 1
    if explains or form not in (Format.TABLE, Format.JSON):
        raise UsageError("--explain, and formats other than json, need a league", "leave them out for a game")
    if as_json or form is Format.JSON:
        for page in shown:
            answer_json(page)
        return
    of_store = options.naming_store(store)
    for number, page in enumerate(shown):
        if number:
            answer("")
        for line in page_lines(page, None if full else width, of_store, is_here=at is None):
            write_line(line)
    if not shown:
        answer(f"{name}: nobody lost{'; all share first place' if several else ', as it is for one player'}")


MOST_OF_A_KIND = 5
"""Rows of a table of losses that have the same thing in common, such as an opponent; the other formats have all."""
MOST_DEALS = 5

Row = TypeVar("Row", DuelRow, LossRow)


def _few_of_each(rows: Sequence[Row]) -> list[Row]:
    left = Counter({row.by: MOST_OF_A_KIND for row in rows})
    shown = []
    for row in rows:
        if left[row.by]:
            left[row.by] -= 1
            shown.append(row)
    return shown


def _entry_and_duel(
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
    if is_tune(store.leagues.events(league.uuid)):
        raise UsageError(
            f"{league.name} is a tune, whose entries play a few matches each",
            "name the comparison after it, such as compare-1; `arena replay list` has the games of a tune",
        )
    old, new, *_ = store.entries.all(league.uuid)
    with busy("reading games"):
        return new, duel(store, league, old, new, partial(points_by_hand, store))


def _explain_duel(
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
    print_table(out, columns, [every, *_few_of_each(parts)])
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


def _explain_league(
    store: Store, league: LeagueRecord, entry: EntryRecord | None, form: Format, at: str, *, explains: bool
) -> None:
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
    shown = _few_of_each([row for row in found.rows if row.lost > 0])
    out, columns = console(), columns_of(LossRow)
    print_line(out, title, "bold")
    print_line(out, _in_short(found), "bold")
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
    entries = store.entries.all(league.uuid)
    fit = ordering_fit(store, league)
    selection = counted_for(league, Selection())
    found = rankings_of(store, league, fit, selection=selection, by_format=by_format(store, league))
    labels = [row.label for row in found.rows if row.games and row.state == "active"]
    return next((entry for entry in entries if labels and entry.label == labels[-1]), None)


def _in_short(found: Losses) -> str:
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
