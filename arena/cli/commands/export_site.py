"""`arena export-site`."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.messages import counted, say
from arena.cli.open_store import reading
from arena.cli.options import DEFAULT_STORE, StoreOption


def export_site(
    folder: Annotated[Path, typer.Argument(help="The folder to write. One written before is replaced.")],
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Write the pages of a store as a folder, for any web host, or to open from disk."""
    from arena.web.export import export

    with reading(store) as opened:
        pages = export(opened, folder)
    say(f"wrote {counted(pages, 'page')}; open {folder.absolute() / 'index.html'}")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("export-site")(export_site)
