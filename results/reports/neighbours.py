"""The order of rankings: which neighbours are not told apart, and where plain results have another order."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from results.reports.fitted_strengths import MOST_TO_TELL

if TYPE_CHECKING:
    from results.reports.head_to_head import PairRow
    from results.reports.ranking_table import RankingRow


class Undecided(NamedTuple):
    """Two neighbours that are not told apart."""

    upper: str
    lower: str
    """Their labels."""
    matches: int | None
    """As `RankingRow.matches_to_tell`."""


def undecided(rows: "Sequence[RankingRow]") -> tuple[Undecided, ...]:
    """Return the neighbours that are not told apart, pair by pair; those first that would be told soonest.

    `rows`: all rows of rankings, as each is compared with the one above it.
    """
    found = [
        Undecided(upper.label, lower.label, lower.matches_to_tell)
        for upper, lower in pairwise(row for row in rows if row.rank is not None)
        if lower.apart is False
    ]
    return tuple(sorted(found, key=lambda pair: pair.matches or MOST_TO_TELL + 1))


def is_against_order(pairs: "Iterable[PairRow]", labels: Sequence[str]) -> bool:
    """Return whether a bot of `labels`, which are best first, finished below one further down more often than above."""
    place = {label: number for number, label in enumerate(labels)}
    return any(
        pair.share_percent < 50 and place.get(pair.bot, len(place)) < place.get(pair.opponent, 0)
        for pair in pairs
    )


def is_against_shares(rows: "Sequence[RankingRow]") -> bool:
    """Return whether an entry is ranked above one with a higher share."""
    shares = [row.share_percent or 0.0 for row in rows if row.rank is not None]
    return any(later > earlier for earlier, later in pairwise(shares))
