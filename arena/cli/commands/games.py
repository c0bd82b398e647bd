"""`arena games`."""

from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.consoles import console, write_line
from arena.cli.display.tables import Format, list_rows
from arena.cli.messages import warn
from arena.cli.options import FormatOption
from results.reports.columns import Column, ReportRow

if TYPE_CHECKING:
    from arena.core.game import AnyGame

app = typer.Typer(help="List the installed games, with rulesets and options.", invoke_without_command=True)


class RulesetRow(ReportRow, frozen=True, kw_only=True):
    """A game in one of its rulesets."""

    name: str
    """Name of the game."""
    ruleset: str
    players: str
    """Smallest and largest number."""
    options: str
    """Their values in this ruleset."""


COLUMNS = (
    Column("name", "game", priority=0),
    Column("ruleset", "ruleset", priority=0),
    Column("players", "players", priority=2),
    Column("options", "options and defaults", wide=True, priority=1),
)


@app.callback()
def games(context: typer.Context, form: FormatOption = Format.TABLE) -> None:
    """List the installed games: rulesets, players, options with their defaults."""
    if context.invoked_subcommand is not None:
        return
    from arena import registry
    from arena.core.ruleset import numbers, ruleset, show

    rows = []
    for game in registry.games().values():
        for name in game.info.rulesets:
            rules = ruleset(game.info, name)
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
    list_rows(RulesetRow, COLUMNS, rows, form)
    for broken in registry.games().broken:
        warn(f"{broken.reason}; {broken.hint}")


@app.command("show")
def show_game(name: Annotated[str, typer.Argument(help="The game's name, such as bread-basket.")]) -> None:
    """Print a game's page: rules, options, moves, events and views, with examples of messages."""
    from rich.markdown import Markdown

    from arena import registry
    from arena.core.data_files import rules_page

    game = registry.game(name)
    page = rules_page(game) or _page(game)
    out = console()
    if out.is_terminal:
        with out.pager(styles=True):
            out.print(Markdown(page))
    else:
        write_line(page)


def _page(game: "AnyGame") -> str:
    """Return a short page for a game that has none."""
    from arena.core.ruleset import show
    from results.reports.columns import to_markdown

    info = game.info
    options = [
        {
            "option": option.name,
            "values": option.allowed,
            "default": show(option.default),
            "meaning": option.summary,
        }
        for option in info.options
    ]
    rulesets = [
        {"ruleset": name, "sets": ", ".join(f"{key}={show(value)}" for key, value in changes.items())}
        for name, changes in info.rulesets.items()
    ]
    return f"# {info.title}\n\n{info.summary}\n\n{to_markdown(rulesets)}\n{to_markdown(options)}"


def add_to(app_: typer.Typer) -> None:
    """Add the commands."""
    app_.add_typer(app, name="games")
