"""`arena league replace`."""

from typing import Annotated

import typer

from arena.cli.changing import entry_named, make_change
from arena.cli.options import ANY_BOT, DEFAULT_STORE, ChangedEntry, ChangedLeague, StoreOption
from arena.cli.submitting import submitted_name


def replace(
    league: ChangedLeague,
    bot: ChangedEntry,
    version: Annotated[
        str | None,
        typer.Argument(help=f"What takes over: {ANY_BOT}. Default: the bot's newest version."),
    ] = None,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Let a new version of a bot take over from the one that plays.

    A bot in a folder or archive is submitted first, as `arena submit` does it, unless it has been.

    It starts at the old version's rating, less certain than that was. The games of the old version stay.
    """
    from arena.league.changes.commands import Replace

    new = None if version is None else submitted_name(store, league, version)
    make_change(store, Replace(league, entry_named(store, league, bot), new))


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("replace")(replace)
