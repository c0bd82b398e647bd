"""`arena stats`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer
from rich.console import Console

from arena.cli.consoles import console
from arena.cli.display.charts import bar
from arena.cli.display.league_heading import heading
from arena.cli.display.tables import DRAWING, Column, Format, list_rows, print_table
from arena.cli.messages import print_line
from arena.cli.open_store import reading
from arena.cli.options import DEFAULT_STORE, BotOption, FormatOption, LeagueArgument, StoreOption
from results.reports.circles import ClaimRow, circle_rows
from results.reports.leagues import league_summary
from results.reports.lottery import LotteryRow, lottery_rows
from results.reports.rows import ReportRow
from results.reports.statistics import (
    DecisionTimeRow,
    FaultCauseRow,
    LuckRow,
    SeatRow,
    TableSizeRow,
    decision_time_rows,
    fault_cause_rows,
    luck_rows,
    seat_rows,
    table_size_rows,
)

if TYPE_CHECKING:
    from results.records import LeagueRecord
    from results.store import Store

ALL = "all"
"""Name of the row for all bots of the league together."""


@dataclass(frozen=True, slots=True)
class Bar:
    """The bar chart in the last column of a view."""

    title: str
    of: Callable[[Any], float]
    most: Callable[[Any], float] | None
    """The value of a full bar, by row; None: the largest value of all rows."""

    def column(self, rows: Sequence[Any]) -> Column:
        """Return the column for these rows."""
        greatest = max(map(self.of, rows), default=0.0)

        def drawn(row: Any) -> str:
            return bar(self.of(row), self.most(row) if self.most else greatest)

        return Column("", self.title, priority=DRAWING, drawn=drawn)


@dataclass(frozen=True, slots=True)
class View:
    """One of the statistics."""

    title: str
    kind: type[ReportRow]
    rows: Callable[["Store", "LeagueRecord", int | None], Sequence[ReportRow]]
    columns: tuple[Column, ...]
    bar: Bar
    """Only in tables."""
    empty: str
    """Message if there are no rows."""
    on_request: bool = False
    """Whether it is left out unless it is asked for, because it takes seconds or is of interest to few."""


def luck_rows_with_all(store: "Store", league: "LeagueRecord", entry_no: int | None = None) -> list[LuckRow]:
    """Return the rows of luck; rows for all bots together have the name `ALL`."""
    return [
        msgspec.structs.replace(row, bot=ALL) if row.bot is None else row
        for row in luck_rows(store, league, entry_no)
    ]


_SHARES = (
    Column("games", "games", right=True, priority=4),
    Column("wins", "wins", 1, priority=6),
    Column("win_rate_percent", "wins %", 1, priority=3),
    Column("share_percent", "share %", 1, priority=2),
    Column("score", "score", 2, priority=5),
)
_SHARE_BAR = Bar("share", lambda row: row.share_percent, lambda _: 100)
_SEATS = Column("seats", "seats", right=True, priority=1)
_BOT = Column("bot", "bot", priority=0)

VIEWS = {
    "seats": View(
        "by seat",
        SeatRow,
        seat_rows,
        (_SEATS, Column("seat", "seat", right=True, priority=0), *_SHARES),
        _SHARE_BAR,
        "no match is in the rankings yet",
    ),
    "tables": View(
        "by size of the table",
        TableSizeRow,
        table_size_rows,
        (_SEATS, _BOT, *_SHARES),
        _SHARE_BAR,
        "no match is in the rankings yet",
    ),
    "faults": View(
        "games forfeited, by cause",
        FaultCauseRow,
        fault_cause_rows,
        (
            _BOT,
            Column("cause", "cause", priority=1),
            Column("games", "games", right=True, priority=4),
            Column("of_games", "of", right=True, priority=4),
            Column("rate_percent", "%", 1, priority=3),
        ),
        Bar("of its games", lambda row: row.games, lambda row: row.of_games),
        "no faults",
    ),
    "time": View(
        "time per decision, in milliseconds",
        DecisionTimeRow,
        decision_time_rows,
        (
            _BOT,
            Column("decisions", "decisions", right=True, priority=4),
            Column("wall_ms", "wall", 3, priority=1),
            Column("cpu_ms", "cpu", 3, priority=3),
            Column("max_wall_ms", "longest", 1, priority=2),
        ),
        Bar("wall", lambda row: row.wall_ms, None),
        "no decisions yet",
    ),
    "luck": View(
        "luck: standard deviation of the share, in percentage points",
        LuckRow,
        luck_rows_with_all,
        (
            _SEATS,
            Column("games", "games", right=True, priority=4),
            _BOT,
            Column("matches", "matches", right=True, priority=6),
            Column("within_percent", "within", 1, priority=2),
            Column("between_percent", "between", 1, priority=3),
            Column("worth", "worth", 2, priority=2),
        ),
        Bar("within", lambda row: row.within_percent, lambda _: 50),
        "needs two matches of a bot, each of two games or more",
    ),
    "circles": View(
        "circles: each bot surely beats the next; all claims of the league are true together with 95 %",
        ClaimRow,
        circle_rows,
        (
            Column("circle", "circle", right=True, priority=1),
            _BOT,
            Column("opponent", "beats", priority=0),
            Column("played", "matches", right=True, priority=4),
            Column("above", "above", right=True, priority=5),
            Column("tied", "tied", right=True, priority=6),
            Column("below", "below", right=True, priority=5),
            Column("share_percent", "share %", 1, priority=2),
        ),
        _SHARE_BAR,
        "none is certain",
        on_request=True,
    ),
    "lottery": View(
        "maximal lottery: nobody beats a bot drawn by these weights; clones move nobody else",
        LotteryRow,
        lottery_rows,
        (
            _BOT,
            Column("weight_percent", "weight %", 1, priority=1),
            Column("low_percent", "from", 1, priority=3),
            Column("high_percent", "to", 1, priority=3),
            Column("drawn_percent", "in samples %", 1, priority=4),
            Column("share_percent", "share %", 1, priority=2),
        ),
        Bar("weight", lambda row: row.weight_percent, lambda _: 100),
        "no match is in the rankings yet",
        on_request=True,
    ),
}


class ViewName(StrEnum):
    """The statistics by name."""

    SEATS = "seats"
    TABLES = "tables"
    FAULTS = "faults"
    TIME = "time"
    LUCK = "luck"
    CIRCLES = "circles"
    LOTTERY = "lottery"


def stats(
    name: LeagueArgument = None,
    view: Annotated[
        ViewName | None,
        typer.Option("--view", help="Show only these statistics; default: all but circles and lottery."),
    ] = None,
    bot: BotOption = None,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """Show statistics of a league or of one bot: by seat, by table size, faults, time, luck.

    On request: circles of bots that surely beat each other, and the maximal lottery, in which clones of a bot move
    nobody else.
    """
    from arena.core.errors import UsageError

    if form is not Format.TABLE and view is None:
        raise UsageError(
            f"--format {form.value} writes one view at a time",
            f"choose one, such as --view {ViewName.SEATS.value}; views: {', '.join(ViewName)}",
        )
    with reading(store) as opened:
        league = opened.leagues.get(name)
        entry = None if bot is None else opened.entries.find(league.uuid, bot).entry_no
        if form is Format.TABLE:
            title = f"{heading(league_summary(opened, league))}{'' if bot is None else f' · {bot}'}"
            out = console()
            print_line(out, title, "bold")
            for one in (view,) if view else [name for name in ViewName if not VIEWS[name].on_request]:
                rows = VIEWS[one].rows(opened, league, entry)
                _print(out, VIEWS[one], rows, _why_none(one, league))
        elif view is not None:
            list_rows(VIEWS[view].kind, VIEWS[view].columns, VIEWS[view].rows(opened, league, entry), form)


def _why_none(name: str, league: "LeagueRecord") -> str:
    """Return the message for statistics without rows."""
    if league.ruleset is not None:
        return VIEWS[name].empty
    listed = f"; see: arena faults {league.name}" if name == ViewName.FAULTS else ""
    return f"not counted for single games{listed}"


def _print(out: Console, view: View, rows: Sequence[ReportRow], none: str) -> None:
    if rows:
        print_table(out, (*view.columns, view.bar.column(rows)), rows, view.title)
    else:
        out.print()
        print_line(out, f"{view.title}: {none}")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("stats")(stats)
