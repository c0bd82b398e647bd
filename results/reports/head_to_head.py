"""Head to head: how often each bot finished above each other."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType

from msgspec import field

from results.base.scoring import wilson
from results.records import LeagueRecord
from results.records.query_rows import HeadToHead
from results.reports.columns import ReportRow
from results.reports.ranking_columns import Placing
from results.reports.rankings import in_ranking_order
from results.store import Store

ROWS_AT_A_TIME = 64
"""Number of entries whose pairs are read together, so that a large field needs little memory."""


class CountedBy(StrEnum):
    """What to count."""

    MATCHES = "matches"
    """All games on one deal; the bot with the higher sum of shares finished above."""
    GAMES = "games"


class PairRow(ReportRow, frozen=True, kw_only=True):
    """One bot against another; each pair that met has two rows."""

    bot: str
    opponent: str
    played: int
    """Matches or games at the same table."""
    above: int
    tied: int
    below: int
    """How often the bot finished above, level with or below the opponent."""
    share_percent: float = field(name="share")
    """How often it finished above, ties as halves, in percent (0 to 100)."""
    low_percent: float = field(name="low")
    high_percent: float = field(name="high")
    """The ends of the 95 % interval of the share."""

    @property
    def is_one_sided(self) -> bool:
        """Whether the interval lies entirely above or entirely below one half."""
        return self.low_percent > 50 or self.high_percent < 50


def pair_rows(
    store: Store,
    league: LeagueRecord,
    counted_by: CountedBy,
    first: int | None = None,
    by_format: Mapping[int, Placing] = MappingProxyType({}),
) -> Iterator[PairRow]:
    """Yield every bot, or the `first` from the top, against every other that it met, in the order of the rankings."""
    standings = in_ranking_order(store, league, by_format)[:first]
    labels = {row.entry_no: row.label for row in standings}
    place = {row.entry_no: i for i, row in enumerate(standings)}
    order = list(place)
    for start in range(0, len(order), ROWS_AT_A_TIME):
        pairs = store.totals.head_to_head(league.uuid, order[start : start + ROWS_AT_A_TIME])
        pairs = [pair for pair in pairs if pair.opponent_no in place]
        for pair in sorted(pairs, key=lambda pair: (place[pair.entry_no], place[pair.opponent_no])):
            if (row := pair_row(pair, labels, counted_by)) is not None:
                yield row


def pair_row(pair: HeadToHead, labels: Mapping[int, str], counted_by: CountedBy) -> PairRow | None:
    """Return a bot against another; None if they haven't met. `labels`: by entry number."""
    played, above, tied = _counts(pair, counted_by)
    interval = wilson(above + tied / 2, played)
    if interval is None:
        return None
    return PairRow(
        bot=labels[pair.entry_no],
        opponent=labels[pair.opponent_no],
        played=played,
        above=above,
        tied=tied,
        below=played - above - tied,
        share_percent=100 * interval.middle,
        low_percent=100 * interval.low,
        high_percent=100 * interval.high,
    )


def is_against_order(pairs: Iterable[PairRow], labels: Sequence[str]) -> bool:
    """Return whether a bot of `labels`, which are best first, finished below one further down more often than above."""
    place = {label: number for number, label in enumerate(labels)}
    return any(
        pair.share_percent < 50 and place.get(pair.bot, len(place)) < place.get(pair.opponent, 0)
        for pair in pairs
    )


def _counts(pair: HeadToHead, counted_by: CountedBy) -> tuple[int, int, int]:
    if counted_by is CountedBy.GAMES:
        return pair.games, pair.games_above, pair.games_tied
    return pair.matches, pair.matches_above, pair.matches_tied
