"""`arena log`."""

from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.consoles import console, write_line
from arena.cli.display.message_text import cut, decision_words
from arena.cli.messages import answer_json, say
from arena.cli.open_store import reading
from arena.cli.options import DEFAULT_STORE, ENTRY, AtOption, InsecureOption, StoreOption
from arena.cli.stored_names import GameArgument, SeatOption, chosen_seats, find_game

if TYPE_CHECKING:
    from arena.client.answers import SeatLog

KEPT = "the first 16 KiB and the last 48 KiB of what a bot writes to standard error in a game are kept"


def log(
    game: GameArgument,
    bot: Annotated[str | None, typer.Option("--bot", "-b", help=f"The bot, {ENTRY}.")] = None,
    seat: SeatOption = None,
    full: Annotated[bool, typer.Option("--full", help="Show long lines whole in a terminal too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object for each line.")] = False,
    store: StoreOption = DEFAULT_STORE,
    at: AtOption = None,
    insecure: InsecureOption = False,
) -> None:
    """Print what a bot wrote to standard error in a game, with the decisions that its lines mention.

    A game is hidden until its match is finished. With --at, the log comes from a server, which shows only those of
    your own bots.
    """
    if at is not None:
        _from_server(at, insecure, game, bot, seat, full=full, as_json=as_json)
        return
    from arena.client.answers import SeatLog
    from arena.conversation.narration import log_lines
    from arena.conversation.rebuild import conversation
    from arena.core.errors import ArenaError, UsageError
    from arena.league.stored_games import find, log_of, read

    with reading(store) as opened:
        found = find(opened, *find_game(opened, game))
        chosen = chosen_seats(opened, found, bot, seat)
        if not chosen:
            raise UsageError(
                f"each bot in {found.name} has its own log",
                "choose a bot with --bot or --seat: "
                + ", ".join(f"{label} (seat {number})" for number, label in enumerate(found.labels)),
            )
        stored, unknown = None, ""
        try:
            stored = read(opened, found)
        except ArenaError as error:  # without the replay, a log is still a log
            unknown = str(error)
        for number in chosen:
            kept = log_of(opened, found, number)
            try:
                told = conversation(stored, number) if stored is not None else None
            except ArenaError as error:
                told, unknown = None, str(error)
            held = len(kept.head) + len(kept.tail)
            log_of_seat = SeatLog(
                number, found.labels[number], tuple(log_lines(kept, told)), held, kept.dropped_bytes
            )
            _print(log_of_seat, full=full, as_json=as_json)
    if unknown:
        say(f"the decisions that its lines mention can't be named: {unknown}")


def _from_server(
    at: str, insecure: bool, game: str, bot: str | None, seat: int | None, *, full: bool, as_json: bool
) -> None:
    """Print logs that a server has."""
    from arena.cli.servers import game_at, server_at
    from arena.client.server import SeatChoice
    from arena.league.definition.named_bots import name_elsewhere

    league, number = game_at(game)
    found = server_at(at, insecure=insecure, token_needed=True).log(
        league, number, SeatChoice(bot and name_elsewhere(bot), seat)
    )
    for one in found.seats:
        _print(one, full=full, as_json=as_json)
    if found.unknown:
        say(f"the decisions that its lines mention can't be named: {found.unknown}")


def _print(log: "SeatLog", *, full: bool, as_json: bool) -> None:
    """Print the log of a seat."""
    import msgspec

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


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("log")(log)
