"""`arena games`."""

from typing import Annotated

import typer

from arena.cli.terminal import Column, Format, FormatOption, list_rows

app = typer.Typer(help="The games there are, with rulesets and options.", invoke_without_command=True)

COLUMNS = (
    Column("name", "game"),
    Column("ruleset", "ruleset"),
    Column("players", "players"),
    Column("options", "options and defaults", wide=True),
)


@app.callback()
def games(context: typer.Context, form: FormatOption = Format.TABLE) -> None:
    """List the games there are: rulesets, players, options with their defaults."""
    if context.invoked_subcommand is not None:
        return
    from arena import registry
    from arena.core.ruleset import ruleset, show

    rows = []
    for game in registry.games().values():
        for name in game.info.rulesets:
            rules = ruleset(game.info, name)
            seats = game.seats(rules)
            rows.append(
                {
                    "name": game.info.name,
                    "ruleset": name,
                    "players": f"{seats[0]}–{seats[-1]}" if len(seats) > 1 else str(seats[0]),
                    "options": ", ".join(
                        f"{option}={show(value)}" for option, value in rules.options.items()
                    ),
                }
            )
    list_rows(COLUMNS, rows, form)


@app.command("show")
def show_game(name: Annotated[str, typer.Argument(help="The game's name, such as bread-basket.")]) -> None:
    """Show what a game is, its rulesets and every option with what it may be."""
    from rich.table import Table

    from arena import registry
    from arena.cli.terminal import _box, console
    from arena.core.ruleset import show

    game = registry.game(name)
    info = game.info
    out = console()
    out.print(f"[bold]{info.title}[/bold] ({info.name}, rules version {info.version})")
    out.print(info.summary)
    drawn = Table(box=_box(), pad_edge=False)
    for title in ("option", "may be", "default", "what it is"):
        drawn.add_column(title, overflow="fold")
    for option in info.options:
        drawn.add_row(option.name, option.allowed, show(option.default), option.summary)
    out.print(drawn)
    for ruleset_name, options in info.rulesets.items():
        sets = ", ".join(f"{key}={show(value)}" for key, value in options.items()) or "the defaults"
        out.print(f"ruleset [bold]{ruleset_name}[/bold]: {sets}")


def add_to(app_: typer.Typer) -> None:
    """Add the commands."""
    app_.add_typer(app, name="games")
