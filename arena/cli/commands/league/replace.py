"""`arena league replace`."""

from typing import Annotated

import typer

from arena.cli.changing import make_change
from arena.cli.options import DEFAULT_STORE, ChangedEntry, ChangedLeague, StoreOption


def replace(
    league: ChangedLeague,
    bot: ChangedEntry,
    version: Annotated[
        str | None, typer.Argument(help="The version that takes over; default: the bot's newest.")
    ] = None,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Let a new version of a bot take over from the one that plays.

    It starts at the old version's rating, less certain than that was. The games of the old version stay.
    """
    from arena.league.changes.commands import Replace

    make_change(store, Replace(league, bot, version))


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("replace")(replace)
