"""`arena why`: how a game was lost, or where a bot loses in a league."""

from typing import Annotated

import typer

from arena.cli.base import options
from arena.cli.base.league_losses import entry_and_duel, explain_duel, explain_league
from arena.cli.base.open_store import reading
from arena.cli.base.stored_names import (
    chosen_seats,
    find_league_or_game,
)
from arena.cli.display.loss_page import WIDEST, page_lines
from arena.cli.display.tables import Format
from arena.cli.terminal.consoles import console, write_line
from arena.cli.terminal.messages import answer, answer_json
from arena.core.errors import UsageError
from arena.league.stored_games import find
from arena.league.why_lost import pages, seats_to_explain

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
