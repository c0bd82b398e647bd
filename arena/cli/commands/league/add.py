"""`arena league add`."""

from typing import Annotated

import typer

from arena.cli.changing import make_change
from arena.cli.options import DEFAULT_STORE, ChangedLeague, StoreOption


def add(
    league: ChangedLeague,
    bot: Annotated[
        str,
        typer.Argument(
            help="A submitted bot: `name`, `author/name`, `name@2` or the start of its hash; or one that comes with "
            "Arena, such as `bots/any_game/random`."
        ),
    ],
    label: Annotated[
        str | None, typer.Option("--label", "-l", help="Its name in this league; default: the bot's own.")
    ] = None,
    arg: Annotated[
        list[str] | None, typer.Option("--arg", help="An argument for the bot's command; may be repeated.")
    ] = None,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Let a submitted bot, or one of Arena, join a league, also while the league runs."""
    from arena.league.changes.commands import Add

    make_change(store, Add(league, bot, label, tuple(arg or ())))


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("add")(add)
