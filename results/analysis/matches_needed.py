"""How many matches tell two bots apart, and how far apart bots must be for a league to tell.

Two bots are told apart if the difference of their strengths is significant at `CONFIDENCE`, two-sided. Forecasts are
for the number of matches that tells two bots apart with the probability `POWER`. A gap is the expected difference of
two bots' mean results in a match that both play. If all entries meet equally often, every difference of two strengths
has the variance (entries − 1) / sum over the matches of (seats − 1) / d², where d is the standard deviation of the
difference of two in one match (`Spread`).

Sources: Yates, "Incomplete randomized blocks" (1936), for the design; Abramowitz and Stegun, "Handbook of
mathematical functions" (1964), 26.7.5, for Student's t; any text on sample sizes for the rest.
"""

from collections.abc import Mapping
from functools import cache
from math import ceil, inf, sqrt
from statistics import NormalDist

CONFIDENCE = 0.95
POWER = 0.8
_ROUNDS = 50
_LEAST_MATCHES = 2.0
"""An entry with fewer has no interval."""


def matches_of_league(gap: float, deviation: float, entries: int, seats: int) -> int:
    """Return how many matches of a league at tables of one size tell a gap, if all play equally often."""
    return _least((deviation / gap) ** 2 * (entries - 1) / (seats - 1), seats / entries)


def gap_told(matches: Mapping[int, float], deviations: Mapping[int, float], entries: int) -> float:
    """Return the gap that a league tells, in the unit of the deviations; both are by table size.

    Raises ValueError without any match.
    """
    told = sum(count * (seats - 1) / deviations[seats] ** 2 for seats, count in matches.items())
    if told <= 0:
        raise ValueError("a league without matches tells nothing")
    each = sum(count * seats / entries for seats, count in matches.items())
    return errors_of_gap(each) * sqrt((entries - 1) / told)


def matches_to_tell(
    gap: float, halves: tuple[float, float], matches: int, of_each: tuple[int, int], entries: int
) -> float:
    """Return about how many matches a league needs to tell two of its entries apart that look `gap` apart so far.

    `halves`: half the width of each one's interval after so many `matches`, of which it has played `of_each`. The error
    of the difference is not kept, and is taken from those of the two: if all entries meet equally often, each has the
    covariance −variance / (entries − 1) with each other one. Infinite for a gap of 0.
    """
    least = min(of_each)
    if not gap or least < _LEAST_MATCHES:
        return inf
    errors = [
        half / _student((1 + CONFIDENCE) / 2, max(each, _LEAST_MATCHES) - 1)
        for half, each in zip(halves, of_each, strict=True)
    ]
    variance = (errors[0] ** 2 + errors[1] ** 2) * entries / (entries - 1)
    return _least(matches * variance / gap**2, least / matches)


def errors_of_gap(matches: float) -> float:
    """Return how many standard errors a gap must be to be told with `POWER`, by the matches that each of the two has.

    With many it is 2.80, the sum of two quantiles of the normal distribution. With few it is larger, as the rankings
    use Student's t and add the scatter of one imaginary match.
    """
    each = max(matches, _LEAST_MATCHES)
    quantiles = _student((1 + CONFIDENCE) / 2, each - 1) + _student(POWER, each - 1)
    return quantiles * sqrt(1 + 1 / each)


def _least(matches: float, part: float) -> int:
    """Return how many matches there must be, if each of the two plays in this `part` of them."""
    needed = matches
    for _ in range(_ROUNDS):
        before, needed = needed, matches * errors_of_gap(needed * part) ** 2
        if needed == before:
            break
    return max(1, ceil(needed), ceil(_LEAST_MATCHES / part))


def _student(probability: float, freedom: float) -> float:
    """Return a quantile of Student's t, from the first terms of its expansion around the normal distribution."""
    z = _normal(probability)
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


@cache
def _normal(probability: float) -> float:
    """Return a quantile of the normal distribution."""
    return NormalDist().inv_cdf(probability)
