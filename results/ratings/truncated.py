"""Moments of a truncated normal distribution, accurate for any position of the cut.

A match shows that the difference of two performances exceeded a margin (a win) or
stayed within it (a draw), which truncates the belief about the difference. `v` is
how far that moves the mean, `w` the fraction by which it reduces the variance, both
in standard deviations of the difference before the match. They are the functions V
and W of Herbrich, Minka and Graepel, "TrueSkill: A Bayesian Skill Rating System"
(2007). Computed literally, they divide 0 by 0 beyond some 38 standard deviations,
which a great upset or a long streak reaches.
"""

from math import erfc, exp, expm1, pi, sqrt

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
        v = (
            exp(-x * x / 2) / _SQRT_TWO_PI / (1 - erfc(x * _SQRT_HALF) / 2)
        )  # 0 far up: an expected result changes nothing
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
