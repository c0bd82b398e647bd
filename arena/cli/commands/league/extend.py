"""`arena league extend`."""

from typing import Annotated

import typer

from arena.cli.changing import make_change
from arena.cli.options import DEFAULT_STORE, ChangedLeague, StoreOption


def extend(
    league: ChangedLeague,
    matches: Annotated[int, typer.Option("--matches", min=1, help="This many more matches.")] = 0,
    games: Annotated[int, typer.Option("--games", min=1, help="This many more games.")] = 0,
    minutes: Annotated[float, typer.Option("--minutes", min=0, help="This many more minutes.")] = 0,
    rounds: Annotated[int, typer.Option("--rounds", min=1, help="This many more rounds.")] = 0,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Raise the budget of a league, or its number of rounds; a finished league can then go on."""
    from arena.league.changes.commands import Extend

    make_change(store, Extend(league, matches, games, minutes, rounds))
