"""`arena export-site`."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.messages import counted, say
from arena.cli.open_store import reading
from arena.cli.options import DEFAULT_STORE, StoreOption


def export_site(
    folder: Annotated[
        Path,
        typer.Argument(
            help="The folder to write: a new one, or one written before, which is replaced except for files of yours."
        ),
    ],
    matches: Annotated[
        int,
        typer.Option(
            "--matches",
            "-m",
            min=0,
            help="Of each league, only so many of the latest matches have pages, with their games; 0 for all.",
        ),
    ] = 200,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Write the pages of a store as a folder, for any web host, or to open from disk."""
    from arena.cli.display.live_export import LiveExport
    from arena.web.export import export

    with reading(store) as opened, LiveExport() as live:
        pages = export(opened, folder, matches, live.take)
    say(f"wrote {counted(pages, 'page')}; open {folder.absolute() / 'index.html'}")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("export-site")(export_site)
