"""`arena stats`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.commands.rankings import LeagueArgument, heading
from arena.cli.display.charts import bar
from arena.cli.display.tables import Column, Format, FormatOption, console, list_rows, print_line, print_table
from arena.cli.open_store import DEFAULT_STORE, StoreOption, reading

if TYPE_CHECKING:
    from rich.console import Console

    from results.query_rows import SeatStatistics
    from results.records import LeagueRecord
    from results.statistics import DealSums
    from results.store import Store

ALL = "all"
"""In the place of a bot's name: all bots of the league together."""

Rows = list[dict[str, Any]]


def seat_rows(store: "Store", league: "LeagueRecord", entry: int | None) -> Rows:
    """Return games, wins, share and score by size of the table and seat, of all entries together or of one."""
    sums: dict[tuple[int, int], list[SeatStatistics]] = {}
    for row in store.totals.by_seat(league.uuid):
        if entry in (None, row.entry_no):
            sums.setdefault((row.seats, row.seat), []).append(row)
    return [{"seats": seats, "seat": seat} | _pooled(found) for (seats, seat), found in sorted(sums.items())]


def table_rows(store: "Store", league: "LeagueRecord", entry: int | None) -> Rows:
    """Return games, wins, share and score of each entry by size of the table."""
    labels = _labels(store, league)
    sums: dict[tuple[int, int], list[SeatStatistics]] = {}
    for row in store.totals.by_seat(league.uuid):
        if entry in (None, row.entry_no):
            sums.setdefault((row.seats, row.entry_no), []).append(row)
    order = {label: i for i, label in enumerate(labels)}
    return [
        {"seats": seats, "bot": labels[number]} | _pooled(found)
        for (seats, number), found in sorted(sums.items(), key=lambda item: (item[0][0], order[item[0][1]]))
    ]


def _pooled(rows: "Sequence[SeatStatistics]") -> dict[str, Any]:
    games = sum(row.games for row in rows)
    wins = sum(row.wins for row in rows)
    share = sum(row.share * row.games for row in rows) / games
    return {
        "games": games,
        "wins": wins,
        "win_rate": 100 * wins / games,
        "share": 100 * share,
        "score": sum(row.score * row.games for row in rows) / games,
        "bar": bar(share, 1),
    }


def fault_rows(store: "Store", league: "LeagueRecord", entry: int | None) -> Rows:
    """Return games forfeited by entry and cause, the most frequent first."""
    rows: Rows = [
        {
            "bot": row.label,
            "cause": verdict,
            "games": games,
            "of_games": row.games,
            "rate": 100 * games / row.games,
            "bar": bar(games, row.games),
        }
        for row in store.totals.by_entry(league.uuid)
        if entry in (None, row.entry_no)
        for verdict, games in sorted(row.faults.items())
    ]
    return sorted(rows, key=lambda row: (-row["games"], row["bot"], row["cause"]))


def time_rows(store: "Store", league: "LeagueRecord", entry: int | None) -> Rows:
    """Return the time per decision in milliseconds: means on the wall and of the processor, and the longest."""
    rows: Rows = [
        {
            "bot": row.label,
            "decisions": row.decisions,
            "wall_ms": row.wall_ns / 1e6 / row.decisions,
            "cpu_ms": row.cpu_ns / 1e6 / row.decisions,
            "max_wall_ms": row.max_wall_ns / 1e6,
        }
        for row in store.totals.by_entry(league.uuid)
        if entry in (None, row.entry_no) and row.decisions
    ]
    most = max((row["wall_ms"] for row in rows), default=0.0)
    return [row | {"bar": bar(row["wall_ms"], most)} for row in sorted(rows, key=lambda row: -row["wall_ms"])]


def luck_rows(store: "Store", league: "LeagueRecord", entry: int | None) -> Rows:
    """Return the spread of shares within and between matches, by kind of match: of all bots, and of each."""
    from results.statistics import luck

    labels = _labels(store, league)
    sums = store.totals.deal_sums(league.uuid)
    kinds: dict[tuple[int, int], list[DealSums]] = {}
    for one in sums:
        kinds.setdefault((one.seats, one.games), []).append(one)
    rows = []
    for (seats, games), of_kind in sorted(kinds.items()):
        groups = [(ALL, of_kind)] if entry is None else []
        by_entry = {one.entry_no: one for one in of_kind}
        groups += [
            (label, [by_entry[number]])
            for number, label in labels.items()
            if number in by_entry and entry in (None, number)
        ]
        for label, group in groups:
            if (found := luck(group)) is None:
                continue
            rows.append(
                {
                    "seats": seats,
                    "games": games,
                    "bot": label,
                    "matches": sum(one.matches for one in group) // (seats if label == ALL else 1),
                    "within": 100 * found.within,
                    "between": 100 * found.between,
                    "worth": found.worth,
                    "bar": bar(found.within, 0.5),
                }
            )
    return rows


def _labels(store: "Store", league: "LeagueRecord") -> dict[int, str]:
    """Return the labels of the entries by number, in the order of the rankings."""
    return {row.entry_no: row.label for row in store.ratings.standings(league.uuid)}


@dataclass(frozen=True, slots=True)
class View:
    """One of the statistics."""

    title: str
    rows: Callable[["Store", "LeagueRecord", int | None], Rows]
    columns: tuple[Column, ...]
    """In tables; the other formats have the same without the bar."""
    empty: str
    """Said in the place of no rows."""

    @property
    def keys(self) -> tuple[Column, ...]:
        """The columns of other formats than tables."""
        return tuple(column for column in self.columns if column.key != "bar")


_SHARES = (
    Column("games", "games", right=True, priority=4),
    Column("wins", "wins", 1, priority=6),
    Column("win_rate", "wins %", 1, priority=3),
    Column("share", "share %", 1, priority=2),
    Column("score", "score", 2, priority=5),
    Column("bar", "share", priority=9),
)
_SEATS = Column("seats", "seats", right=True, priority=1)
_BOT = Column("bot", "bot", priority=0)

VIEWS = {
    "seats": View(
        "by seat",
        seat_rows,
        (_SEATS, Column("seat", "seat", right=True, priority=0), *_SHARES),
        "no match is in the rankings yet",
    ),
    "tables": View(
        "by size of the table", table_rows, (_SEATS, _BOT, *_SHARES), "no match is in the rankings yet"
    ),
    "faults": View(
        "games forfeited, by cause",
        fault_rows,
        (
            _BOT,
            Column("cause", "cause", priority=1),
            Column("games", "games", right=True, priority=4),
            Column("of_games", "of", right=True, priority=4),
            Column("rate", "%", 1, priority=3),
            Column("bar", "of its games", priority=9),
        ),
        "no faults",
    ),
    "time": View(
        "time per decision, in milliseconds",
        time_rows,
        (
            _BOT,
            Column("decisions", "decisions", right=True, priority=4),
            Column("wall_ms", "wall", 3, priority=1),
            Column("cpu_ms", "cpu", 3, priority=3),
            Column("max_wall_ms", "longest", 1, priority=2),
            Column("bar", "wall", priority=9),
        ),
        "no decisions yet",
    ),
    "luck": View(
        "luck: standard deviation of the share, in percentage points",
        luck_rows,
        (
            _SEATS,
            Column("games", "games", right=True, priority=4),
            _BOT,
            Column("matches", "matches", right=True, priority=6),
            Column("within", "within", 1, priority=2),
            Column("between", "between", 1, priority=3),
            Column("worth", "worth", 2, priority=2),
            Column("bar", "within", priority=9),
        ),
        "needs two matches of a bot, each of two games or more",
    ),
}


class ViewName(StrEnum):
    """The statistics by name."""

    SEATS = "seats"
    TABLES = "tables"
    FAULTS = "faults"
    TIME = "time"
    LUCK = "luck"


def stats(
    name: LeagueArgument = None,
    view: Annotated[
        ViewName | None, typer.Option("--view", help="Which statistics; without it a table of each.")
    ] = None,
    bot: Annotated[
        str | None, typer.Option("--bot", help="Only this bot, by its name in the rankings.")
    ] = None,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """Show statistics of a league or of one bot: by seat, by size of the table, faults, time, luck."""
    from arena.core.errors import UsageError

    if form is not Format.TABLE and view is None:
        raise UsageError(
            f"--format {form.value} writes one view at a time",
            f"name it, as in --view {ViewName.SEATS.value}; there are: {', '.join(ViewName)}",
        )
    with reading(store) as opened:
        league = opened.leagues.get(name)
        entry = None if bot is None else opened.entries.find(league.uuid, bot).entry_no
        if form is Format.TABLE:
            title = f"{heading(opened, league)}{'' if bot is None else f' · {bot}'}"
            out = console()
            print_line(out, title, "bold")
            for one in (view,) if view else ViewName:
                _print(out, VIEWS[one], VIEWS[one].rows(opened, league, entry))
        elif view is not None:
            list_rows(VIEWS[view].keys, VIEWS[view].rows(opened, league, entry), form)


def _print(out: "Console", view: View, rows: Rows) -> None:
    if rows:
        print_table(out, view.columns, rows, view.title)
    else:
        out.print()
        print_line(out, f"{view.title}: {view.empty}")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("stats")(stats)
