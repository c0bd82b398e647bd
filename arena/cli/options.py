"""Options of the commands that play what no league file describes."""

from typing import Annotated

import typer

GameOption = Annotated[
    str | None, typer.Option("--game", "-g", help="The game; default: the one that all the bots play.")
]
RulesetOption = Annotated[
    str | None, typer.Option("--ruleset", help="The ruleset; default: the game's first.")
]
RuleOptions = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", metavar="NAME=VALUE", help="Set an option of the game."),
]
