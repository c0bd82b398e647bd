"""`arena league reveal`."""

import typer

from arena.cli.changing import make_change
from arena.cli.open_store import reading
from arena.cli.options import DEFAULT_STORE, LeagueArgument, StoreOption


def reveal(name: LeagueArgument = None, store: StoreOption = DEFAULT_STORE) -> None:
    """Publish the secret of a finished league, so that its deals can be audited. The league can't continue then."""
    from arena.league.changes.commands import Reveal

    with reading(store) as opened:
        league = opened.leagues.get(name)
    make_change(store, Reveal(league.name))


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("reveal")(reveal)
