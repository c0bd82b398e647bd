"""The maximal lottery of a league: an extra view of its bots that clones can't move."""

from typing import TYPE_CHECKING

from msgspec import field

from results.analysis.lottery import lottery
from results.records import LeagueRecord
from results.reports.columns import ReportRow

if TYPE_CHECKING:
    from results.store import Store


class LotteryRow(ReportRow, frozen=True, kw_only=True):
    """What a bot has in the maximal lottery."""

    bot: str
    weight_percent: float = field(name="weight")
    """How often the lottery draws it, in percent (0 to 100)."""
    low_percent: float | None = field(name="low")
    high_percent: float | None = field(name="high")
    """The ends of the 95 % interval of the weight; these and the next are None without samples."""
    drawn_percent: float | None = field(name="drawn")
    """In how many of the samples it has a weight, in percent."""
    share_percent: float = field(name="share")
    """Its expected share of matches against a bot drawn from the lottery, ties as halves, in percent: at most 50."""


def lottery_rows(store: "Store", league: LeagueRecord, entry_no: int | None = None) -> list[LotteryRow]:
    """Return the lottery of all bots that played, or the row of one; the greatest weights first."""
    labels = {entry.entry_no: entry.label for entry in store.entries.all(league.uuid)}
    found = lottery(store.totals.pair_parts(league.uuid))
    ordered = sorted(found.weights, key=lambda one: (-one.weight, -one.margin, one.entry_no))
    return [
        LotteryRow(
            bot=labels[one.entry_no],
            weight_percent=100 * one.weight,
            low_percent=_percent(one.low),
            high_percent=_percent(one.high),
            drawn_percent=_percent(one.drawn),
            share_percent=50 + 50 * one.margin,
        )
        for one in ordered
        if entry_no in (None, one.entry_no)
    ]


def _percent(part: float | None) -> float | None:
    return None if part is None else 100 * part
