"""`arena league placing`."""

import typer

from arena.cli.display.placing import COLUMNS, PlacingRow, heading, placing_rows
from arena.cli.display.tables import Format, list_rows
from arena.cli.open_store import reading
from arena.cli.options import DEFAULT_STORE, FormatOption, LeagueArgument, StoreOption


def placing(
    name: LeagueArgument = None,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """Show the ranking by the league's format, such as Swiss points or elimination rounds."""
    with reading(store) as opened:
        league = opened.leagues.get(name)
        rows = placing_rows(opened, league)
        empty = f"{league.name}: this format has no ranking of its own; see: arena rankings"
        list_rows(PlacingRow, COLUMNS, rows, form, heading(league), empty)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("placing")(placing)
