"""What forecasts need of results: the luck of a match, and how long a comparison takes.

**Luck** is how far apart two bots of equal strength end, as a standard deviation: what `least_squares` leaves
unexplained of a match. If what is left of one entry's mean result in a match has the variance s², and that of two
entries at a table is independent, their difference has 2 s²; centring leaves (seats − 1) s² of a table.

**The length of a comparison** is that of the `sequential_test`, simulated many times at once. The sum of the results of
some matches is drawn from a normal distribution. The log-likelihood ratios are those of the test itself, as if there
were two results, one standard deviation above and below the mean (or nearer to it at the extremes), with the half
matches that the test adds at either extreme. How far results seem to go with those before by chance, which makes the
bound of the test larger, is drawn as well; how far a lead fades follows from the sums. The test is looked at at some
hundred numbers of matches rather than after every match, with a correction for what happens between them.
"""

from collections.abc import Callable, Sequence
from math import sqrt

import numpy as np
from msgspec import Struct

from results.analysis.fit_results import Measure
from results.analysis.match_sums import Bools, Floats, Integers, MatchSums, match_sums
from results.analysis.sequential_test import (
    ADDED_MATCHES,
    FADES,
    FAR,
    SETTLED_MATCHES,
    WIDENS,
    WIDENS_BY,
    Question,
)
from results.base.scoring import NO_PARTNERS, Partners
from results.records.query_rows import SeatResult

LEAST_FREEDOM = 30
"""Fewer degrees of freedom tell too little: the spread could be off by more than an eighth."""


class Spread(Struct, frozen=True, kw_only=True):
    """The luck in the difference of two bots' mean results in one match."""

    seats: int
    games: int
    matches: int
    share: float
    """Standard deviation of the difference of mean shares; shares are from 0 to 1."""
    share_error: float
    score: float
    """Standard deviation of the difference of mean scores, in points per game."""
    score_error: float


def spread(
    blocks: Sequence[Sequence[SeatResult] | Integers],
    seats: int,
    games: int,
    partners: Partners = NO_PARTNERS,
) -> Spread | None:
    """Return the luck of the matches at tables of that size that have so many games.

    For `blocks` see `match_sums`. None if there are too few matches, or nothing differs.
    """
    by_shares = _of(match_sums(blocks, Measure.SHARES, partners), seats, games)
    by_scores = _of(match_sums(blocks, Measure.SCORES, partners), seats, games)
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
            return one.taken(one.games == games)
    return None


class _Luck:
    """What strengths and seats don't explain of the mean results of some matches at tables of one size."""

    def __init__(self, sums: MatchSums, by_entry: Floats) -> None:
        """Explain the results `by_entry`: by match and place, centred, summed over the games."""
        seats, sides, count = sums.seats, sums.sides, len(sums.matches)
        numbers, which = np.unique(sums.entries, return_inverse=True)
        which, size = which.reshape(-1, seats), len(numbers)
        results = by_entry / sums.games[:, None]
        if (sums.seated.max(initial=0) > sums.seated.min(initial=0)) and count:
            seated = sums.seated / sums.games[:, None, None]
            of_seat = np.einsum("mp,mps->s", results, seated) / count / (seats / sides)
            results = results - seated @ of_seat
            results = results - results.mean(axis=1, keepdims=True)
        met = np.zeros(size * size)
        pairs = which[:, :, None] * size + which[:, None, :]
        centring = np.tile(np.eye(seats) - 1 / seats, (count, 1, 1))
        if sums.side is not None:
            centring = sums.same_side(slice(None)) - 1 / sides
        np.add.at(met, pairs.ravel(), centring.ravel())
        right = np.bincount(which.ravel(), results.ravel(), size)
        strengths, _, rank, _ = np.linalg.lstsq(met.reshape(size, size), right, rcond=1e-9)
        expected = strengths[which]
        left = results - (
            expected - expected.mean(axis=1, keepdims=True)
            if sums.side is None
            else np.einsum("mij,mj->mi", centring, expected)
        )
        self.freedom = count * (sides - 1) - int(rank)
        squares = (left**2).sum(axis=1) * (sides / seats)
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


COMPARISONS = 200
"""How many are simulated: the mean has a standard error of about five percent."""
LOOKS = 150
_TOGETHER = 1.6
"""The sum of the correlations with the three matches before, where they are chance: so many times their weighted sum in
standard errors, divided by √matches."""
LONGEST, LONGEST_OF_CLOSE = 60.0, 50.0
"""A comparison is followed for up to 60 (deviation / X)² + 50 / X matches; it takes about a fifth of that."""
_ROUNDS = 8
_EDGE = 1e-6
_MISSED = 0.58
"""Broadie, Glasserman and Kou, "A continuity correction for discrete barrier options" (1997)."""
_SEED = 1947


class ComparisonLength(Struct, frozen=True):
    """How many matches a comparison takes until its answer."""

    mean: float
    most: float
    """Nine comparisons of ten take at most so many."""


def comparison_length(
    question: Question, deviation: float, difference: float | None, *, matches: int = 0, estimate: float = 0.0
) -> ComparisonLength:
    """Return how many matches a comparison takes from the first one on, or more than the `matches` that it has.

    `deviation`: of the result of one match, above 0 · `difference`: the true expectation, which nobody knows before;
    None: whatever is likely after `matches` with the mean result `estimate`.
    """
    rng = np.random.default_rng(_SEED)
    x = question.difference
    least = max(1, question.fewest - matches)
    longest = LONGEST * (deviation / x) ** 2 + LONGEST_OF_CLOSE / x
    more = np.unique(np.round(np.geomspace(least, max(least, longest), LOOKS)))[:, None]
    if difference is None:
        truth = estimate + rng.normal(0.0, deviation / sqrt(max(1, matches)), COMPARISONS)
    else:
        truth = np.full(COMPARISONS, difference)
    steps = np.diff(more, axis=0, prepend=0)
    drawn = rng.normal(0.0, 1.0, (len(more), COMPARISONS)) * deviation * np.sqrt(steps) + truth * steps
    sums = matches * estimate + np.cumsum(drawn, axis=0)
    chance = rng.normal(0.0, sqrt(matches), COMPARISONS) + np.cumsum(
        rng.normal(0.0, np.sqrt(steps), drawn.shape), axis=0
    )
    together = np.where(chance > WIDENS * np.sqrt(matches + more), chance, 0.0) / (matches + more)
    widened = 1 + 2 * _TOGETHER * together
    is_over = _has_answer(question, matches + more, sums, deviation, question.bound * widened)
    first = np.where(is_over.any(axis=0), is_over.argmax(axis=0), len(more) - 1)
    taken = more[first, 0]
    return ComparisonLength(float(taken.mean()), float(np.quantile(taken, 0.9)))


def _fading(matches: Floats, sums: Floats, deviation: float) -> Floats:
    """Return how much larger the bound of a lead is because it fades, as `SequentialTest.answer` has it."""
    found = np.ones_like(sums)
    for row in range(1, len(sums)):
        ahead = sums[:row] - matches[:row] * (sums[row] / matches[row])
        farthest = (np.sign(sums[row]) * ahead).max(axis=0) / (deviation * sqrt(matches[row, 0]))
        found[row] += WIDENS_BY * np.maximum(0.0, farthest - FADES)
    return found


def _has_answer(question: Question, matches: Floats, sums: Floats, deviation: float, bound: Floats) -> Bools:
    """Return which comparisons have an answer after so many matches with that sum of results, at that bound.

    Between two looks, sums come closer to an answer than at either: by 0.58 standard deviations of what is added.
    """
    missed = _MISSED * deviation * np.maximum(0.0, np.sqrt(np.diff(matches, axis=0, prepend=0)) - 1)
    ahead = np.abs(sums)
    nearest, log_weight = question.alternatives[0]
    fit = _fits(matches, np.maximum(0.0, ahead - missed), deviation)
    level = log_weight + fit(0.0) - fit(nearest) >= bound
    fit = _fits(matches, ahead + missed, deviation)

    def beyond(value: float) -> Floats:
        logs = [
            log_weight + fit(value + step) for step, log_weight in question.alternatives if value + step < 1
        ]
        return np.asarray(np.logaddexp.reduce(logs, axis=0) - fit(value), dtype=np.float64)

    leads = beyond(0.0) >= bound * _fading(matches, sums, deviation)
    if question.least_matches is not None:
        return np.asarray((leads | level) & (matches >= question.least_matches), dtype=np.bool_)
    settled = matches >= SETTLED_MATCHES
    return np.asarray((leads & (settled | (beyond(FAR) >= bound))) | (level & settled), dtype=np.bool_)


def _fits(matches: Floats, sums: Floats, deviation: float) -> Callable[[float], Floats]:
    """Return what gives the log-likelihood of an expectation after so many matches with that sum of results."""
    mean = np.clip(sums / matches, -1 + _EDGE, 1 - _EDGE)
    variance = np.minimum(deviation**2, 1 - mean**2)
    upper = np.minimum(mean + np.sqrt(variance), 1)
    lower = np.maximum(mean - variance / (upper - mean), -1)
    upper = mean + variance / (mean - lower)
    above = matches * (mean - lower) / (upper - lower)
    results = np.stack(np.broadcast_arrays(lower, upper, -1, 1))
    weights = np.stack(np.broadcast_arrays(matches - above, above, ADDED_MATCHES, ADDED_MATCHES))
    return lambda expectation: _likelihood(results, weights, expectation)


def _likelihood(results: Floats, weights: Floats, expectation: float) -> Floats:
    """Return the log-likelihood of the best-fitting distribution with an expectation, as `SequentialTest` does.

    The first axis of the arrays is by result.
    """
    shifted = results - expectation
    low, high = -1 / (1 - expectation), 1 / (1 + expectation)
    theta = np.zeros(results.shape[1:])
    lower, upper = np.full_like(theta, low), np.full_like(theta, high)
    for _ in range(_ROUNDS):
        part = shifted / (1 + theta * shifted)
        slope = (weights * part).sum(axis=0)
        lower, upper = np.where(slope > 0, theta, lower), np.where(slope > 0, upper, theta)
        step = slope / (weights * part * part).sum(axis=0)
        theta = theta + np.clip(step, 0.9 * (lower - theta), 0.9 * (upper - theta))
    return np.asarray(-(weights * np.log1p(theta * shifted)).sum(axis=0), dtype=np.float64)
