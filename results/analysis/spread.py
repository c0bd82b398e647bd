"""The luck of a match: how far apart two bots of equal strength end, as a standard deviation.

The results of a match are explained as in `least_squares`: the strength of the entry, less the mean strength of its
table. What is left is luck: the deal, the bots' own randomness, and who suits whom. If what is left of one entry's mean
result in a match has the variance s², and that of two entries at a table is independent, their difference has 2 s²;
centring on the mean of the table leaves (seats − 1) s² of a table, from which s² follows.
"""

from collections.abc import Sequence
from math import sqrt
from typing import TYPE_CHECKING

from msgspec import Struct

from results.analysis.match_sums import MatchSums, Measure, match_sums

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from results.records.query_rows import SeatResult

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

LEAST_FREEDOM = 30
"""Fewer degrees of freedom tell too little: the spread could be off by more than an eighth."""


class Spread(Struct, frozen=True, kw_only=True):
    """The luck in the difference of two bots' mean results in one match."""

    seats: int
    games: int
    """Of a match."""
    matches: int
    """How many it was measured from."""
    share: float
    """Standard deviation of the difference of mean shares; shares are from 0 to 1."""
    share_error: float
    """Standard error of `share`."""
    score: float
    """Standard deviation of the difference of mean scores, in points per game."""
    score_error: float
    """Standard error of `score`."""


def spread(blocks: "Sequence[Sequence[SeatResult] | Integers]", seats: int, games: int) -> Spread | None:
    """Return the luck of the matches at tables of that size that have so many games.

    For `blocks` see `match_sums`. None if there are too few matches, or nothing differs.
    """
    by_shares = _of(match_sums(blocks, Measure.SHARES), seats, games)
    by_scores = _of(match_sums(blocks, Measure.SCORES), seats, games)
    if by_shares is None or by_scores is None:
        return None
    shares, scores = _Luck(by_shares, by_shares.by_entry / 100), _Luck(by_scores, by_scores.by_entry)
    if shares.freedom < LEAST_FREEDOM or not shares.variance:
        return None
    return Spread(
        seats=seats,
        games=games,
        matches=len(by_shares.matches),
        share=shares.deviation,
        share_error=shares.error,
        score=scores.deviation,
        score_error=scores.error,
    )


def _of(sums: Sequence[MatchSums], seats: int, games: int) -> MatchSums | None:
    """Return the sums at tables of one size, with only the matches of so many games."""
    for one in sums:
        if one.seats == seats:
            kept = one.games == games
            return MatchSums(seats, *(getattr(one, name)[kept] for name in MatchSums.__struct_fields__[1:]))
    return None


class _Luck:
    """What strengths and seats don't explain of the mean results of some matches at tables of one size."""

    def __init__(self, sums: MatchSums, by_entry: "Floats") -> None:
        """Explain the results `by_entry`: by match and place, centred, summed over the games."""
        import numpy as np

        seats, count = sums.seats, len(sums.matches)
        numbers, which = np.unique(sums.entries, return_inverse=True)
        which, size = which.reshape(-1, seats), len(numbers)
        results = by_entry / sums.games[:, None]
        if (sums.seated.max(initial=0) > sums.seated.min(initial=0)) and count:
            seated = sums.seated / sums.games[:, None, None]
            of_seat = np.einsum("mp,mps->s", results, seated) / count
            results = results - seated @ of_seat
            results = results - results.mean(axis=1, keepdims=True)
        met = np.zeros(size * size)
        pairs = which[:, :, None] * size + which[:, None, :]
        np.add.at(met, pairs.ravel(), np.tile((np.eye(seats) - 1 / seats).ravel(), count))
        right = np.bincount(which.ravel(), results.ravel(), size)
        strengths, _, rank, _ = np.linalg.lstsq(met.reshape(size, size), right, rcond=1e-9)
        expected = strengths[which]
        left = results - (expected - expected.mean(axis=1, keepdims=True))
        self.freedom = count * (seats - 1) - int(rank)
        squares = (left**2).sum(axis=1)
        self.variance = float(squares.sum()) / max(1, self.freedom)
        """Of one entry's result."""
        self._relative_error = float(squares.std() / squares.mean()) / sqrt(count) if self.variance else 0.0

    @property
    def deviation(self) -> float:
        """Standard deviation of the difference of two."""
        return sqrt(2 * self.variance)

    @property
    def error(self) -> float:
        """Its standard error; half of the relative one of the variance."""
        return self.deviation * self._relative_error / 2
