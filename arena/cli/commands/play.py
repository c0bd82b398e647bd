"""`arena play`."""

import getpass
import json
import os
import sys
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from arena.checking.trial_start import start_table
from arena.cli.base import options
from arena.cli.base.change_now_or_queue import enter_match
from arena.cli.base.confinement import confined_builder
from arena.cli.base.open_store import reading_if_there
from arena.cli.display.finished_game_text import last_lines
from arena.cli.display.message_text import seat_names
from arena.cli.terminal.consoles import console
from arena.cli.terminal.messages import BOT_FAILED, INTERRUPTED, answer, say, say_error
from arena.cli.terminal.player_dialogue import Dialogue
from arena.cli.terminal.typed_input import LineInput
from arena.config.names import check_name, is_label
from arena.core.errors import UsageError
from arena.core.game import sides_of
from arena.league.definition.bot_arguments import check_plays, plays_alone
from arena.league.definition.bots_of_commands import keep_files, read_bots, staged_bots, table_of
from arena.league.running.local_games import AtTable
from arena.league.single_match import deal_of_seed, least_seats, play_match, resolve_match
from arena.submissions.manifest import reference_bot
from arena.submissions.staging import staging_beside
from results.base.text import counted, folded

MOST_NAME_CHARS = 40


def play(
    game: Annotated[str, typer.Argument(metavar="GAME")],
    against: Annotated[list[str] | None, typer.Option("--against", "-a", metavar="BOT")] = None,
    ruleset: options.Ruleset = None,
    option: options.RuleOptions = None,
    seats: Annotated[int | None, typer.Option(min=1)] = None,
    seat: Annotated[int, typer.Option(min=0)] = 0,
    move_seconds: Annotated[float | None, typer.Option(min=1)] = None,
    name: str | None = None,
    seed: options.Seed = None,
    sandbox: options.Sandbox = "auto",
    store: options.Store = options.DEFAULT_STORE,
) -> None:
    """Play a game yourself, in the terminal, against bots.

    It is stored in the league `casual`, unrated. You see exactly what a bot in your seat is sent. The
    bots keep their time limits; you have none unless you set one. If you leave the game, your seat forfeits, and
    that is stored.

    Options:
        game: The game, such as sandwich.
        seats: Number of players; the bots take turns filling the seats. Default: you and each bot once.
        seat: Your seat, from 0.
        move_seconds: Your time for each move. Default: as long as you like.
        name: Your name at the table; default: your login name.
        against: A bot to play against: {options.ANY_BOT}. Repeat it for more bots. Default: the reference bot `greedy`
            of the game; nobody in a game for one player.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            "arena play needs a terminal for its input and output", "to let bots play, use `arena match`"
        )
    alone = seats == 1 or (seats is None and plays_alone(game, ruleset, option or []))
    if against and alone:
        raise typer.BadParameter(
            f"{game} with one seat is for you alone: leave it out", param_hint="--against"
        )
    named = [] if alone else against or [reference_bot(game)]
    size = seats or least_seats(game, ruleset, option or [], len(named) + 1)
    rules = resolve_match(game, ruleset, option or [], size, None, by_option=seats is not None)
    if seat >= size:
        raise typer.BadParameter(
            f"this table has seats 0 to {size - 1}; --seats sets how many play", param_hint="--seat"
        )
    if len(named) >= size:
        raise typer.BadParameter(
            f"there are {counted(len(named), 'bot')} and you, but {counted(size, 'seat')}",
            param_hint="--seats",
        )
    confinement, builder = confined_builder(store, sandbox)
    with staging_beside(store) as staging:
        with reading_if_there(store) as opened:
            bots = read_bots(store, opened, named, Path())
            for typed, bot in zip(named, bots, strict=True):
                check_plays(typed, bot.games, rules.game.info.name)
            found = staged_bots(store, opened, bots, staging, builder)
        table = table_of([found[place % len(found)] for place in range(size - 1)])
        you = _name(name, [player.label for player in table.players])
        table = table.with_person(you, seat)
        shown = seat_names(table.seated())
        sides = sides_of(rules.game, rules.ruleset, size)
        start_table(table, rules, confinement(), say)
        with LineInput() as lines:
            at_table = AtTable(Dialogue(rules.game, shown, seat, lines, sides), move_seconds)
            played = play_match(
                rules, table, deal_of_seed(seed, rules.game.info.name), confinement(), at_table=at_table
            )
            keep_files(store, found)
            record = played.games[0]
            body = json.loads(zlib.decompress(record.body))
            for line in last_lines(body, shown, width=min(console().width, 100)):
                answer(line)
            match = enter_match(store, played, table, rules)
            left = lines.gone
    at = options.naming_store(store)
    if match is not None:
        number = f"casual/{match.match_no}.{record.rotation}"
        say(f"stored as {number}; see it again: arena replay show {number} --boards{at}")
    failed = [one for one in record.seats if one.verdict and one.seat != seat]
    for one in failed:
        say_error(
            f"{shown[one.seat]} ({one.verdict}): {one.detail}", f"see its log: arena faults casual --log{at}"
        )
    if left:  # the game is over and stored, so there is nothing to run again
        raise typer.Exit(INTERRUPTED)
    if failed:
        raise typer.Exit(BOT_FAILED)


def _name(given: str | None, taken: Sequence[str]) -> str:
    """Return the person's name at the table. Raises UsageError if nobody may have it, BadParameter if a bot has it."""
    name = given if given is not None else _login_name()
    check_name(("--name",), name)
    if len(name) > MOST_NAME_CHARS:
        raise typer.BadParameter(f"{name!r} is longer than {MOST_NAME_CHARS} characters", param_hint="--name")
    if folded(name) in map(folded, taken):
        raise typer.BadParameter(
            f"a bot at the table is called {name}; choose another one", param_hint="--name"
        )
    return name


def _login_name() -> str:
    """Return the user's login name, or one with the user's number if that can't be a name at the table."""
    with suppress(KeyError, OSError):  # the system doesn't know this user's number
        name = getpass.getuser()[:MOST_NAME_CHARS]
        if is_label(name):
            return name
    return f"user {os.getuid()}"
