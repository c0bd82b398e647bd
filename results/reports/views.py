"""The statistics of a league: what each view shows, with its columns and notes, for commands and pages."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from results.base.text import counted
from results.reports.circles import ClaimRow, LotteryRow, circle_rows, lottery_rows
from results.reports.coalitions import (
    AuthorRow,
    CoalitionRow,
    author_flags,
    author_rows,
    coalition_rows,
    flags,
    why_not_compared,
)
from results.reports.columns import ReportRow
from results.reports.statistics import (
    DecisionTimeRow,
    FaultCauseRow,
    LuckRow,
    SeatRow,
    TableSizeRow,
    advantage,
    decision_time_rows,
    fault_cause_rows,
    luck_rows,
    seat_rows,
    table_size_rows,
)

if TYPE_CHECKING:
    from results.records import LeagueRecord
    from results.store import Store


class ViewName(StrEnum):
    """The statistics by name."""

    SEATS = "seats"
    TABLES = "tables"
    FAULTS = "faults"
    TIME = "time"
    LUCK = "luck"
    CIRCLES = "circles"
    LOTTERY = "lottery"
    COALITIONS = "coalitions"
    AUTHORS = "authors"
    PRICES = "prices"
    """What moves cost; its rows need the rules of games, so who shows it brings them."""


ALL = "all"
"""Name of the row for all bots of the league together."""


class Bar(Struct, frozen=True):
    """The bar chart in the last column of a view."""

    title: str
    of: Callable[[Any], float]
    most: Callable[[Any], float] | None
    """The value of a full bar, by row; None: the largest value of all rows."""


class View(Struct, frozen=True):
    """One of the statistics, for the command line and for the files that the site has to download."""

    title: str
    kind: type[ReportRow]
    rows: Callable[["Store", "LeagueRecord", int | None], Sequence[ReportRow]]
    bar: Bar | None
    """Only in tables."""
    empty: str
    """Message if there are no rows."""
    answer: Callable[[Sequence[Any]], str] | None = None
    """What its rows say, in a sentence. None: it is only for who asks, as it takes seconds or is of interest to few."""
    most: int | None = None
    """In tables, only so many rows are shown."""
    notes: Callable[[Sequence[Any]], Iterable[str]] = lambda _: ()
    """Lines below a table with these rows."""
    instead: Callable[[Sequence[Any]], str] = lambda _: ""
    """Message instead of a table with these rows, if it would say nothing."""
    file: str = ""
    """Name of the file to download; empty: there is none."""
    on_site: Callable[["Store", "LeagueRecord"], Sequence[ReportRow]] | None = None
    """The rows of that file if they are others: only what is cached, or without the name `ALL`."""


def _luck_rows_with_all(store: "Store", league: "LeagueRecord", entry_no: int | None = None) -> list[LuckRow]:
    """Return the rows of luck; rows for all bots together have the name `ALL`."""
    return [
        msgspec.structs.replace(row, bot=ALL) if row.bot is None else row
        for row in luck_rows(store, league, entry_no)
    ]


_SHARE_BAR = Bar("share as bar", lambda row: row.share_percent, lambda _: 100)


MOST_SIZES = 3
"""Sizes of tables in an answer."""


def _of_sizes(told: Mapping[int, str]) -> str:
    """Return what is told of tables by their size."""
    more = f"; and {counted(len(told) - MOST_SIZES, 'more size')}" if len(told) > MOST_SIZES else ""
    if len(told) == 1:
        return next(iter(told.values()))
    return "; ".join(f"at tables of {size}, {one}" for size, one in [*told.items()][:MOST_SIZES]) + more


def _seats(rows: Sequence[SeatRow]) -> str:
    """Return which seats do best and worst, by size of the table."""
    sizes = sorted({row.seats for row in rows})
    return _of_sizes({size: advantage([row for row in rows if row.seats == size]) for size in sizes})


def _tables(rows: Sequence[TableSizeRow]) -> str:
    """Return who has the largest share, by size of the table."""
    best: dict[int, TableSizeRow] = {}
    for row in sorted(rows, key=lambda row: -row.share_percent):
        best.setdefault(row.seats, row)
    verb = "has" if len(best) == len(rows) else "leads with"
    return _of_sizes(
        {
            size: f"{best[size].bot} {verb} a share of {best[size].share_percent:.1f} %"
            for size in sorted(best)
        }
    )


def _faults(rows: Sequence[FaultCauseRow]) -> str:
    """Return how many games were forfeited, and what was the most frequent cause."""
    one, games = rows[0], sum(row.games for row in rows)
    most = f"most by {one.bot}: {one.cause} in {one.games:,} of its {counted(one.of_games, 'game')}"
    return f"{counted(games, 'game')} forfeited, {most}"


def _time(rows: Sequence[DecisionTimeRow]) -> str:
    """Return who thinks for the longest time."""
    one, slowest = rows[0], max(rows, key=lambda row: row.max_wall_ms)
    if len(rows) == 1:
        return f"{one.bot} takes {one.wall_ms:.1f} ms a decision on average, and {one.max_wall_ms:.1f} ms at most"
    return (
        f"{one.bot} thinks longest, {one.wall_ms:.1f} ms a decision on average; the slowest answer took "
        f"{slowest.max_wall_ms:.1f} ms ({slowest.bot})"
    )


def _luck(rows: Sequence[LuckRow]) -> str:
    """Return what a match is worth, by kind of match."""
    known = {row.seats: row for row in rows[::-1] if row.worth is not None}
    return _of_sizes(
        {
            size: f"a match of {row.games} games tells as much as {row.worth:.2f} games on separate deals"
            for size, row in reversed(known.items())
        }
    )


def _on_luck(rows: Sequence[LuckRow]) -> Iterable[str]:
    """Yield what a match is worth."""
    if rows:
        yield "within: standard deviation on one deal; between: from deal to deal, by the cards"
    known = next((row for row in rows if row.worth is not None), None)
    if known is not None:
        yield f"worth: a match of {known.games} games tells as much as {known.worth:.2f} games on separate deals"


def _on_circles(rows: Sequence[ClaimRow]) -> Iterable[str]:
    """Yield what the columns mean."""
    if not rows:
        return
    yield "beats: significantly more often than not (95 %, all pairs together)"
    if any(row.circle is None for row in rows):
        yield "without a circle number: the fit ranks the beaten bot significantly higher"


def _on_lottery(rows: Sequence[LotteryRow]) -> Iterable[str]:
    """Yield what the columns mean."""
    if not rows:
        return
    yield "weight %: how often the lottery draws the bot; copies of a bot share its weight"
    if any(row.low_percent is not None for row in rows):
        yield "from, to: 95 % confidence interval of the weight, from resampled matches"
        yield "in samples %: how many resamples give the bot any weight; 80 is 4 of 5"
    yield "share %: how often it finishes above the bot drawn, a tie counting half"


def _nobody_without(rows: Sequence[CoalitionRow]) -> str:
    """Return that there is nothing to compare if no bot ever played without any of those that it met."""
    always = not any(row.games_without for row in rows)
    return "nothing to compare: every bot met the same others in all of its games" if always else ""


def _on_coalitions(rows: Sequence[CoalitionRow]) -> Iterable[str]:
    """Yield what is flagged, and what the columns mean."""
    flagged = list(flags(rows))
    yield from flagged
    if flagged:
        yield "a flag is no proof: in 1 of 20 leagues of honest bots, some pair is flagged"
    elif any(row.gain is not None for row in rows):
        yield "no pair flagged: nothing beyond chance"
    if not rows:
        return
    yield "share %, score: means of the games with the other bot; without: of all others"
    lacking = sum(row.gain is None for row in rows)
    if lacking:
        which = "no gain yet" if lacking == len(rows) else "gain –"
        yield f"{which}: it takes 8 matches together, and 8 of each bot without the other"
        if rows[0].by == "shares":
            yield "by places, it also takes games that either of the two could win"
    if lacking == len(rows):
        return
    unit = "points a game" if rows[0].by == "scores" else "points of share"
    yield f"gain: {unit} beyond what strengths, seats and neighbours explain"
    yield "±: half of its 95 % interval; 2.0±1.5 is 0.5 to 3.5"
    yield "honest %: how often honest bots have a pair this unusual; 3 is 3 leagues in 100"


def _on_authors(rows: Sequence[AuthorRow]) -> Iterable[str]:
    """Yield what is flagged, an example, and what the columns mean."""
    flagged = list(author_flags(rows))
    yield from flagged
    if why := why_not_compared(rows):
        yield why
    elif flagged:
        yield "a flag is no proof: first look at the games, with arena replay list --bot BOT"
    else:
        yield "no bot flagged: nothing beyond chance"
    yield "matches: with another bot of its author; rated: those that count in ratings"
    known = [row for row in rows if row.difference is not None and row.expected_percent is not None]
    if not known:
        return
    one = known[0]
    took, expected = (one.difference or 0.0) + (one.expected_percent or 0.0), one.expected_percent or 0.0
    yield (
        f"for example, {one.bot} took {took:.1f} % of the share there; results at tables of different authors predict "
        f"{expected:.1f} %, so the difference is {took - expected:+.1f}"
    )
    yield "±: half of the 95 % interval; others %: share at tables of different authors"
    if len(known) < len(rows):
        yield "difference –: needs 8 such matches, and 8 of each bot with other authors"
    yield "honest %: how often honest bots have one this unusual; 3 is 3 leagues in 100"


VIEWS = {
    ViewName.SEATS: View(
        "by seat",
        SeatRow,
        seat_rows,
        _SHARE_BAR,
        "no match is in the rankings yet",
        answer=_seats,
        file="by-seat",
    ),
    ViewName.TABLES: View(
        "by size of the table",
        TableSizeRow,
        table_size_rows,
        _SHARE_BAR,
        "no match is in the rankings yet",
        answer=_tables,
        file="by-table-size",
    ),
    ViewName.FAULTS: View(
        "games forfeited, by cause",
        FaultCauseRow,
        fault_cause_rows,
        Bar("of its games", lambda row: row.games, lambda row: row.of_games),
        "no faults",
        answer=_faults,
        file="fault-causes",
    ),
    ViewName.TIME: View(
        "time per decision, in milliseconds",
        DecisionTimeRow,
        decision_time_rows,
        Bar("wall as bar", lambda row: row.wall_ms, None),
        "no decisions yet",
        answer=_time,
        file="times",
    ),
    ViewName.LUCK: View(
        "luck: how much the share varies by chance, in percentage points",
        LuckRow,
        _luck_rows_with_all,
        Bar("within as bar", lambda row: row.within_percent, lambda _: 50),
        "needs two matches of a bot, each of two or more games",
        notes=_on_luck,
        answer=_luck,
        file="luck",
        on_site=luck_rows,
    ),
    ViewName.CIRCLES: View(
        "circles: each bot significantly beats the next, and the last the first",
        ClaimRow,
        circle_rows,
        _SHARE_BAR,
        "none found; most leagues have none, or need more matches to show one",
        notes=_on_circles,
        file="circles",
    ),
    ViewName.LOTTERY: View(
        "maximal lottery: draw a bot with these weights: no other beats it on average",
        LotteryRow,
        lottery_rows,
        Bar("weight as bar", lambda row: row.weight_percent, lambda _: 100),
        "no match is in the rankings yet",
        notes=_on_lottery,
    ),
    ViewName.COALITIONS: View(
        "with and without each other bot at the table, the most unusual pairs first",
        CoalitionRow,
        coalition_rows,
        None,
        "nothing to compare: no match is in the rankings yet, or the game has partners, who share all results",
        most=20,
        notes=_on_coalitions,
        instead=_nobody_without,
        file="coalitions",
        on_site=partial(coalition_rows, only_cached=True),
    ),
    ViewName.AUTHORS: View(
        "with another bot of its author at the table, the most unusual bots first",
        AuthorRow,
        author_rows,
        None,
        why_not_compared(()),
        most=20,
        notes=_on_authors,
        file="authors",
        on_site=partial(author_rows, only_cached=True),
    ),
}
