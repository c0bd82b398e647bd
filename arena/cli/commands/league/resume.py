"""`arena league resume`."""

from typing import Annotated

import typer

from arena.cli.changing import entry_named, make_change
from arena.cli.options import DEFAULT_STORE, ENTRY, ChangedLeague, StoreOption


def resume(
    league: ChangedLeague,
    bot: Annotated[
        str | None,
        typer.Argument(help=f"The bot, {ENTRY}; default: the whole league resumes."),
    ] = None,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """End the pause of a bot, or of a whole league."""
    from arena.league.changes.commands import Resume

    entry = None if bot is None else entry_named(store, league, bot)
    make_change(store, Resume(league, entry))


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("resume")(resume)
