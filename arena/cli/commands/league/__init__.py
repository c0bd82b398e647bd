"""`arena league`: creates leagues, changes them, and shows what they are."""

from typing import ClassVar

import typer

from arena.cli.base.lazy_group import LazyGroup


class _LeagueCommands(LazyGroup):
    package = "arena.cli.commands"
    sections: ClassVar = {
        "Make and change": {
            "create": "league.create",
            **dict.fromkeys(
                ("extend", "aim", "season", "clone", "rename", "reveal", "delete"),
                "league.change_commands",
            ),
        },
        "Field": dict.fromkeys(
            ("add", "replace", "pause", "resume", "bench", "retire"), "league.change_commands"
        ),
        "Look": {
            "list": "league.show_commands:list_leagues",
            **dict.fromkeys(("show", "events", "verify-deals"), "league.show_commands"),
        },
    }


app = typer.Typer(cls=_LeagueCommands, no_args_is_help=True)


@app.callback()
def league() -> None:
    """Create leagues, change them, and show what they are."""
