"""What moves cost the bots of a league, beside how strong they are."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from math import fsum, sqrt
from typing import Annotated, Protocol

from msgspec.structs import replace

from results.records import LeagueRecord
from results.reports.charts import Dot
from results.reports.columns import Column, ReportRow, in_percent, row_from
from results.reports.fits import cached_fit, fit_by_of
from results.reports.ranking_columns import MoveCost, RankingRow, Rankings
from results.reports.rankings import rankings
from results.store import Store

Z = 1.96
"""Standard errors of a 95 % interval."""


class Priced(Protocol):
    """The price of one decision."""

    @property
    def kind(self) -> str:
        """Of the decision, such as `first_card`."""

    @property
    def price(self) -> float:
        """In points."""


class PricedSeat(Protocol):
    """The prices of one bot's moves in one game."""

    @property
    def prices(self) -> Sequence[Priced]:
        """In the order of the game."""


class PriceRow(ReportRow, frozen=True, kw_only=True):
    """What the moves of one bot cost it: by how many points another move would have been better.

    Columns:
        bot: The bot
        price: What a decision cost on average: by how many points another move would have been better
        low: The ends of its 95 % interval; none from a single game
        strength: By the fit if the league has one, otherwise the rating
        games: Games whose moves have prices, of the newest 100 of the league
        decisions: Moves that have a price
        dearest: The kind of decision that costs it most in all
        dearest_percent: The part of all costs that is of this kind
    """

    bot: Annotated[str, Column(priority=0)]
    price: Annotated[float, Column("points a decision", 3, priority=0)]
    low: Annotated[float | None, Column("from", 3, priority=2)]
    high: Annotated[float | None, Column("to", 3, priority=2)]
    strength: Annotated[float | None, Column(decimals=2, priority=3)] = None
    games: Annotated[int, Column(priority=4)]
    decisions: Annotated[int, Column(priority=5)]
    dearest: Annotated[str, Column("costs most", priority=1)]
    dearest_percent: Annotated[float, Column("% of it", 0, priority=6)]


def price_rows(
    store: Store, league: LeagueRecord, seats: Iterable[tuple[int, PricedSeat]], entry_no: int | None = None
) -> list[PriceRow]:
    """Return the bots whose moves have prices, those whose moves cost least first.

    `seats`: with the number of the entry at each · `entry_no`: only this one.
    """
    known = [(entry, seat) for entry, seat in seats if entry_no in (None, entry)]
    if not known:
        return []
    fit = cached_fit(store, league.uuid, fit_by_of(league)) if league.rated else None
    return summed(known, rankings(store, league, fit).rows, store.entries.labels(league.uuid))


def summed(
    seats: Iterable[tuple[int, PricedSeat]], rows: Sequence[RankingRow], labels: Mapping[int, str]
) -> list[PriceRow]:
    """Return what is known of each bot; `rows`: the rankings, for their strengths.

    The error of a mean over all decisions is by games: that of a ratio of two sums over games.
    """
    games: dict[int, list[Sequence[Priced]]] = defaultdict(list)
    for entry, seat in seats:
        if seat.prices and entry in labels:
            games[entry].append(seat.prices)
    strengths = {row.label: row.strength.value if row.strength else row.mu for row in rows}
    found = []
    for entry, played in games.items():
        sums = [(fsum(one.price for one in game), len(game)) for game in played]
        total, decisions = fsum(cost for cost, _ in sums), sum(count for _, count in sums)
        mean = total / decisions
        spread = fsum((cost - mean * count) ** 2 for cost, count in sums) * len(sums) / max(1, len(sums) - 1)
        half = Z * sqrt(spread) / decisions if len(sums) > 1 else None
        kinds: dict[str, list[float]] = defaultdict(list)
        for one in chain.from_iterable(played):
            kinds[one.kind].append(one.price)
        dearest = max(sorted(kinds), key=lambda kind: fsum(kinds[kind]))
        part = fsum(kinds[dearest]) / total if total > 0 else 0.0
        found.append(
            PriceRow(
                bot=labels[entry],
                price=mean,
                low=None if half is None else mean - half,
                high=None if half is None else mean + half,
                strength=strengths.get(labels[entry]),
                games=len(played),
                decisions=decisions,
                dearest=dearest.replace("_", " "),
                dearest_percent=in_percent(min(1.0, part)),
            )
        )
    return sorted(found, key=lambda row: (row.price, row.bot))


def with_costs(found: Rankings, rows: Iterable[PriceRow]) -> Rankings:
    """Return rankings with what moves cost."""
    costs = {row.bot: row_from(row, MoveCost) for row in rows}
    return replace(found, rows=tuple([replace(row, cost=costs.get(row.label)) for row in found.rows]))


def dots(rows: Iterable[PriceRow]) -> list[Dot]:
    """Return the bots as dots of a chart: strength to the right, price upwards."""
    return [
        Dot(
            row.bot,
            row.strength,
            row.price,
            row.price if row.low is None else row.low,
            row.price if row.high is None else row.high,
        )
        for row in rows
        if row.strength is not None
    ]
