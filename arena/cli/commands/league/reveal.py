"""`arena league reveal`."""

import typer

from arena.cli.open_store import writing
from arena.cli.options import DEFAULT_STORE, LeagueArgument, StoreOption


def reveal(name: LeagueArgument = None, store: StoreOption = DEFAULT_STORE) -> None:
    """Publish the secret of a finished league, so that its deals can be audited. The league can't continue then."""
    with writing(store, create=False) as opened:
        league = opened.leagues.get(name)
        secret = opened.leagues.reveal(league.uuid)
    typer.echo(secret.hex())
