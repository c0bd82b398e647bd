"""`arena league replace`."""

from typing import Annotated

import typer

from arena.cli.changing import entry_named, make_change, start_joining
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
    only_start: Annotated[bool, typer.Option("--only-start", hidden=True)] = False,
) -> None:
    """Let a new version of a bot take over from the one that plays.

    A bot in a folder or archive is submitted first, as `arena submit` does it, unless it has been.

    It starts at the old version's rating, less certain than that was. The games of the old version stay.
    """
    from arena.league.changes.commands import Replace

    if only_start:
        start_joining(store, league, version, entry=bot)
        return
    new = None if version is None else submitted_name(store, league, version)
    entry = entry_named(store, league, bot)
    start_joining(store, league, new, entry=entry)
    make_change(store, Replace(league, entry, new))


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("replace")(replace)
