"""`arena export-site`."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.messages import say, warn
from arena.cli.open_store import reading
from arena.cli.options import DEFAULT_STORE, StoreOption, naming_store
from results.base.text import counted


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
    from arena.cli.display.live import busy
    from arena.web.public.export import export

    with reading(store) as opened, busy("writing pages") as work:
        damaged: list[str] = []
        pages = export(opened, folder, matches, work.take, damaged.append)
    if damaged:
        first = f"such as {damaged[0]}" if len(damaged) > 1 else damaged[0]
        warn(
            f"{counted(len(damaged), 'game')} can't be shown because the replay is damaged: {first}; "
            f"arena db verify{naming_store(store)} lists all damage"
        )
    say(f"wrote {counted(pages, 'page')}; open {folder.absolute() / 'index.html'}")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("export-site")(export_site)
