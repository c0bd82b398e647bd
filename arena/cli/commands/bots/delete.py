"""`arena bots delete`."""

import sys
from typing import Annotated

import typer

from arena.cli.changing import make_change
from arena.cli.commands.bots.version_argument import VersionArgument
from arena.cli.open_store import reading
from arena.cli.options import DEFAULT_STORE, StoreOption


def delete(
    version: VersionArgument,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")] = False,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Delete a version and its files. Refused if a league, match or comparison holds it.

    Its number is not given to another version.
    """
    from arena.core.errors import UsageError
    from arena.league.changes.deleting import DeleteVersion, check_unheld

    with reading(store) as opened:
        found = opened.versions.find(version)
        check_unheld(opened, found)
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError(
                f"{found.reference} isn't deleted without a yes, and there is no terminal to ask at",
                "to delete it without being asked, add --yes",
            )
        typer.confirm(
            f"Delete {found.reference} ({found.sha256[:12]}) with its files? This can't be undone.",
            abort=True,
            err=True,
        )
    make_change(store, DeleteVersion(found.reference, found.sha256))
