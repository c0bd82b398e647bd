"""How long a comparison will take: the sequential test of `comparison`, simulated many times at once.

The sum of the results of some matches is drawn from a normal distribution. The log-likelihood ratios are those of the
test itself, as if there were two results, one standard deviation above and below the mean (or nearer to it at
the extremes), with the half matches that the
test adds at either extreme. The test is looked at at some hundred numbers of matches rather than after every match, so
answers come some percent late.
"""

from math import sqrt
from typing import TYPE_CHECKING

from msgspec import Struct

from results.analysis.comparison import ADDED_MATCHES, LEAST_MATCHES, Question

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

COMPARISONS = 200
"""How many are simulated: the mean has a standard error of about five percent."""
LOOKS = 150
LONGEST, LONGEST_OF_CLOSE = 60.0, 50.0
"""A comparison is followed for up to 60 (deviation / X)² + 50 / X matches; it takes about a fifth of that."""
_ROUNDS = 8
_EDGE = 1e-6
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
    import numpy as np

    rng = np.random.default_rng(_SEED)
    x = question.difference
    longest = LONGEST * (deviation / x) ** 2 + LONGEST_OF_CLOSE / x
    more = np.unique(np.round(np.geomspace(1 if matches else LEAST_MATCHES, longest, LOOKS)))[:, None]
    if difference is None:
        truth = estimate + rng.normal(0.0, deviation / sqrt(max(1, matches)), COMPARISONS)
    else:
        truth = np.full(COMPARISONS, difference)
    steps = np.diff(more, axis=0, prepend=0)
    drawn = rng.normal(0.0, 1.0, (len(more), COMPARISONS)) * deviation * np.sqrt(steps) + truth * steps
    sums = matches * estimate + np.cumsum(drawn, axis=0)
    is_over = _has_answer(question, matches + more, sums, deviation)
    first = np.where(is_over.any(axis=0), is_over.argmax(axis=0), len(more) - 1)
    taken = more[first, 0]
    return ComparisonLength(float(taken.mean()), float(np.quantile(taken, 0.9)))


def _has_answer(
    question: Question, matches: "Floats", sums: "Floats", deviation: float
) -> "NDArray[np.bool_]":
    """Return which comparisons have an answer after so many matches with that sum of results."""
    import numpy as np

    mean = np.clip(sums / matches, -1 + _EDGE, 1 - _EDGE)
    variance = np.minimum(deviation**2, 1 - mean**2)
    upper = np.minimum(mean + np.sqrt(variance), 1)
    lower = np.maximum(mean - variance / (upper - mean), -1)
    upper = mean + variance / (mean - lower)
    above = matches * (mean - lower) / (upper - lower)
    results = np.stack(np.broadcast_arrays(lower, upper, -1, 1))
    weights = np.stack(np.broadcast_arrays(matches - above, above, ADDED_MATCHES, ADDED_MATCHES))
    at_zero = _fit(results, weights, 0.0)
    fits = {
        side * step: _fit(results, weights, side * step)
        for step, _ in question.alternatives
        if step < 1
        for side in (1, -1)
    }

    def beyond(side: int) -> "Floats":
        logs = [
            log_weight + fits[side * step] - at_zero for step, log_weight in question.alternatives if step < 1
        ]
        return np.asarray(np.logaddexp.reduce(logs, axis=0), dtype=np.float64)

    nearest, log_weight = question.alternatives[0]
    level = log_weight + at_zero - np.maximum(fits[nearest], fits[-nearest])
    found = (beyond(1) >= question.bound) | (beyond(-1) >= question.bound) | (level >= question.bound)
    return np.asarray(found & (matches >= LEAST_MATCHES), dtype=np.bool_)


def _fit(results: "Floats", weights: "Floats", expectation: float) -> "Floats":
    """Return the log-likelihood of the best-fitting distribution with an expectation, as `SequentialTest` does.

    The first axis of the arrays is by result.
    """
    import numpy as np

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
