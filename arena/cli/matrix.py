"""`arena matrix`."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from arena.cli.rankings import LeagueArgument, heading
from arena.cli.storing import DEFAULT_STORE, StoreOption, reading
from arena.cli.terminal import Column, Format, FormatOption, console, list_rows, print_line, say, table

if TYPE_CHECKING:
    from results.records import LeagueRecord
    from results.reports import HeadToHead
    from results.store import Store

MOST_WITH_INTERVALS = 8
"""Entries whose cells have room for the interval; of more, only the figure and its star are shown."""

WIDEST_NAME = 16

COLUMNS = tuple(
    Column(key, key)
    for key in ("bot", "opponent", "played", "above", "tied", "below", "share", "low", "high")
)


class By(StrEnum):
    """What is counted."""

    MATCHES = "matches"
    GAMES = "games"


def pair_rows(store: "Store", league: "LeagueRecord", by: By) -> list[dict[str, Any]]:
    """Return every bot against every other that it met, in the order of the rankings; shares in percent."""
    from results.statistics import wilson

    order = [row.entry_no for row in store.standings(league.uuid)]
    labels = {row.entry_no: row.label for row in store.standings(league.uuid)}
    place = {entry: i for i, entry in enumerate(order)}
    pairs = sorted(
        store.head_to_head(league.uuid), key=lambda pair: (place[pair.entry_no], place[pair.opponent_no])
    )
    rows = []
    for pair in pairs:
        played, above, tied = _counts(pair, by)
        interval = wilson(above + tied / 2, played)
        if interval is None:
            continue
        rows.append(
            {
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
        )
    return rows


def _counts(pair: "HeadToHead", by: By) -> tuple[int, int, int]:
    if by is By.GAMES:
        return pair.games, pair.games_above, pair.games_tied
    return pair.matches, pair.matches_above, pair.matches_tied


def tables(rows: Sequence[dict[str, Any]], labels: Sequence[str], width: int) -> Iterator[Table]:
    """Return the matrix as tables that are no wider than `width`, one below the other.

    `labels`: of the bots in order. Columns bear them where all fit side by side, else the numbers of the rows.
    """
    cells = {(row["bot"], row["opponent"]): row for row in rows}
    roomy = len(labels) <= MOST_WITH_INTERVALS
    longest = max(map(len, labels))
    name_width = min(WIDEST_NAME, longest)
    # The box draws one cell at either end, and each column has a gap of two.
    room = width - 2 - (len(str(len(labels))) + 2) - (name_width + 2)
    cell_width = 6 if roomy else 3
    is_named = roomy and len(labels) * (max(cell_width, longest) + 2) <= room
    at_once = len(labels) if is_named else max(1, room // (cell_width + 2))
    for start in range(0, len(labels), at_once):
        across = range(start, min(start + at_once, len(labels)))
        columns = [Column("place", "#", right=True), Column("name", "bot")]
        columns += [Column(str(i), labels[i] if is_named else str(i + 1), right=True) for i in across]
        lines = [
            {
                "place": number,
                "name": label if len(label) <= name_width else label[: name_width - 1] + "…",
                **{
                    str(i): "· " if labels[i] == label else _cell(cells.get((label, labels[i])), roomy)
                    for i in across
                },
            }
            for number, label in enumerate(labels, 1)
        ]
        yield table(columns, lines)


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
        league = opened.league(name)
        rows = pair_rows(opened, league, by)
        if form is not Format.TABLE:
            list_rows(COLUMNS, rows, form)
            return
        if not rows:
            say(f"{league.name}: no match is in the rankings yet")
            return
        met = {row["bot"] for row in rows}
        labels = [row.label for row in opened.standings(league.uuid) if row.label in met]
        out = console()
        print_line(out, heading(opened, league), "bold")
        print_line(out, f"finished above, % of {by.value}")
        for drawn in tables(rows, labels, out.width):
            out.print(drawn)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("matrix")(matrix)
