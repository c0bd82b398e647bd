"""`arena trace`: play a game, and show every line between Arena and a bot."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from arena.cli.base import options
from arena.cli.base.confinement import confined_builder
from arena.cli.base.open_store import reading_if_there
from arena.cli.display.message_text import cut, decision_words
from arena.cli.terminal.consoles import console
from arena.cli.terminal.messages import BOT_FAILED, answer, answer_json, say, say_error
from arena.conversation.live_trace import TracedLine, Tracer
from arena.league.definition.bot_arguments import common_game
from arena.league.definition.bots_of_commands import read_bots, staged_bots, table_of
from arena.league.single_match import deal_of_seed, least_seats, play_match, resolve_match
from arena.submissions.staging import staging_beside
from results.base.text import json_text

MARKS = {"arena": "→", "bot": "←", "log": "·"}
"""Arena's lines go to the bot; the bot's come from it; the log goes beside."""
_STYLES = {"arena": "cyan", "bot": "green", "log": "dim"}


def traced_text(line: TracedLine, width: int | None, *, names_seat: bool) -> Text:
    """Return one line of a trace, at most `width` characters long; None: whole, on one line."""
    start = f"{line.at_ms / 1000:8.3f} s "
    if names_seat:
        start += f"seat {line.seat} "
    start += MARKS[line.speaker] + " "
    if line.decision is not None:
        start += decision_words(line.decision, line.ask) + " "
    end = "" if line.after_ms is None else f"  ({line.after_ms:.1f} ms)"
    if not line.is_whole and line.speaker != "log":
        end += "  (no newline)"
    room = None if width is None else width - len(start) - len(end)
    text = line.text if room is None or len(line.text) <= room else _heart_of(line)
    return Text.assemble(start, (cut(text, room), _STYLES[line.speaker]), end)


def _heart_of(line: TracedLine) -> str:
    """Return what matters of a question or an answer, whose type and id stand before it; other lines whole."""
    if line.decision is None or line.speaker == "log":
        return line.text
    try:
        message = json.loads(line.text)
    except (ValueError, RecursionError):  # a bot may write anything
        return line.text
    match message:
        case {"type": "ask", "kind": kind, "view": view}:
            return f"{kind} {json_text(view)}"
        case {"type": "move", "move": move, "note": str(note)}:
            return f"{json_text(move)} {note}"
        case {"type": "move", "move": move}:
            return json_text(move)
    return line.text


def trace(
    bot: options.AnyBot,
    against: Annotated[list[str] | None, typer.Option(metavar="BOT")] = None,
    game: options.Game = None,
    ruleset: options.Ruleset = None,
    option: options.RuleOptions = None,
    seats: Annotated[int | None, typer.Option(min=1)] = None,
    seat: Annotated[int, typer.Option(min=0)] = 0,
    seed: options.Seed = None,
    every_seat: Annotated[bool, typer.Option("--every-seat")] = False,
    full: Annotated[bool, typer.Option("--full")] = False,
    as_json: options.JsonLines = False,
    sandbox: options.Sandbox = "auto",
    store: options.Store = options.DEFAULT_STORE,
) -> None:
    """Play a new game, and show every line between Arena and a bot.

    The bot's log is shown too, as it is written. Nothing is stored.

    Options:
        against: A bot for the other seats, named in the same ways; repeat it for several. The last one fills the
            remaining seats. Default: the same bot.
        seats: Number of seats; default: the fewest that seat all named bots.
        seat: The seat of the bot, from 0.
        every_seat: Show the lines of all seats, not only those of the bot.
        full: Show lines in full, however long.
    """
    confinement, builder = confined_builder(store, sandbox)
    with staging_beside(store) as staging:
        with reading_if_there(store) as opened:
            bots = read_bots(store, opened, [bot, *(against or [bot])], Path())
            name = game or common_game([one.games for one in bots])
            number = seats or least_seats(name, ruleset, option or [], 1 + len(against or ()))
            if seat >= number:
                raise typer.BadParameter(
                    f"this table has seats 0 to {number - 1}; --seats sets how many play", param_hint="--seat"
                )
            rules = resolve_match(name, ruleset, option or [], number, None, by_option=seats is not None)
            found = staged_bots(store, opened, bots, staging, builder)
        filled = [*found[1:], *[found[-1]] * number][: number - 1]
        table = table_of([*filled[:seat], found[0], *filled[seat:]])
        out = console()
        width = None if full else out.width

        def show(line: TracedLine) -> None:
            if as_json:
                answer_json(line)
            else:
                out.print(
                    traced_text(line, width, names_seat=every_seat),
                    soft_wrap=full,
                    no_wrap=True,
                    overflow="ignore",
                )

        with Tracer(show, None if every_seat else (seat,)) as tracer:
            played = play_match(rules, table, deal_of_seed(seed, rules.game.info.name), confinement(), tracer)
    failed = False
    for record in played.games[0].seats:
        label = table.players[record.entry_no].label
        mark = " (followed)" if record.seat == seat else ""
        result = f"seat {record.seat}: {label}{mark}, rank {record.rank}, score {record.score}"
        if not as_json:
            answer(result + (f", {record.verdict}" if record.verdict else ""))
        if record.verdict:
            failed |= record.seat == seat
            at = "" if record.at_decision is None else f" at decision {record.at_decision}"
            say_error(f"{label} in seat {record.seat} ({record.verdict}{at}): {record.detail}")
    if seed is None and not as_json:
        say("the deal was random; --seed repeats one")
    if failed:
        raise typer.Exit(BOT_FAILED)
