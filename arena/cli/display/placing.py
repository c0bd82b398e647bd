"""The ranking by a league's format, as a table."""

from typing import TYPE_CHECKING

from arena.cli.consoles import console
from arena.cli.display.live import busy
from arena.cli.display.tables import print_table
from results.reports.columns import Column, ReportRow

if TYPE_CHECKING:
    from results.records import LeagueRecord
    from results.store import Store


class PlacingRow(ReportRow, frozen=True, kw_only=True):
    """One entry in the ranking by its league's format."""

    place: int
    """From 1."""
    label: str
    points: float
    byes: int
    note: str
    """The reason for its place, in words."""


COLUMNS = (
    Column("place", "#", right=True, priority=1),
    Column("label", "bot", priority=0),
    Column("points", "points", 2, priority=2),
    Column("byes", "byes", right=True, priority=4),
    Column("note", "how", wide=True, priority=3),
)


def placing_rows(store: "Store", league: "LeagueRecord") -> list[PlacingRow]:
    """Return the ranking by the league's format, best first; nothing if the format has no ranking."""
    from arena.league.definition.stored import format_ranking

    with busy("ranking by the format"):
        ranked = format_ranking(store, league)
    labels = {entry.entry_no: entry.label for entry in store.entries.all(league.uuid)}
    return [
        PlacingRow(
            place=placed.place,
            label=labels[placed.entry],
            points=placed.points,
            byes=placed.byes,
            note=placed.note,
        )
        for placed in ranked
    ]


def print_placing(store: "Store", league: "LeagueRecord") -> None:
    """Print the ranking by the league's format as a table, if it has one."""
    if rows := placing_rows(store, league):
        print_table(console(), COLUMNS, rows, heading(league))


def heading(league: "LeagueRecord") -> str:
    """Return the line above the table."""
    from arena.config.league_file import DEFAULT_SCHEDULE

    kind = league.config.get("schedule", {}).get("kind", DEFAULT_SCHEDULE)
    return f"{league.name}: by its format, {kind}"
