"""`arena league delete`."""

from typing import Annotated

import typer

from arena.cli.changing import make_change
from arena.cli.confirming import confirm_deletion
from arena.cli.open_store import reading
from arena.cli.options import DEFAULT_STORE, ChangedLeague, StoreOption
from results.counting import counted


def delete(
    league: ChangedLeague,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")] = False,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Delete a league with all its games. Bots and their versions stay."""
    from arena.league.changes.commands import Delete

    with reading(store) as opened:
        games = opened.leagues.progress(opened.leagues.get(league).uuid).games_done
    confirm_deletion(league, f"with its {counted(games, 'game')}", yes=yes)
    make_change(store, Delete(league))


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("delete")(delete)
