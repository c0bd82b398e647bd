"""`arena league extend`."""

from typing import Annotated

import typer

from arena.cli.changing import make_change
from arena.cli.options import DEFAULT_STORE, ChangedLeague, StoreOption


def extend(
    league: ChangedLeague,
    matches: Annotated[int | None, typer.Option("--matches", min=1, help="This many more matches.")] = None,
    games: Annotated[int | None, typer.Option("--games", min=1, help="This many more games.")] = None,
    minutes: Annotated[
        float | None, typer.Option("--minutes", min=0.001, help="This many more minutes.")
    ] = None,
    rounds: Annotated[int | None, typer.Option("--rounds", min=1, help="This many more rounds.")] = None,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Raise the budget of a league, or its number of rounds; a finished league can then go on."""
    from arena.league.changes.commands import Extend

    make_change(store, Extend(league, matches or 0, games or 0, minutes or 0, rounds or 0))


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("extend")(extend)
