"""The statistics of a league: what each view shows, with its columns and notes, for commands and pages."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

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


ALL = "all"
"""Name of the row for all bots of the league together."""


@dataclass(frozen=True, slots=True)
class Bar:
    """The bar chart in the last column of a view."""

    title: str
    of: Callable[[Any], float]
    most: Callable[[Any], float] | None
    """The value of a full bar, by row; None: the largest value of all rows."""


@dataclass(frozen=True, slots=True)
class View:
    """One of the statistics, for the command line and for the files that the site has to download."""

    title: str
    kind: type[ReportRow]
    rows: Callable[["Store", "LeagueRecord", int | None], Sequence[ReportRow]]
    bar: Bar | None
    """Only in tables."""
    empty: str
    """Message if there are no rows."""
    on_request: bool = False
    """Whether it is left out unless it is asked for, because it takes seconds or is of interest to few."""
    most: int | None = None
    """In tables, only so many rows are shown."""
    notes: Callable[[Sequence[Any]], Iterable[str]] = lambda _: ()
    """Lines below a table with these rows."""
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


def _on_circles(rows: Sequence[ClaimRow]) -> Iterable[str]:
    """Yield what the columns mean."""
    if not rows:
        return
    yield "beats: so often that luck doesn't explain it, at 95 % for all pairs together"
    yield "above, tied, below: how many of their matches the bot finished so"
    yield "share %: how often it finished above, ties as halves"
    if any(row.circle is None for row in rows):
        yield "without a number: no circle, but the fit surely places the beaten bot above"


def _on_lottery(rows: Sequence[LotteryRow]) -> Iterable[str]:
    """Yield what the columns mean."""
    if not rows:
        return
    yield "weight %: how often the lottery draws the bot; copies of a bot share its weight"
    if any(row.low_percent is not None for row in rows):
        yield "from, to: the 95 % interval of the weight, from samples of the matches"
        yield "in samples %: in so many of these samples the bot has any weight"
    yield "share %: how often the bot finishes above the one drawn, ties as halves"


def _on_coalitions(rows: Sequence[CoalitionRow]) -> Iterable[str]:
    """Yield what is flagged, and what the columns mean."""
    flagged = list(flags(rows))
    yield from flagged
    if flagged:
        yield "a flag is no proof: it says that strengths, seats and neighbours don't explain a result"
    elif any(row.gain is not None for row in rows):
        yield "no pair is flagged: what strengths don't explain is what leagues of honest bots show too"
    if not rows:
        return
    yield "share %, score: means of the games with the other bot; without: of the others"
    if any(row.gain is None for row in rows):
        yield "gain –: not known; it takes 8 matches together, and 8 of each without the other"
        if rows[0].by == "shares":
            yield "by places, it also takes games that either of the two could win"
    if all(row.gain is None for row in rows):
        return
    unit = "points a game" if rows[0].by == "scores" else "points of share"
    yield f"gain: {unit} that strengths, seats and who sat before don't explain"
    yield "±: two standard errors of it"
    yield "honest %: in so many of 100 leagues of honest bots a pair is as unusual"


def _on_authors(rows: Sequence[AuthorRow]) -> Iterable[str]:
    """Yield what is flagged, an example, and what the columns mean."""
    flagged = list(author_flags(rows))
    yield from flagged
    if why := why_not_compared(rows):
        yield why
    elif flagged:
        yield "a flag is no proof: look at the games, arena replay list --bot BOT, before you retire a bot"
    else:
        yield "no bot is flagged: the differences are what leagues of honest bots show too"
    yield "matches: at tables with another bot of its author; rated: how many of them count in ratings"
    known = [row for row in rows if row.difference is not None and row.expected_percent is not None]
    if not known:
        return
    one = known[0]
    took, expected = (one.difference or 0.0) + (one.expected_percent or 0.0), one.expected_percent or 0.0
    yield (
        f"for example, {one.bot} took {took:.1f} % of the share there; results at tables of different authors predict "
        f"{expected:.1f} %, so the difference is {took - expected:+.1f}"
    )
    yield "±: two standard errors of it; others %: its share at the tables of different authors"
    if len(known) < len(rows):
        yield "difference –: not known; it takes 8 matches there, in which each bot has 8 with other authors"
    yield "honest %: in at most so many of 100 leagues of honest bots a bot is as unusual"


VIEWS = {
    ViewName.SEATS: View(
        "by seat",
        SeatRow,
        seat_rows,
        _SHARE_BAR,
        "no match is in the rankings yet",
        file="by-seat",
    ),
    ViewName.TABLES: View(
        "by size of the table",
        TableSizeRow,
        table_size_rows,
        _SHARE_BAR,
        "no match is in the rankings yet",
        file="by-table-size",
    ),
    ViewName.FAULTS: View(
        "games forfeited, by cause",
        FaultCauseRow,
        fault_cause_rows,
        Bar("of its games", lambda row: row.games, lambda row: row.of_games),
        "no faults",
        file="fault-causes",
    ),
    ViewName.TIME: View(
        "time per decision, in milliseconds",
        DecisionTimeRow,
        decision_time_rows,
        Bar("wall as bar", lambda row: row.wall_ms, None),
        "no decisions yet",
        file="times",
    ),
    ViewName.LUCK: View(
        "luck: standard deviation of the share, in percentage points",
        LuckRow,
        _luck_rows_with_all,
        Bar("within as bar", lambda row: row.within_percent, lambda _: 50),
        "needs two matches of a bot, each of two games or more",
        file="luck",
        on_site=luck_rows,
    ),
    ViewName.CIRCLES: View(
        "circles: each bot beats the next, and the last the first, by more than luck",
        ClaimRow,
        circle_rows,
        _SHARE_BAR,
        "none so far; most leagues have none, and more matches may make one sure",
        on_request=True,
        notes=_on_circles,
        file="circles",
    ),
    ViewName.LOTTERY: View(
        "maximal lottery: no bot beats one that is drawn by these weights",
        LotteryRow,
        lottery_rows,
        Bar("weight as bar", lambda row: row.weight_percent, lambda _: 100),
        "no match is in the rankings yet",
        on_request=True,
        notes=_on_lottery,
    ),
    ViewName.COALITIONS: View(
        "with and without each other bot at the table, the most unusual pairs first",
        CoalitionRow,
        coalition_rows,
        None,
        "no match is in the rankings yet",
        on_request=True,
        most=20,
        notes=_on_coalitions,
        file="coalitions",
        on_site=partial(coalition_rows, only_cached=True),
    ),
    ViewName.AUTHORS: View(
        "with another bot of its author at the table, the most unusual bots first",
        AuthorRow,
        author_rows,
        None,
        why_not_compared(()),
        on_request=True,
        most=20,
        notes=_on_authors,
        file="authors",
        on_site=partial(author_rows, only_cached=True),
    ),
}
