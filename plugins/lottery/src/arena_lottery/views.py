"""The view `lottery` of `arena stats`."""

from collections.abc import Iterable, Sequence
from typing import Annotated

from msgspec import field

from results.records import LeagueRecord
from results.reports.columns import Column, ReportRow, percent
from results.reports.statistics_views import Bar, View
from results.store import Store


class LotteryRow(ReportRow, frozen=True, kw_only=True):
    """What a bot has in the maximal lottery."""

    bot: Annotated[str, Column(priority=0)]
    weight_percent: Annotated[
        float,
        Column(
            decimals=1,
            priority=1,
            help="How often to draw this bot so that no other bot beats the draw on average",
        ),
    ] = field(name="weight")
    low_percent: Annotated[
        float | None, Column("from", 1, priority=3, help="Lower end of the 95 % interval of the weight")
    ] = field(name="low")
    high_percent: Annotated[
        float | None, Column("to", 1, priority=3, help="Upper end of the 95 % interval of the weight")
    ] = field(name="high")
    """The ends of the 95 % interval of the weight; these and the next are None without samples."""
    drawn_percent: Annotated[
        float | None,
        Column(
            "in samples %",
            1,
            priority=4,
            help="In how many of 100 leagues like this one it would have a weight",
        ),
    ] = field(name="drawn")
    share_percent: Annotated[
        float,
        Column(decimals=1, priority=2, help="How often it finishes above a bot drawn like this; at most 50"),
    ] = field(name="share")


def lottery_rows(store: Store, league: LeagueRecord, entry_no: int | None = None) -> list[LotteryRow]:
    """Return the lottery of all bots that played, or the row of one; the greatest weights first."""
    from arena_lottery.lottery import lottery
    from arena_lottery.pair_parts import pair_parts

    labels = store.entries.labels(league.uuid)
    found = lottery(pair_parts(store, league))
    ordered = sorted(found.weights, key=lambda one: (-one.weight, -one.margin, one.entry_no))
    return [
        LotteryRow(
            bot=labels[one.entry_no],
            weight_percent=100 * one.weight,
            low_percent=percent(one.low),
            high_percent=percent(one.high),
            drawn_percent=percent(one.drawn),
            share_percent=50 + 50 * one.margin,
        )
        for one in ordered
        if entry_no in (None, one.entry_no)
    ]


def _on_lottery(rows: Sequence[LotteryRow]) -> Iterable[str]:
    """Yield what the columns mean."""
    if not rows:
        return
    yield "weight %: how often the lottery draws the bot; copies of a bot share its weight"
    if any(row.low_percent is not None for row in rows):
        yield "from, to: 95 % confidence interval of the weight, from resampled matches"
        yield "in samples %: how many resamples give the bot any weight; 80 is 4 of 5"
    yield "share %: how often it finishes above the bot drawn, a tie counting half"


LOTTERY = View(
    "maximal lottery: draw a bot with these weights: no other beats it on average",
    LotteryRow,
    lottery_rows,
    Bar("weight as bar", lambda row: row.weight_percent, lambda _: 100),
    "no match is in the rankings yet",
    notes=_on_lottery,
)
