"""`arena league events`."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.display.tables import Format, list_rows
from arena.cli.messages import say
from arena.cli.open_store import reading
from arena.cli.options import DEFAULT_STORE, FormatOption, LeagueArgument, StoreOption
from arena.cli.output_files import write_file
from results.reports.leagues import EVENT_COLUMNS, EventRow, event_rows


def events(
    name: LeagueArgument = None,
    export: Annotated[
        Path | None,
        typer.Option(
            "--export",
            metavar="FILE",
            help="Write everything that the league's table follows from to this file (.jsonl).",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Overwrite the file if it exists.")] = False,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """Show what has changed in a league: who joined, left or was paused, and from which match on.

    `--export` writes a file from which `arena league create` makes a league that plays the same matches again.
    """
    with reading(store) as opened:
        league = opened.leagues.get(name)
        if export is None:
            rows = event_rows(opened, league)
            list_rows(EventRow, EVENT_COLUMNS, rows, form, f"events of {league.name}", "no events yet")
            return
        from arena.league.event_file import exported

        lines = list(exported(opened, league))
    write_file(export, b"".join(lines).decode(), force=force)
    again = f"play them again with: arena league create {shlex.quote(str(export))} --name NEW"
    if league.sealed and not league.revealed:
        again = "to play them again, reveal the secret when the league is over, and export anew"
    say(f"wrote the {len(lines) - 1} events of {league.name} to {export}; {again}")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("events")(events)
