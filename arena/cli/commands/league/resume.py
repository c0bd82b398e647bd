"""`arena league resume`."""

from typing import Annotated

import typer

from arena.cli.changing import make_change
from arena.cli.options import DEFAULT_STORE, ChangedLeague, StoreOption


def resume(
    league: ChangedLeague,
    bot: Annotated[
        str | None,
        typer.Argument(help="The bot, by its name in the league; default: the whole league resumes."),
    ] = None,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """End the pause of a bot, or of a whole league."""
    from arena.league.changes.commands import Resume

    make_change(store, Resume(league, bot))


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("resume")(resume)
