"""`arena log`."""

from typing import Annotated

import typer

from arena.cli.consoles import console
from arena.cli.display.message_text import cut, decision_words
from arena.cli.game_names import GameArgument, SeatOption, chosen_seats, find_game
from arena.cli.messages import say
from arena.cli.open_store import reading
from arena.cli.options import DEFAULT_STORE, StoreOption
from results.escaping import json_text

KEPT = "the first 16 KiB and the last 48 KiB of what a bot writes to standard error in a game are kept"


def log(
    game: GameArgument,
    bot: Annotated[
        str | None, typer.Option("--bot", "-b", help="The bot, by its name in the rankings.")
    ] = None,
    seat: SeatOption = None,
    full: Annotated[bool, typer.Option("--full", help="Show long lines whole in a terminal too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object for each line.")] = False,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Print what a bot wrote to standard error in a game, with the decisions that its lines mention.

    A game is hidden until its match is finished.
    """
    import msgspec

    from arena.conversation.logs import log_lines
    from arena.conversation.rebuild import conversation
    from arena.core.errors import ArenaError, UsageError
    from arena.league.stored_games import find, log_of, read
    from results.errors import LedgerError

    with reading(store) as opened:
        found = find(opened, *find_game(opened, game))
        chosen = chosen_seats(found.labels, found.name, bot, seat)
        if not chosen:
            raise UsageError(
                f"each bot in {found.name} has its own log",
                "choose a bot with --bot or --seat: "
                + ", ".join(f"{label} (seat {number})" for number, label in enumerate(found.labels)),
            )
        stored, unknown = None, ""
        try:
            stored = read(opened, found)
        except (ArenaError, LedgerError) as error:  # without the replay, a log is still a log
            unknown = str(error)
        out = console()
        width = out.width if out.is_terminal and not full else None
        for number in chosen:
            kept = log_of(opened, found, number)
            try:
                told = conversation(stored, number) if stored is not None else None
            except ArenaError as error:
                told, unknown = None, str(error)
            for line in log_lines(kept, told):
                if as_json:
                    typer.echo(json_text({"seat": number, **msgspec.to_builtins(line)}))
                    continue
                mark = "" if line.decision is None else f"  ← {decision_words(line.decision, line.ask)}"
                typer.echo(cut(line.text, None if width is None else width - len(mark)) + mark)
            held = len(kept.head) + len(kept.tail)
            whole = f"{kept.dropped_bytes:,} bytes in the middle were dropped: {KEPT}"
            amount = f"{found.labels[number]} (seat {number}) wrote {held + kept.dropped_bytes:,} bytes"
            say(f"{amount}; {whole if kept.dropped_bytes else 'all of them are shown'}")
    if unknown:
        say(f"the decisions that its lines mention can't be named: {unknown}")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("log")(log)
