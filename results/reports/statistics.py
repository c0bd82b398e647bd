"""Statistics of a league or of one entry: by seat, by table size, faults, time, luck."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import field

from results.base.scoring import DealSums, luck
from results.base.text import counted
from results.records import LeagueRecord
from results.records.query_rows import SeatStatistics
from results.reports.columns import Column, ReportRow, in_percent
from results.store import Store

_Seats = Annotated[int, Column(priority=1, up=True, help="Number of players at the table")]
_Games = Annotated[int, Column(priority=4, help="Games played there")]
_Wins = Annotated[
    float, Column(decimals=1, priority=6, help="Games won; a win shared among k bots counts 1/k")
]
_WinRate = Annotated[float, Column("wins %", 1, priority=3, help="Wins in 100 games")]
_Share = Annotated[
    float,
    Column(
        decimals=1, priority=2, help="Mean part of the opponents that it finished above, a tie counting half"
    ),
]
_Score = Annotated[float, Column(decimals=2, priority=5, page="Mean score", help="Mean points in a game")]


class SeatRow(ReportRow, frozen=True, kw_only=True):
    """How entries did at one seat of tables of one size.

    Columns:
        seat: The place in the order of play, from 0
    """

    seats: _Seats
    seat: Annotated[int, Column(priority=0)]
    games: _Games
    wins: _Wins
    win_rate_percent: _WinRate = field(name="win_rate")
    share_percent: _Share = field(name="share")
    score: _Score


class TableSizeRow(ReportRow, frozen=True, kw_only=True):
    """How an entry did at tables of one size."""

    seats: _Seats
    bot: Annotated[str, Column(priority=0)]
    games: _Games
    wins: _Wins
    win_rate_percent: _WinRate = field(name="win_rate")
    share_percent: _Share = field(name="share")
    score: _Score


class FaultCauseRow(ReportRow, frozen=True, kw_only=True):
    """How often an entry was forfeited for one reason.

    Columns:
        cause: The verdict on the forfeited games
        games: Games forfeited for this cause
        of_games: Games that the bot has played
        rate_percent: Forfeited games in 100 played
    """

    bot: Annotated[str, Column(priority=0)]
    cause: Annotated[str, Column(priority=1)]
    games: Annotated[int, Column(priority=4)]
    of_games: Annotated[int, Column("of", priority=4)]
    rate_percent: Annotated[float, Column("%", 1, priority=3, page="Rate")] = field(name="rate")


class DecisionTimeRow(ReportRow, frozen=True, kw_only=True):
    """The time that an entry took per decision.

    Columns:
        decisions: Moves that the bot was asked for
        wall_ms: Mean time from question to answer, in ms
        cpu_ms: Mean CPU time of a decision, in ms
        max_wall_ms: The slowest answer, in ms
    """

    bot: Annotated[str, Column(priority=0)]
    decisions: Annotated[int, Column(priority=4)]
    wall_ms: Annotated[float, Column("wall", 3, priority=1, page="Mean, ms")]
    cpu_ms: Annotated[float, Column("cpu", 3, priority=3, page="CPU, ms")]
    max_wall_ms: Annotated[float, Column("longest", 1, priority=2, page="Longest, ms")]


class LuckRow(ReportRow, frozen=True, kw_only=True):
    """The spread of the share of a game, within matches and between them.

    Columns:
        seats: Number of players at the table
        games: Games of a match, all on one deal
        matches: Finished matches
        within_percent: Standard deviation of its share within a deal; 50: wins every other game at a table of two
        between_percent: Standard deviation of its mean share between deals: the luck of the cards
        worth: Games on separate deals that tell as much as one match
    """

    seats: Annotated[int, Column(priority=1, up=True)]
    games: Annotated[int, Column("games/match", priority=4)]
    bot: Annotated[str | None, Column(priority=0)]
    """None: all entries, each around its own mean."""
    matches: Annotated[int, Column(priority=6)]
    within_percent: Annotated[float, Column("within", 1, priority=2, page="Within a deal")] = field(
        name="within"
    )
    between_percent: Annotated[float, Column("between", 1, priority=3, page="Between deals")] = field(
        name="between"
    )
    worth: Annotated[float | None, Column(decimals=2, priority=2, page="A match is worth")]


def seat_rows(store: Store, league: LeagueRecord, entry_no: int | None = None) -> list[SeatRow]:
    """Return games, wins, share and score by table size and seat, for all entries together or for one."""
    sums: dict[tuple[int, int], list[SeatStatistics]] = defaultdict(list)
    for row in store.totals.by_seat(league.uuid):
        if entry_no in (None, row.entry_no):
            sums[row.seats, row.seat].append(row)
    return [
        SeatRow(seats=seats, seat=seat, **_pooled(found)) for (seats, seat), found in sorted(sums.items())
    ]


def table_size_rows(store: Store, league: LeagueRecord, entry_no: int | None = None) -> list[TableSizeRow]:
    """Return games, wins, share and score of each entry, or of one, by table size."""
    labels = _labels(store, league)
    sums: dict[tuple[int, int], list[SeatStatistics]] = defaultdict(list)
    for row in store.totals.by_seat(league.uuid):
        if entry_no in (None, row.entry_no):
            sums[row.seats, row.entry_no].append(row)
    sizes = sorted({seats for seats, _ in sums})
    return [
        TableSizeRow(seats=seats, bot=label, **_pooled(sums[seats, number]))
        for seats in sizes
        for number, label in labels.items()
        if (seats, number) in sums
    ]


def advantage(rows: Sequence[SeatRow], first: int = 0) -> str:
    """Return in words how much the seats of tables of one size differ; `first`: the number of the first seat."""
    best, worst = (max(rows, key=lambda row: row.share_percent), min(rows, key=lambda row: row.share_percent))
    games = max(row.games for row in rows)
    # Of a mean of so many shares, whose standard deviation is at most one half: twice the error of a difference.
    noise = 2 * 50 * (2 / max(1, games)) ** 0.5
    if best.share_percent - worst.share_percent <= noise:
        return f"no seat has a clear advantage after {counted(games, 'game')}"
    return (
        f"seat {best.seat + first} does best, with a share of {best.share_percent:.1f} %, and seat "
        f"{worst.seat + first} worst, with {worst.share_percent:.1f} %"
    )


def _pooled(rows: Sequence[SeatStatistics]) -> dict[str, Any]:
    """Return what rows have from `games` to `score`."""
    games, wins = sum(row.games for row in rows), sum(row.wins for row in rows)
    return {
        "games": games,
        "wins": wins,
        "win_rate_percent": in_percent(wins / games),
        "share_percent": in_percent(sum(row.share * row.games for row in rows) / games),
        "score": sum(row.score * row.games for row in rows) / games,
    }


def fault_cause_rows(store: Store, league: LeagueRecord, entry_no: int | None = None) -> list[FaultCauseRow]:
    """Return forfeited games by entry and reason, the most frequent first."""
    rows = [
        FaultCauseRow(
            bot=row.label,
            cause=verdict,
            games=games,
            of_games=row.games,
            rate_percent=in_percent(games / row.games),
        )
        for row in store.totals.by_entry(league.uuid)
        if entry_no in (None, row.entry_no)
        for verdict, games in sorted(row.faults.items())
    ]
    return sorted(rows, key=lambda row: (-row.games, row.bot, row.cause))


def decision_time_rows(
    store: Store, league: LeagueRecord, entry_no: int | None = None
) -> list[DecisionTimeRow]:
    """Return the times per decision of each entry, or of one, the longest mean wall time first."""
    rows = [
        DecisionTimeRow(
            bot=row.label,
            decisions=row.decisions,
            wall_ms=row.wall_ns / 1e6 / row.decisions,
            cpu_ms=row.cpu_ns / 1e6 / row.decisions,
            max_wall_ms=row.max_wall_ns / 1e6,
        )
        for row in store.totals.by_entry(league.uuid)
        if entry_no in (None, row.entry_no) and row.decisions
    ]
    return sorted(rows, key=lambda row: -row.wall_ms)


def luck_rows(store: Store, league: LeagueRecord, entry_no: int | None = None) -> list[LuckRow]:
    """Return the spread of shares by kind of match: for all entries together, then for each; or for only one."""
    labels = _labels(store, league)
    kinds: dict[tuple[int, int], list[DealSums]] = {}
    for one in store.totals.deal_sums(league.uuid):
        kinds.setdefault((one.seats, one.games), []).append(one)
    rows = []
    for (seats, games), of_kind in sorted(kinds.items()):
        groups: list[tuple[str | None, list[DealSums]]] = [(None, of_kind)] if entry_no is None else []
        by_entry = {one.entry_no: one for one in of_kind}
        groups += [
            (label, [by_entry[number]])
            for number, label in labels.items()
            if number in by_entry and entry_no in (None, number)
        ]
        for label, group in groups:
            if (found := luck(group)) is None:
                continue
            rows.append(
                LuckRow(
                    seats=seats,
                    games=games,
                    bot=label,
                    matches=sum(one.matches for one in group) // (seats if label is None else 1),
                    within_percent=100 * found.within,
                    between_percent=100 * found.between,
                    worth=found.worth,
                )
            )
    return rows


def _labels(store: Store, league: LeagueRecord) -> dict[int, str]:
    """Return the labels of the entries by number, in ranking order."""
    return {row.entry_no: row.label for row in store.ratings.standings(league.uuid)}
