"""`arena league retire`."""

import typer

from arena.cli.changing import entry_named, make_change
from arena.cli.options import DEFAULT_STORE, ChangedEntry, ChangedLeague, StoreOption


def retire(
    league: ChangedLeague,
    bot: ChangedEntry,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Take a bot out of a league for good.

    Its games stay, and so does its place in the rankings, marked as retired.
    """
    from arena.league.changes.commands import Retire

    make_change(store, Retire(league, entry_named(store, league, bot)))


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("retire")(retire)
