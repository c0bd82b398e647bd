"""`arena league rename`."""

from typing import Annotated

import typer

from arena.cli.changing import make_change
from arena.cli.options import DEFAULT_STORE, ChangedLeague, StoreOption


def rename(
    league: ChangedLeague,
    name: Annotated[str, typer.Argument(help="The new name.")],
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Give a league another name."""
    from arena.league.changes.commands import Rename

    make_change(store, Rename(league, name))


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("rename")(rename)
