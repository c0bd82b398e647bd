"""`arena league clone`."""

from typing import Annotated

import typer

from arena.cli.changing import make_change
from arena.cli.options import DEFAULT_STORE, ChangedLeague, StoreOption


def clone(
    league: ChangedLeague,
    name: Annotated[str, typer.Argument(help="The name of the copy.")],
    seed: Annotated[
        int | None,
        typer.Option("--seed", help="Another seed; default: the league file's, or a sealed secret."),
    ] = None,
    inherit: Annotated[
        bool, typer.Option("--inherit", help="Start ratings where those of the league are, less certain.")
    ] = False,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Create a league like another one, with the bots that still play there."""
    from arena.league.changes.commands import Clone

    make_change(store, Clone(league, name, seed, inherit))


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("clone")(clone)
