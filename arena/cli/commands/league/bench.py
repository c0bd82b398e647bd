"""`arena league bench`."""

from typing import Annotated

import typer

from arena.cli.changing import entry_named, make_change
from arena.cli.options import DEFAULT_STORE, ChangedEntry, ChangedLeague, StoreOption


def bench(
    league: ChangedLeague,
    bot: ChangedEntry,
    why: Annotated[
        str, typer.Option("--why", "--reason", help="The reason, for `arena status` and the rankings.")
    ] = "",
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Don't start a bot any more, from the next match that isn't planned.

    On a ladder it gets no more matches. In a round robin or a gauntlet its matches stay, and it forfeits them, also in
    the round being played. Until `arena league unbench`, no new version can take over from it.
    """
    from arena.league.changes.commands import Bench

    make_change(store, Bench(league, entry_named(store, league, bot), why))


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("bench")(bench)
