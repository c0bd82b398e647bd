"""`arena league pause`."""

from typing import Annotated

import typer

from arena.cli.changing import make_change
from arena.cli.options import DEFAULT_STORE, ChangedLeague, StoreOption


def pause(
    league: ChangedLeague,
    bot: Annotated[
        str | None,
        typer.Argument(help="The bot, by its name in the league; default: the whole league pauses."),
    ] = None,
    why: Annotated[str, typer.Option("--why", help="The reason, for `arena status`.")] = "",
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Pause a bot, or a whole league; planned matches are still played."""
    from arena.league.changes.commands import Pause

    make_change(store, Pause(league, bot, why))


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("pause")(pause)
