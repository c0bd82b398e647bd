"""`arena league unbench`."""

import typer

from arena.cli.changing import entry_named, make_change
from arena.cli.options import DEFAULT_STORE, ChangedEntry, ChangedLeague, StoreOption


def unbench(
    league: ChangedLeague,
    bot: ChangedEntry,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Let a benched bot play again.

    A bot is benched for thinking on others' time, or by `arena league bench`. The faults so far are forgiven.
    """
    from arena.league.changes.commands import Unbench

    make_change(store, Unbench(league, entry_named(store, league, bot)))


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("unbench")(unbench)
