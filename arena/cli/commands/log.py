"""`arena log`: what a bot wrote to standard error in a game."""

from typing import Annotated

import msgspec
import typer

from arena.cli.base import options
from arena.cli.base.open_store import reading
from arena.cli.base.stored_names import (
    chosen_seats,
    find_game,
    seats_in_words,
)
from arena.cli.display.message_text import cut, decision_words
from arena.cli.terminal.consoles import console, write_line
from arena.cli.terminal.messages import answer_json, say
from arena.conversation.narration import Log, SeatLog
from arena.core.errors import UsageError
from arena.league.stored_games import find
from arena.league.why_lost import game_log
from results.store import Store

KEPT = "the first 16 KiB and the last 48 KiB of what a bot writes to standard error in a game are kept"


def log(
    game: options.GameName,
    bot: options.BotInGame = None,
    seat: options.Seat = None,
    full: Annotated[bool, typer.Option("--full")] = False,
    as_json: options.JsonLines = False,
    store: options.Store = options.DEFAULT_STORE,
    at: options.At = None,
    insecure: options.Insecure = False,
) -> None:
    """Print what a bot wrote to standard error in a stored game.

    Where a line mentions a question, its decision stands beside it. A game is hidden until its match is finished.
    With --at, the log comes from a server, which shows only those of your own bots.

    Options:
        full: Show long lines in full in a terminal, too.
    """
    if at is None:
        with reading(store) as opened:
            found = _stored_log(opened, game, bot, seat)
    else:
        from arena.cli.base.remote_server_arguments import game_at, seat_choice, server_at

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
