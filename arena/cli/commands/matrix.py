"""`arena matrix`."""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.cells import cell_len
from rich.table import Table

from arena.cli.commands.rankings import LeagueArgument, heading
from arena.cli.display.tables import Column, Format, FormatOption, console, list_rows, print_line, say, table
from arena.cli.open_store import DEFAULT_STORE, StoreOption, reading
from results.escaping import one_line

if TYPE_CHECKING:
    from results.query_rows import HeadToHead
    from results.records import LeagueRecord
    from results.store import Store

MOST_WITH_INTERVALS = 8
"""Entries whose cells have room for the interval; of more, only the figure and its star are shown."""
MOST_SHOWN = 40
"""Of more entries the table has the first so many."""
ROWS_AT_A_TIME = 64
"""Entries whose pairs are read together, so that a large field needs no room."""
LEAST_ACROSS = 4
"""Where names leave room for fewer columns than this, they are listed above the table instead."""

COLUMNS = tuple(
    Column(key, key)
    for key in ("bot", "opponent", "played", "above", "tied", "below", "share", "low", "high")
)


class By(StrEnum):
    """What is counted."""

    MATCHES = "matches"
    GAMES = "games"


def pair_rows(
    store: "Store", league: "LeagueRecord", by: By, shown: int | None = None
) -> Iterator[dict[str, Any]]:
    """Yield every bot against every other that it met, in the order of the rankings; shares in percent.

    `shown`: only the first so many bots among themselves.
    """
    from results.statistics import wilson

    standings = store.ratings.standings(league.uuid)[:shown]
    labels = {row.entry_no: row.label for row in standings}
    place = {row.entry_no: i for i, row in enumerate(standings)}
    order = list(place)
    for start in range(0, len(order), ROWS_AT_A_TIME):
        pairs = store.totals.head_to_head(league.uuid, order[start : start + ROWS_AT_A_TIME])
        pairs = [pair for pair in pairs if pair.opponent_no in place]
        for pair in sorted(pairs, key=lambda pair: (place[pair.entry_no], place[pair.opponent_no])):
            played, above, tied = _counts(pair, by)
            interval = wilson(above + tied / 2, played)
            if interval is None:
                continue
            yield {
                "bot": labels[pair.entry_no],
                "opponent": labels[pair.opponent_no],
                "played": played,
                "above": above,
                "tied": tied,
                "below": played - above - tied,
                "share": 100 * interval.middle,
                "low": 100 * interval.low,
                "high": 100 * interval.high,
                "sure": interval.is_one_sided,
            }


def _counts(pair: "HeadToHead", by: By) -> tuple[int, int, int]:
    if by is By.GAMES:
        return pair.games, pair.games_above, pair.games_tied
    return pair.matches, pair.matches_above, pair.matches_tied


@dataclass(frozen=True, slots=True)
class Grid:
    """The matrix as it is shown."""

    rows: Sequence[dict[str, Any]]
    """As `pair_rows` gives them."""
    labels: Sequence[str]
    """Of the bots, in order."""

    @property
    def is_roomy(self) -> bool:
        """Whether cells have intervals."""
        return len(self.labels) <= MOST_WITH_INTERVALS

    def columns(self, across: Iterable[int], *, named: bool) -> list[Column]:
        """Return the columns for these bots, headed by names or else by the numbers of their rows."""
        titles = {i: self.labels[i] if named else str(i + 1) for i in across}
        return [Column(str(i), title, right=True, priority=0) for i, title in titles.items()]

    def lines(self) -> list[dict[str, str]]:
        """Return a line for each bot: its number, its name, and a cell for each other by number."""
        cells = {(row["bot"], row["opponent"]): row for row in self.rows}
        return [
            {
                "place": str(number),
                "name": label,
                **{
                    str(i): "· " if other == label else _cell(cells.get((label, other)), self.is_roomy)
                    for i, other in enumerate(self.labels)
                },
            }
            for number, label in enumerate(self.labels, 1)
        ]

    def tables(self, width: int) -> Iterator[Table]:
        """Yield tables no wider than `width`, one below the other.

        Columns bear names where all fit side by side, else the numbers of the rows. Where names are so long that
        few columns fit beside them, they stand above, with their numbers.
        """
        lines = self.lines()
        longest = max(cell_len(one_line(label)) for label in self.labels)
        numbers = len(str(len(self.labels))) + GAP
        of_cell = GAP + max(len(text) for line in lines for key, text in line.items() if key != "name")
        room = width - EDGES - numbers
        beside_names = room - (longest + GAP)
        named = self.is_roomy and len(self.labels) * (max(of_cell, longest + GAP)) <= beside_names
        at_once = len(self.labels) if named else beside_names // of_cell
        heads = [Column("place", "#", right=True, priority=0), Column("name", "bot", priority=0)]
        if at_once < min(LEAST_ACROSS, len(self.labels)):
            yield table(heads, lines, width)
            heads = heads[:1]
            at_once = max(1, room // of_cell)
        for start in range(0, len(self.labels), at_once):
            across = range(start, min(start + at_once, len(self.labels)))
            yield table([*heads, *self.columns(across, named=named)], lines, width)


EDGES, GAP = 2, 1
"""Cells that the box of a table draws at its ends, and between columns at least."""


def _cell(row: dict[str, Any] | None, roomy: bool) -> str:
    """Return how often the row's bot finished above, in percent, starred where that is surely not one half."""
    if row is None:
        return ""
    text = f"{row['share']:.0f}"
    if roomy:
        text += f"±{(row['high'] - row['low']) / 2:.0f}"
    return text + ("*" if row["sure"] else " ")


def matrix(
    name: LeagueArgument = None,
    by: Annotated[
        By, typer.Option("--by", help="What counts once: a match (all games on one deal) or each game.")
    ] = By.MATCHES,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """Show who finished above whom, in percent, ties as halves, with 95 % intervals.

    Rows and columns are in the order of the rankings; a star marks what is surely more or less than one half.
    """
    with reading(store) as opened:
        league = opened.leagues.get(name)
        if form in (Format.CSV, Format.JSON):
            list_rows(COLUMNS, pair_rows(opened, league, by), form)
            return
        rows = list(pair_rows(opened, league, by, MOST_SHOWN))
        met = {row["bot"] for row in rows}
        bots = [row.label for row in opened.ratings.standings(league.uuid) if row.matches]
        grid = Grid(rows, [label for label in bots[:MOST_SHOWN] if label in met])
        if form is Format.MD:
            heads = Column("place", "#", right=True), Column("name", "bot")
            across = grid.columns(range(len(grid.labels)), named=grid.is_roomy)
            list_rows((*heads, *across), grid.lines(), form)
        elif not rows:
            say(f"{league.name}: no match is in the rankings yet")
        else:
            out = console()
            print_line(out, heading(opened, league), "bold")
            print_line(out, f"finished above, % of {by.value}")
            for drawn in grid.tables(out.width):
                out.print(drawn)
        if len(bots) > MOST_SHOWN:
            command = shlex.join(["arena", "matrix", league.name, "--format", "csv"])
            say(f"the first {MOST_SHOWN} of {len(bots)} bots; all of them: {command}")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("matrix")(matrix)
