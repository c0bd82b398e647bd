"""`arena league reveal`."""

import typer

from arena.cli.open_store import writing
from arena.cli.options import DEFAULT_STORE, LeagueArgument, StoreOption


def reveal(name: LeagueArgument = None, store: StoreOption = DEFAULT_STORE) -> None:
    """Make the secret of a finished league public, for audits of its deals; it cannot go on after that."""
    with writing(store, create=False) as opened:
        league = opened.leagues.get(name)
        secret = opened.leagues.reveal(league.uuid)
    typer.echo(secret.hex())
