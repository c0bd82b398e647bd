"""`arena bots delete`."""

from typing import Annotated

import typer

from arena.cli.open_store import reading
from arena.cli.options import DEFAULT_STORE, AnyBot, StoreOption
from arena.cli.runner import confirm_deletion, make_change
from arena.cli.stored_names import find_version


def delete(
    version: AnyBot,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")] = False,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Delete a version and its files. Refused if a league, match or comparison holds it.

    Its number is not given to another version.
    """
    from arena.league.changes.versions import DeleteVersion, check_unheld

    with reading(store) as opened:
        found = find_version(opened, version)
        check_unheld(opened, found)
    confirm_deletion(found.reference, f"({found.sha256[:12]}) with its files", yes=yes)
    make_change(store, DeleteVersion(found.reference, found.sha256))


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("delete")(delete)
