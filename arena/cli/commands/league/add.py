"""`arena league add`."""

from typing import Annotated

import typer

from arena.cli.changing import make_change, start_joining
from arena.cli.options import DEFAULT_STORE, AnyBot, ChangedLeague, StoreOption
from arena.cli.submitting import submitted_name


def add(
    league: ChangedLeague,
    bot: AnyBot,
    label: Annotated[
        str | None, typer.Option("--label", "-l", help="Its name in this league; default: the bot's own.")
    ] = None,
    arg: Annotated[
        list[str] | None, typer.Option("--arg", help="An argument for the bot's command; may be repeated.")
    ] = None,
    store: StoreOption = DEFAULT_STORE,
    only_start: Annotated[bool, typer.Option("--only-start", hidden=True)] = False,
) -> None:
    """Let a bot join a league, also while the league runs.

    A bot in a folder or archive is submitted first, as `arena submit` does it, unless it has been.
    """
    from arena.league.changes.commands import Add

    args = tuple(arg or ())
    if only_start:
        start_joining(store, league, bot, args)
        return
    name = submitted_name(store, league, bot)
    start_joining(store, league, name, args)
    make_change(store, Add(league, name, label, args))


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("add")(add)
