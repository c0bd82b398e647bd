"""Statistics of a league or of one entry: by seat, by table size, faults, time, luck."""

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec import field

from results.base.scoring import DealSums, luck
from results.records import LeagueRecord
from results.records.query_rows import SeatStatistics
from results.reports.columns import ReportRow

if TYPE_CHECKING:
    from results.store import Store


class SeatRow(ReportRow, frozen=True, kw_only=True):
    """How entries did at one seat of tables of one size."""

    seats: int
    """Number of seats at the table."""
    seat: int
    """From 0."""
    games: int
    wins: float
    """A win shared among k counts 1/k."""
    win_rate_percent: float = field(name="win_rate")
    share_percent: float = field(name="share")
    """Mean share of a game in percent (0 to 100)."""
    score: float
    """Mean score of a game."""


class TableSizeRow(ReportRow, frozen=True, kw_only=True):
    """How an entry did at tables of one size; for the fields, see `SeatRow`."""

    seats: int
    bot: str
    games: int
    wins: float
    win_rate_percent: float = field(name="win_rate")
    share_percent: float = field(name="share")
    score: float


class FaultCauseRow(ReportRow, frozen=True, kw_only=True):
    """How often an entry was forfeited for one reason."""

    bot: str
    cause: str
    """The name of a verdict."""
    games: int
    """Games forfeited for this reason."""
    of_games: int
    """Games that the entry played."""
    rate_percent: float = field(name="rate")
    """Forfeited games per game played."""


class DecisionTimeRow(ReportRow, frozen=True, kw_only=True):
    """The time that an entry took per decision."""

    bot: str
    decisions: int
    wall_ms: float
    """Mean wall time."""
    cpu_ms: float
    """Mean CPU time."""
    max_wall_ms: float
    """The longest wall time."""


class LuckRow(ReportRow, frozen=True, kw_only=True):
    """The spread of the share of a game, within matches and between them."""

    seats: int
    games: int
    """In each match."""
    bot: str | None
    """None: all entries, each around its own mean."""
    matches: int
    within_percent: float = field(name="within")
    """Standard deviation of the share between the games of one deal, in percent of a whole share."""
    between_percent: float = field(name="between")
    """The same between deals, for the mean over all rotations, after subtracting the effect of the former."""
    worth: float | None
    """How many games on separate deals give as much information as one match; None if the matches don't differ."""


def seat_rows(store: "Store", league: LeagueRecord, entry_no: int | None = None) -> list[SeatRow]:
    """Return games, wins, share and score by table size and seat, for all entries together or for one."""
    sums: dict[tuple[int, int], list[SeatStatistics]] = defaultdict(list)
    for row in store.totals.by_seat(league.uuid):
        if entry_no in (None, row.entry_no):
            sums[row.seats, row.seat].append(row)
    return [
        SeatRow(seats=seats, seat=seat, **_pooled(found)) for (seats, seat), found in sorted(sums.items())
    ]


def table_size_rows(store: "Store", league: LeagueRecord, entry_no: int | None = None) -> list[TableSizeRow]:
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


def _pooled(rows: Sequence[SeatStatistics]) -> dict[str, Any]:
    """Return what rows have from `games` to `score`."""
    games, wins = sum(row.games for row in rows), sum(row.wins for row in rows)
    return {
        "games": games,
        "wins": wins,
        "win_rate_percent": 100 * wins / games,
        "share_percent": 100 * (sum(row.share * row.games for row in rows) / games),
        "score": sum(row.score * row.games for row in rows) / games,
    }


def fault_cause_rows(
    store: "Store", league: LeagueRecord, entry_no: int | None = None
) -> list[FaultCauseRow]:
    """Return forfeited games by entry and reason, the most frequent first."""
    rows = [
        FaultCauseRow(
            bot=row.label,
            cause=verdict,
            games=games,
            of_games=row.games,
            rate_percent=100 * games / row.games,
        )
        for row in store.totals.by_entry(league.uuid)
        if entry_no in (None, row.entry_no)
        for verdict, games in sorted(row.faults.items())
    ]
    return sorted(rows, key=lambda row: (-row.games, row.bot, row.cause))


def decision_time_rows(
    store: "Store", league: LeagueRecord, entry_no: int | None = None
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


def luck_rows(store: "Store", league: LeagueRecord, entry_no: int | None = None) -> list[LuckRow]:
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


def _labels(store: "Store", league: LeagueRecord) -> dict[int, str]:
    """Return the labels of the entries by number, in ranking order."""
    return {row.entry_no: row.label for row in store.ratings.standings(league.uuid)}
