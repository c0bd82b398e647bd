"""TrueSkill's messages, in as few operations as they take: of entries that play for themselves, and of sides.

The schedule is that of the trueskill package: sweeps along the chain of neighbours and back, until no observation
changes by more than `LEAST_CHANGE`. The arithmetic is not: a message through a sum of variances is written as
π / (1 + v π) instead of by dividing twice, and what a pass leaves as it is isn't computed again. So results agree with
the package's to about 1e-12 of σ, unless rounding decides whether another pass is made.

Source of the method: Herbrich, Minka and Graepel, "TrueSkill: A Bayesian Skill Rating System" (2007), figure 1.
"""

from collections.abc import Sequence
from math import erfc, exp, expm1, pi, sqrt
from typing import NamedTuple

LEAST = 1e-9
"""The smallest fraction of the variance that a result can leave; keeps precisions finite."""

_FAR = 30.0
"""From here on, short series in 1 / t are exact to at least six digits."""
_SQRT_HALF = sqrt(0.5)
_SQRT_HALF_PI = sqrt(pi / 2)
_SQRT_TWO_PI = sqrt(2 * pi)


def mills(t: float) -> float:
    """Return the probability above t of the standard normal distribution, divided by its density at t; t ≥ 0."""
    if t < _FAR:
        return _SQRT_HALF_PI * exp(t * t / 2) * erfc(t * _SQRT_HALF)
    u = 1 / (t * t)
    return (1 - u * (1 - 3 * u * (1 - 5 * u * (1 - 7 * u * (1 - 9 * u))))) / t


def win(x: float) -> tuple[float, float]:
    """Return v and w of a win: the difference is above the cut.

    `x` is how far the mean of the difference lies above the cut, in standard deviations; any finite number.
    """
    if x >= 0:
        # 0 far up: an expected result changes nothing.
        v = exp(-x * x / 2) / _SQRT_TWO_PI / (1 - erfc(x * _SQRT_HALF) / 2)
        left = 1 - v * (v + x) if v else 1.0
    elif x > -_FAR:
        v = 1 / (_SQRT_HALF_PI * exp(x * x / 2) * erfc(-x * _SQRT_HALF))  # `mills`, written out
        left = 1 - v * (v + x)
    else:
        t = -x
        u = 1 / (t * t)
        v = t + (1 - 2 * u * (1 - 5 * u)) / t
        left = u * (1 - 6 * u + 50 * u * u)
    return v, 0.0 if left > 1.0 else 1 - (left if left > LEAST else LEAST)


def draw(d: float, margin: float) -> tuple[float, float]:
    """Return v and w of a draw: the difference is within ± margin.

    `d`: the mean of the difference, any finite number; `margin`: above 0; both in standard deviations.
    """
    distance = abs(d)
    near, far = margin - distance, -margin - distance  # the window, relative to the mean
    if margin * (1 + distance) < 1e-3:
        # The window is so narrow that its density is nearly a straight line.
        v = -distance * (1 - margin * margin / 3)
        left = margin * margin / 3
    elif near > -1:
        mass = (erfc(-near * _SQRT_HALF) - erfc(-far * _SQRT_HALF)) / 2
        at_near, at_far = exp(-near * near / 2) / _SQRT_TWO_PI, exp(-far * far / 2) / _SQRT_TWO_PI
        v = (at_far - at_near) / mass
        left = 1 - v * v - (near * at_near - far * at_far) / mass
    else:
        # Far out: everything in units of the density at the near edge.
        falls = -2 * margin * distance  # log of the density at the far edge
        ratio = exp(falls)
        mass = mills(-near) - ratio * mills(-far)
        v = expm1(falls) / mass
        left = 1 - v * v - (near - ratio * far) / mass
    v = far if v < far else near if v > near else v
    widest = margin * margin  # no distribution on a window is wider than half its width
    left = widest if widest < left else left
    return (-v if d < 0 else v), 0.0 if left > 1.0 else 1 - (left if left > LEAST else LEAST)


LEAST_CHANGE = 0.0001
"""Messages are passed until none changes by more, as in the package."""
MOST_PASSES = 10


class Parameters(NamedTuple):
    """The parameters of all matches of a league."""

    beta: float
    """Spread of a performance."""
    tau: float
    """How much σ grows before each match."""
    margin: float
    """Performances closer than this tie."""


def rated(
    parameters: Parameters, before: Sequence[tuple[float, float]], ranks: Sequence[int]
) -> list[tuple[float, float]]:
    """Return μ and σ of each entry after one match, from those `before`.

    The entries are in the order of finishing, two or more; neighbours of equal rank tied. Raises ArithmeticError or
    ValueError if the numbers fail.
    """
    beta_squared = parameters.beta * parameters.beta
    tau_squared = parameters.tau * parameters.tau
    skills = [sigma * sigma + tau_squared for _, sigma in before]
    if len(before) == 2:
        return _two(parameters, before, skills, tied=ranks[0] == ranks[1])
    precisions, shifts = [], []
    """By entry: the precision of its performance and μ times that, as long as nothing has been observed."""
    for (mu, _), skill in zip(before, skills, strict=True):
        precision = 1.0 / (skill + beta_squared)
        precisions.append(precision)
        shifts.append(mu * precision)
    told = _observed(parameters.margin, precisions, shifts, ranks)
    after = []
    for (mu, _), skill, (precision, shift) in zip(before, skills, told, strict=True):
        narrowed = 1.0 + beta_squared * precision
        variance = skill * narrowed / (narrowed + skill * precision)
        after.append((mu + variance * (shift - mu * precision) / narrowed, sqrt(variance)))
    return after


def rated_sides(
    parameters: Parameters, before: Sequence[Sequence[tuple[float, float]]], ranks: Sequence[int]
) -> list[list[tuple[float, float]]]:
    """Do the same for sides with members, each performing as the sum of its members. Raises ArithmeticError."""
    beta_squared = parameters.beta * parameters.beta
    tau_squared = parameters.tau * parameters.tau
    means = [sum(mu for mu, _ in side) for side in before]
    variances = [sum(sigma * sigma + tau_squared + beta_squared for _, sigma in side) for side in before]
    gains: list[tuple[float, float]]
    """By side: by how much a result moves μ and narrows the variance, for each unit of a member's variance."""
    if len(before) == 2:
        variance = variances[0] + variances[1]
        spread = sqrt(variance)
        ahead, margin = (means[0] - means[1]) / spread, parameters.margin / spread
        v, w = draw(ahead, margin) if ranks[0] == ranks[1] else win(ahead - margin)
        gains = [(v / spread, w / variance), (-v / spread, w / variance)]
    else:
        precisions = [1.0 / variance for variance in variances]
        shifts = [mean * precision for mean, precision in zip(means, precisions, strict=True)]
        told = _observed(parameters.margin, precisions, shifts, ranks)
        gains = [
            (
                (shift - precision * mean) / (1.0 + precision * variance),
                precision / (1.0 + precision * variance),
            )
            for (precision, shift), mean, variance in zip(told, means, variances, strict=True)
        ]
    return [
        [
            (
                mu + (sigma * sigma + tau_squared) * moved,
                sqrt((s := sigma * sigma + tau_squared) * (1.0 - s * narrowed)),
            )
            for mu, sigma in side
        ]
        for side, (moved, narrowed) in zip(before, gains, strict=True)
    ]


def _two(
    parameters: Parameters, before: Sequence[tuple[float, float]], skills: Sequence[float], *, tied: bool
) -> list[tuple[float, float]]:
    """Do the same for two entries, where the first pass is exact."""
    (first, _), (second, _) = before
    one, other = skills
    variance = one + other + 2 * parameters.beta * parameters.beta
    spread = sqrt(variance)
    ahead, margin = (first - second) / spread, parameters.margin / spread
    v, w = draw(ahead, margin) if tied else win(ahead - margin)
    moved = v / spread
    narrowed = w / variance
    return [
        (first + one * moved, sqrt(one * (1.0 - one * narrowed))),
        (second - other * moved, sqrt(other * (1.0 - other * narrowed))),
    ]


def _observed(
    margin: float, precisions: Sequence[float], shifts: Sequence[float], ranks: Sequence[int]
) -> list[tuple[float, float]]:
    """Return what the result tells of each performance: a precision, and a mean times that.

    `precisions` and `shifts` describe the performances before, in the same way.
    """
    pairs = len(precisions) - 1
    draws = [ranks[pair] == ranks[pair + 1] for pair in range(pairs)]
    seen_pi, seen_tau = [0.0] * pairs, [0.0] * pairs  # from each result to the difference
    # To each entry, from the one that finished before it, and from the one that finished after it.
    up_pi, up_tau = [0.0] * (pairs + 1), [0.0] * (pairs + 1)
    down_pi, down_tau = [0.0] * (pairs + 1), [0.0] * (pairs + 1)
    sweeps = [(pair, True) for pair in range(pairs - 1)] + [(pair, False) for pair in range(pairs - 1, 0, -1)]
    for _ in range(MOST_PASSES):
        change = 0.0
        for pair, is_forth in sweeps:
            after = pair + 1
            variance_a = 1.0 / (precisions[pair] + up_pi[pair])
            variance_b = 1.0 / (precisions[after] + down_pi[after])
            mean_a = (shifts[pair] + up_tau[pair]) * variance_a
            mean_b = (shifts[after] + down_tau[after]) * variance_b
            spread = sqrt(variance_a + variance_b)
            ahead, cut = (mean_a - mean_b) / spread, margin / spread
            v, w = draw(ahead, cut) if draws[pair] else win(ahead - cut)
            left = (1.0 - w) * spread
            pi = w / (left * spread)
            tau = (ahead * w + v) / left
            moved, narrowed = abs(tau - seen_tau[pair]), abs(pi - seen_pi[pair])
            if moved > change:
                change = moved
            if narrowed > change * change:
                change = sqrt(narrowed)
            seen_pi[pair], seen_tau[pair] = pi, tau
            if is_forth:
                q = 1.0 + variance_a * pi
                up_pi[after], up_tau[after] = pi / q, (pi * mean_a - tau) / q
            else:
                q = 1.0 + variance_b * pi
                down_pi[pair], down_tau[pair] = pi / q, (pi * mean_b + tau) / q
        if change <= LEAST_CHANGE:
            break
    # The last results that were observed, told to the entries at both ends.
    variance = 1.0 / (precisions[1] + down_pi[1])
    q = 1.0 + variance * seen_pi[0]
    down_pi[0] = seen_pi[0] / q
    down_tau[0] = (seen_pi[0] * (shifts[1] + down_tau[1]) * variance + seen_tau[0]) / q
    last = pairs - 1
    variance = 1.0 / (precisions[last] + up_pi[last])
    q = 1.0 + variance * seen_pi[last]
    up_pi[pairs] = seen_pi[last] / q
    up_tau[pairs] = (seen_pi[last] * (shifts[last] + up_tau[last]) * variance - seen_tau[last]) / q
    return [(up_pi[i] + down_pi[i], up_tau[i] + down_tau[i]) for i in range(pairs + 1)]
