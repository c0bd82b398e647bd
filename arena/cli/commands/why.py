"""`arena faults`, `arena why` and `arena log`: what went wrong for a bot."""

from typing import Annotated

import msgspec
import typer
from msgspec.structs import replace

from arena.cli.base import options
from arena.cli.base.league_losses import entry_and_duel, explain_duel, explain_league
from arena.cli.base.open_store import reading
from arena.cli.base.stored_names import (
    chosen_seats,
    find_entry,
    find_game,
    find_league_or_game,
    league_or_casual,
    seats_in_words,
)
from arena.cli.display.long_work import busy
from arena.cli.display.loss_page import WIDEST, page_lines
from arena.cli.display.message_text import cut, decision_words
from arena.cli.display.tables import Format, heading, list_rows
from arena.cli.terminal.consoles import console, write_line
from arena.cli.terminal.messages import answer, answer_json, say
from arena.conversation.narration import Log, SeatLog
from arena.core.errors import UsageError
from arena.league.stored_games import find
from arena.league.why_lost import game_log, pages, seats_to_explain
from arena.submissions.advice import advice
from arena.submissions.language_hints import language_of_version
from protocol.verdicts import Reason
from results.records import LeagueRecord
from results.reports.columns import Column, columns_of
from results.reports.faults import (
    FailedAttemptRow,
    FaultGroup,
    FaultRow,
    FaultWithLogRow,
    failed_attempt_rows,
    fault_groups,
    fault_rows,
    fault_with_log_rows,
)
from results.reports.leagues import league_summary
from results.store import Store

HIDDEN = "(hidden until the match is finished)"
"""Shown in place of a log that is still hidden."""


def faults(
    name: options.League = None,
    bot: options.Bot = None,
    every: Annotated[bool, typer.Option("--all", help="List every fault by itself.")] = False,
    log: Annotated[
        bool, typer.Option("--log", help="List every fault, each with the end of the bot's log.")
    ] = False,
    platform: Annotated[
        bool, typer.Option("--platform", help="List games replayed after platform errors instead.")
    ] = False,
    store: options.Store = options.DEFAULT_STORE,
    form: options.Form = Format.TABLE,
) -> None:
    """Show which faults a league's bots made, and what their authors can do.

    Lists how many there are of each kind, with the newest. JSON and CSV have every fault, as --all does.
    """
    with reading(store) as opened:
        league = league_or_casual(opened, name)
        with busy("counting games"):
            title = heading(league_summary(opened, league))
        if platform:
            with busy("reading failed attempts"):
                attempts = failed_attempt_rows(opened, league)
            none = f"{league.name}: no game was replayed"
            list_rows(FailedAttemptRow, attempts, form, title, none)
            return
        entry_no = None if bot is None else find_entry(opened, league, bot).entry_no
        none = f"{league.name}: no faults"
        if log:
            with busy("reading faults and logs"):
                rows = [
                    row if row.log is not None else msgspec.structs.replace(row, log=HIDDEN)
                    for row in fault_with_log_rows(opened, league, entry_no)
                ]
            if form is Format.TABLE and rows:
                _print_with_logs(rows)
            else:
                list_rows(FaultWithLogRow, rows, form, title, none)
        elif every or form not in (Format.TABLE, Format.MD):
            with busy("reading faults"):
                found = fault_rows(opened, league, entry_no)
            list_rows(FaultRow, found, form, title, none)
        else:
            with busy("reading faults"):
                groups = fault_groups(opened, league, entry_no)
            list_rows(FaultGroup, groups, form, title, none, _columns_of_groups(opened, league))
            if form is Format.TABLE and groups:
                at = options.naming_store(store)
                total = sum(group.faults for group in groups)
                many = f"--all lists all {total:,}; " if total > len(groups) else ""
                say(
                    f"{many}explain one: arena why {league.name}/{groups[0].game} --seat {groups[0].seat}{at}"
                )


def _columns_of_groups(store: Store, league: LeagueRecord) -> list[Column]:
    """Return the columns of a table of kinds of faults, each with what an author can do about its example."""
    versions = {entry.label: entry.version for entry in store.entries.all(league.uuid)}

    def told(group: FaultGroup) -> str:
        version = versions.get(group.bot)
        what = advice(
            Reason(group.reason) if group.reason in set(Reason) else None,
            group.log,
            language_of_version(store, version),
            kit=version is not None and bool(version.manifest.get("kit")),
            verdict=group.verdict,
        )
        return f"{group.detail} → {what}" if what else group.detail

    own = {
        "game": Column("newest", right=True, priority=2),
        "at_decision": Column("decision", right=True, priority=6, quiet=True),
        "detail": Column("what happened → what to do", wide=True, priority=3, drawn=told),
    }
    return [
        replace(own.get(column.key, column), key=column.key)
        for column in columns_of(FaultGroup, "bot verdict faults game at_decision detail")
    ]


def _print_with_logs(rows: list[FaultWithLogRow]) -> None:
    for row in rows:
        at = row.decision and f" at decision {row.decision}"
        say(f"{row.game} · seat {row.seat} · {row.bot} · {row.verdict}{at} · {row.detail}")
        for line in (row.log or "").splitlines():
            say("    " + line)


NEWEST_PRICED = 10


def why(
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="LEAGUE|GAME",
            help=f"A league or comparison, or a game: {options.GAME_HELP}",
        ),
    ] = None,
    bot: Annotated[
        str | None,
        typer.Option(
            "--bot",
            "-b",
            help=f"The bot, {options.ENTRY}. Default in a game: all that forfeited, or else the last; in a league: the "
            "lowest-ranked one that plays; in a comparison: the new version beside the old one.",
        ),
    ] = None,
    seat: options.Seat = None,
    full: options.Full = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object for each seat.")] = False,
    explains: options.Explain = False,
    analyse: Annotated[
        bool,
        typer.Option(
            "--analyse", help="Price each move of a game: how many points a better move would have brought."
        ),
    ] = False,
    worlds: Annotated[
        int | None,
        typer.Option(
            help="Worlds in which each move is judged, 96 by default; four times as many halve the width of intervals."
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            min=0.1,
            help="Judge in as many worlds as take about so many seconds of CPU time a seat; the result then differs "
            "from run to run.",
        ),
    ] = None,
    jobs: Annotated[
        int,
        typer.Option(
            "--jobs", "-j", min=0, max=1024, help="Number of processes that analyse; 0: one a core."
        ),
    ] = 0,
    newest: Annotated[
        int,
        typer.Option(
            "--games",
            min=1,
            max=10_000,
            help="With --analyse in a league: how many of the bot's newest games.",
        ),
    ] = NEWEST_PRICED,
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
    """
    if analyse and at is not None:
        raise UsageError("--analyse needs the game in a store of this machine", "leave out --at")
    if not analyse and (worlds, seconds, jobs, newest) != (None, None, 0, NEWEST_PRICED):
        raise UsageError("--worlds, --seconds, --jobs and --games are for pricing moves", "add --analyse")
    width = min(console().width, WIDEST)
    if at is not None:
        from arena.cli.base.remote import game_at, seat_choice, server_at  # few games are looked at there

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
                entry, compared = entry_and_duel(opened, league, bot)
                if analyse:
                    from arena.cli.base.move_analysis import Analysis, analyse_league  # few look so closely

                    how = Analysis(worlds, seconds, jobs)
                    analyse_league(opened, league, entry, compared, how, newest, as_json=form is Format.JSON)
                elif compared:
                    explain_duel(
                        opened, league, compared, form, options.naming_store(store), explains=explains
                    )
                else:
                    explain_league(
                        opened, league, entry, form, options.naming_store(store), explains=explains
                    )
                return
            found = find(opened, league, match_no, rotation)
            chosen = chosen_seats(opened, found, bot, seat) or seats_to_explain(found)
            if analyse:
                from arena.cli.base.move_analysis import Analysis, analyse_game

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


KEPT = "the first 16 KiB and the last 48 KiB of what a bot writes to standard error in a game are kept"


def log(
    game: options.GameName,
    bot: options.BotInGame = None,
    seat: options.Seat = None,
    full: Annotated[bool, typer.Option("--full", help="Show long lines in full in a terminal, too.")] = False,
    as_json: options.JsonLines = False,
    store: options.Store = options.DEFAULT_STORE,
    at: options.At = None,
    insecure: options.Insecure = False,
) -> None:
    """Print what a bot wrote to standard error in a stored game.

    Where a line mentions a question, its decision stands beside it. A game is hidden until its match is finished.
    With --at, the log comes from a server, which shows only those of your own bots.
    """
    if at is None:
        with reading(store) as opened:
            found = _stored_log(opened, game, bot, seat)
    else:
        from arena.cli.base.remote import game_at, seat_choice, server_at

        server = server_at(at, insecure=insecure, token_needed=True)
        found = server.log(*game_at(game), seat_choice(bot, seat))
    for one in found.seats:
        _print_log(one, full=full, as_json=as_json)
    if found.unknown:
        say(f"the decisions that its lines mention can't be named: {found.unknown}")


def _stored_log(store: Store, game: str, bot: str | None, seat: int | None) -> Log:
    """Return what bots wrote in a stored game. Raises UsageError unless a seat is chosen."""
    found = find(store, *find_game(store, game))
    chosen = chosen_seats(store, found, bot, seat)
    if not chosen:
        raise UsageError(
            f"each bot in {found.name} has its own log",
            f"choose a bot with --bot or --seat: {seats_in_words(found)}",
        )
    return game_log(store, found, chosen)


def _print_log(log: SeatLog, *, full: bool, as_json: bool) -> None:
    """Print the log of a seat."""
    out = console()
    width = out.width if out.is_terminal and not full else None
    for line in log.lines:
        if as_json:
            answer_json({"seat": log.seat, **msgspec.to_builtins(line)})
            continue
        mark = "" if line.decision is None else f"  ← {decision_words(line.decision, line.ask)}"
        write_line(cut(line.text, None if width is None else width - len(mark)) + mark)
    if not log.kept_bytes + log.dropped_bytes:
        say(f"{log.bot} (seat {log.seat}) wrote nothing to standard error")
        return
    whole = f"{log.dropped_bytes:,} bytes in the middle were dropped: {KEPT}"
    amount = f"{log.bot} (seat {log.seat}) wrote {log.kept_bytes + log.dropped_bytes:,} bytes"
    say(f"{amount}; {whole if log.dropped_bytes else 'all of them are shown'}")
