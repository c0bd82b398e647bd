"""`arena league season`."""

from typing import Annotated

import typer

from arena.cli.changing import make_change
from arena.cli.options import DEFAULT_STORE, ChangedLeague, StoreOption


def season(
    league: ChangedLeague,
    matches: Annotated[
        int, typer.Option("--matches", min=1, help="How many matches of the final each bot plays at least.")
    ] = 20,
    name: Annotated[
        str | None, typer.Option("--next", help="Name of the next season; default: this one's with a number.")
    ] = None,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """End the season of a ladder with a final, and begin the next.

    From the next match on, nobody joins or leaves. After the final the league is finished, and a new one begins with
    the same bots, from their ratings.
    """
    from arena.league.changes.commands import Season

    make_change(store, Season(league, matches, name))


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("season")(season)
