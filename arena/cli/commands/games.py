"""`arena games`: the games that are installed, their rules, and random games to test other implementations."""

from typing import Annotated

import typer
from rich.markdown import Markdown

from arena import registry
from arena.cli.base import options
from arena.cli.display.tables import Format, list_rows
from arena.cli.terminal.consoles import console, write_data, write_line
from arena.cli.terminal.messages import warn, write_file
from arena.core.game import AnyGame
from arena.core.game_files import rules_page
from arena.core.ruleset import numbers, show
from arena.core.ruleset import ruleset as ruleset_of
from arena.core.vectors import vectors as game_vectors
from arena.league.definition.given_rules import given_rules, given_seats
from arena.registry import blaming
from results.base.text import json_text
from results.reports.columns import Column, ReportRow, markdown_lines

app = typer.Typer()


class RulesetRow(ReportRow, frozen=True, kw_only=True):
    """A game in one of its rulesets."""

    name: Annotated[str, Column("game", priority=0)]
    """Name of the game."""
    ruleset: Annotated[str, Column(priority=0)]
    players: Annotated[str, Column(priority=2)]
    """Smallest and largest number."""
    options: Annotated[str, Column("options and defaults", wide=True, priority=1)]
    """Their values in this ruleset."""


@app.callback(invoke_without_command=True)
def games(context: typer.Context, form: options.Form = Format.TABLE) -> None:
    """List the installed games, with rulesets and options."""
    if not options.lists(context):
        return
    rows = []
    for game in registry.games().values():
        for name in game.info.rulesets:
            rules = ruleset_of(game.info, name)
            seats = game.seats(rules)
            rows.append(
                RulesetRow(
                    name=game.info.name,
                    ruleset=name,
                    players=numbers(seats, "–"),
                    options=", ".join(
                        f"{option}={show(rules[option])}" for option in sorted({*rules.options, *rules.off})
                    ),
                )
            )
    list_rows(RulesetRow, rows, form)
    for broken in registry.games().broken:
        warn(f"{broken.reason}; {broken.hint}")


@app.command("show")
def show_game(
    name: Annotated[str, typer.Argument(metavar="GAME")],
) -> None:
    """Print a game's page: rules, options, moves, events and messages.

    Options:
        name: The game's name, such as bread-basket.
    """
    game = registry.game(name)
    page = rules_page(game) or _short_page(game)
    out = console()
    if out.is_terminal:
        with out.pager(styles=True):
            out.print(Markdown(page))
    else:
        write_line(page)


@app.command()
def vectors(
    name: Annotated[str, typer.Argument(metavar="GAME")],
    ruleset: options.Ruleset = None,
    option: options.RuleOptions = None,
    seats: Annotated[list[int] | None, typer.Option(metavar="N")] = None,
    number: Annotated[int, typer.Option("--games", "-n", min=1, max=100_000)] = 10,
    seed: Annotated[str, typer.Option("--seed", "-s")] = "1",
    target: options.Target = None,
    force: options.Force = False,
) -> None:
    """Write random games as JSON lines, to test rules written in another language.

    Each game has a line for its deal, one for each turn and one for its end: what chance drew, what the seats see,
    the legal moves, the moves made, and what follows.

    Options:
        name: The game's name, such as bread-basket.
        seats: Number of seats; repeat it for several. Default: the fewest.
        number: Number of games for each number of seats.
        seed: Another seed gives other games.
    """
    game, given = registry.game(name), option or []
    tables = {
        count: given_rules(game, ruleset, given, count, by_option=True)
        for count in seats or given_seats(game, ruleset, given)[:1]
    }
    lines = (
        json_text(line) + "\n"
        for count, rules in tables.items()
        for game_no in range(number)
        for line in game_vectors(game, rules, count, seed, game_no)
    )
    with blaming("game", name, game):
        if target is None or str(target) == "-":
            for line in lines:
                write_data(line)
        else:
            write_file(target, "".join(lines), force=force)


def _short_page(game: AnyGame) -> str:
    """Return a short page for a game that has none."""
    info = game.info
    options = [(one.name, one.allowed, show(one.default), one.summary) for one in info.options]
    rulesets = [
        (name, ", ".join(f"{key}={show(value)}" for key, value in changes.items()))
        for name, changes in info.rulesets.items()
    ]
    tables = (("ruleset", "sets"), rulesets), (("option", "values", "default", "meaning"), options)
    drawn = ["".join(markdown_lines(names, [False] * len(names), rows)) for names, rows in tables if rows]
    return "\n".join([f"# {info.title}\n\n{info.summary}\n", *drawn])
