"""Which rows of the rankings are shown: the first ones, those around a bot, or only bots that play."""

from typing import NamedTuple

from msgspec import structs

from results.errors import UnknownEntry
from results.reports.ranking_table import RankingRow, Rankings

NEIGHBOURS = 5
"""Rows above and below a bot that are shown with it."""
MOST_IN_A_TERMINAL = 100
"""Rows shown in a terminal unless more are asked for."""


class Choice(NamedTuple):
    """Which rows were asked for."""

    active: bool = False
    """Only bots that play."""
    top: int | None = None
    """At most so many, from the first on."""
    around: str | None = None
    """A bot's label: it, and those next to it."""


def chosen(rankings: Rankings, choice: Choice, *, in_a_terminal: bool) -> tuple[Rankings, str]:
    """Return the rankings with the rows asked for, and what is left out, in words; empty if it was asked for.

    Raises UnknownEntry if no row has the label `around`.
    """
    rows = rankings.rows
    if choice.active:
        rows = tuple(row for row in rows if row.state == "active")
    note = ""
    count = len(rows)
    if choice.around is not None:
        rows = _around(rows, choice.around)
    elif choice.top is not None:
        rows = rows[: choice.top]
    elif in_a_terminal and count > MOST_IN_A_TERMINAL:
        rows = rows[:MOST_IN_A_TERMINAL]
        note = f"{len(rows)} of {count:,} bots: --top {count} shows all, --around BOT shows a bot and those next to it"
    return structs.replace(rankings, rows=rows), note


def _around(rows: tuple[RankingRow, ...], label: str) -> tuple[RankingRow, ...]:
    """Return the row with a label, and those next to it."""
    place = next((place for place, row in enumerate(rows) if row.label == label), None)
    if place is None:
        raise UnknownEntry("entry", label, [row.label for row in rows])
    return rows[max(0, place - NEIGHBOURS) : place + NEIGHBOURS + 1]
