"""`arena bots`."""

from typing import Annotated

import typer

from arena.cli.display.tables import Column, Format, FormatOption, list_rows
from arena.cli.open_store import DEFAULT_STORE, StoreOption, reading
from results.clock import to_the_second

COLUMNS = (
    Column("bot", "bot", priority=0),
    Column("version", "version", right=True, priority=1),
    Column("sha256", "hash", priority=7),
    Column("games", "games", wide=True, priority=4),
    Column("deterministic", "deterministic", priority=6),
    Column("added_at", "added", priority=5),
    Column("description", "description", wide=True, priority=3),
)


def bots(
    every: Annotated[
        bool, typer.Option("--all", "-a", help="Show every version, not only the newest.")
    ] = False,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """List the bots in the store: submitted ones, and those that leagues took in from folders."""
    with reading(store) as opened:
        versions = opened.versions.all()
    newest = {(version.author, version.bot): version.number for version in versions}
    rows = [
        {
            "bot": f"{version.author}/{version.bot}",
            "version": version.number,
            "sha256": version.sha256[:12] if form is Format.TABLE else version.sha256,
            "games": ", ".join(version.manifest.get("games", ())),
            "deterministic": version.deterministic,
            "added_at": version.added_at[:10] if form is Format.TABLE else to_the_second(version.added_at),
            "description": version.manifest.get("description", ""),
        }
        for version in versions
        if every or version.number == newest[version.author, version.bot]
    ]
    list_rows(COLUMNS, rows, form, f"bots in {store}", "no bots yet: arena submit FOLDER")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("bots")(bots)
