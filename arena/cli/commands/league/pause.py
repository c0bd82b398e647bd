"""`arena league pause`."""

from typing import Annotated

import typer

from arena.cli.changing import entry_named, make_change
from arena.cli.options import DEFAULT_STORE, ENTRY, ChangedLeague, StoreOption


def pause(
    league: ChangedLeague,
    bot: Annotated[
        str | None,
        typer.Argument(help=f"The bot, {ENTRY}; default: the whole league pauses."),
    ] = None,
    why: Annotated[str, typer.Option("--why", help="The reason, for `arena status`.")] = "",
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Pause a bot, or a whole league; planned matches are still played."""
    from arena.league.changes.commands import Pause

    entry = None if bot is None else entry_named(store, league, bot)
    make_change(store, Pause(league, entry, why))


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("pause")(pause)
