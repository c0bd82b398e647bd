"""`arena trace`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.confinement import confined_builder
from arena.cli.consoles import console
from arena.cli.display.message_text import traced_text
from arena.cli.messages import BOT_FAILED, answer, answer_json, say, say_error
from arena.cli.open_store import reading_if_there
from arena.cli.options import (
    DEFAULT_STORE,
    AnyBot,
    GameOption,
    RuleOptions,
    RulesetOption,
    SandboxOption,
    StoreOption,
)
from arena.cli.runner import arriving_beside

if TYPE_CHECKING:
    from arena.conversation.tracing import TracedLine


def trace(
    bot: AnyBot,
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            metavar="BOT",
            help="A bot for the other seats, named in the same ways; repeat it for several. The last one fills the "
            "seats that are left. Default: the same bot.",
        ),
    ] = None,
    game: GameOption = None,
    ruleset: RulesetOption = None,
    option: RuleOptions = None,
    seats: Annotated[
        int | None,
        typer.Option("--seats", min=2, help="Number of seats; default: the fewest that hold the bots named."),
    ] = None,
    seat: Annotated[int, typer.Option("--seat", min=0, help="The seat of the bot, from 0.")] = 0,
    seed: Annotated[str | None, typer.Option("--seed", "-s", help="Play the deal of this seed.")] = None,
    every_seat: Annotated[
        bool, typer.Option("--every-seat", help="Show the lines of all seats, not only those of the bot.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="Show lines whole, however long they are.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object for each line.")] = False,
    sandbox: SandboxOption = "auto",
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Play one game, and show every line between Arena and a bot, and its log, as they pass. Nothing is stored."""
    from arena.conversation.tracing import Tracer
    from arena.league.definition.named_bots import common_game
    from arena.league.definition.staged_bots import read_bots, staged_bots, table_of
    from arena.league.match import deal_of_seed, least_seats, play_match, resolve_match

    confinement, builder = confined_builder(store, sandbox)
    with arriving_beside(store) as arriving:
        with reading_if_there(store) as opened:
            bots = read_bots(store, opened, [bot, *(against or [bot])], Path())
            name = game or common_game([one.games for one in bots])
            number = seats or least_seats(name, ruleset, option or [], 1 + len(against or ()))
            if seat >= number:
                raise typer.BadParameter(
                    f"this table has seats 0 to {number - 1}; --seats sets how many play", param_hint="--seat"
                )
            rules = resolve_match(name, ruleset, option or [], number, None, by_option=seats is not None)
            found = staged_bots(store, opened, bots, arriving, builder)
        filled = [*found[1:], *[found[-1]] * number][: number - 1]
        table = table_of([*filled[:seat], found[0], *filled[seat:]])
        out = console()
        width = None if full else out.width

        def show(line: "TracedLine") -> None:
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
            played = play_match(rules, table, deal_of_seed(seed), confinement(), tracer)
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


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("trace")(trace)
