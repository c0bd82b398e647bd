"""`arena league placing`, and the same table where a league's status or end is shown."""

from typing import TYPE_CHECKING, Any

from arena.cli.commands.rankings import LeagueArgument
from arena.cli.display.tables import Column, Format, FormatOption, console, list_rows, print_table
from arena.cli.open_store import DEFAULT_STORE, StoreOption, reading

if TYPE_CHECKING:
    from results.records import LeagueRecord
    from results.store import Store

COLUMNS = (
    Column("place", "#", right=True, priority=1),
    Column("label", "bot", priority=0),
    Column("points", "points", 2, priority=2),
    Column("byes", "byes", right=True, priority=4),
    Column("note", "how", wide=True, priority=3),
)


def placing_rows(store: "Store", league: "LeagueRecord") -> list[dict[str, Any]]:
    """Return where entries stand by the format of their league, best first; nothing where it has no such order."""
    from arena.league.format_ranking import format_ranking

    labels = {entry.entry_no: entry.label for entry in store.entries.all(league.uuid)}
    return [
        {
            "place": placed.place,
            "label": labels[placed.entry],
            "points": placed.points,
            "byes": placed.byes,
            "note": placed.note,
        }
        for placed in format_ranking(store, league)
    ]


def print_placing(store: "Store", league: "LeagueRecord") -> None:
    """Print the order of a league's format as a table, where it has one."""
    if rows := placing_rows(store, league):
        print_table(console(), COLUMNS, rows, _heading(league))


def placing(
    name: LeagueArgument = None,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """Show where bots stand by the league's own format: Swiss points and tie-breaks, how far in an elimination."""
    with reading(store) as opened:
        league = opened.leagues.get(name)
        rows = placing_rows(opened, league)
        empty = f"{league.name}: a format without an order of its own; see: arena rankings"
        list_rows(COLUMNS, rows, form, _heading(league), empty)


def _heading(league: "LeagueRecord") -> str:
    from arena.league.setting import DEFAULT_SCHEDULE

    kind = league.config.get("schedule", {}).get("kind", DEFAULT_SCHEDULE)
    return f"{league.name}: by its format, {kind}"
