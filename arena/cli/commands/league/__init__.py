"""`arena league`: creates leagues, changes them, and shows what they are."""

from typing import ClassVar

import typer

from arena.cli.base.lazy_group import LazyGroup


class _LeagueCommands(LazyGroup):
    package = "arena.cli.commands"
    modules: ClassVar = {
        "create": "league.create",
        "run": "run:run_league",
        "status": "league.status",
        **dict.fromkeys(
            ("add", "replace", "retire", "pause", "resume", "bench", "unbench"), "league.change_commands"
        ),
        **dict.fromkeys(
            ("extend", "season", "rank", "clone", "rename", "delete", "reveal"), "league.change_commands"
        ),
        **dict.fromkeys(("events", "audit"), "league.status"),
    }


app = typer.Typer(cls=_LeagueCommands, no_args_is_help=True)


@app.callback()
def league() -> None:
    """Create leagues from TOML files, run them, and check their status."""
