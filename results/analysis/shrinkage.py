"""Strengths where the results decided who met whom: drawn together as far as they are unsure. See ADR 0055 and 0058.

A ladder lets luck decide who plays how often and against whom, and then holds on to it, so intervals around the plain
estimates are too narrow. What a result says about the strengths, however, doesn't depend on why the match was played.
So intervals that follow from the probability of the results alone, and from how strengths are spread, hold whatever the
schedule did. The spread is learnt from the same results. It is normal, in one group or in two, with any distance
between the two and the same width in both. All widths and all ways to part the entries count, each by how well it
explains the results; how likely each way is beforehand is Ewens's formula.

The intervals hold for the strengths of a league together: of all its strengths, 95 % are within theirs. Strengths are
spread in other ways too; errors are taken as larger by `WIDER` for it, as simulations say (benchmarks/score_fit.py,
benchmarks/places_fit.py). The best and the worst are drawn towards the mean for no fault of theirs, so that fewer of
their intervals held. So an interval reaches away from the mean at least as far as `OUTWARD` of one around the plain
estimate. Claims don't count that.

Sources: Efron and Morris, "Stein's estimation rule and its competitors" (1973), for drawing estimates together; Rubin,
"Inference and missing data" (1976), for what doesn't depend on the choice; Gelman, "Prior distributions for variance
parameters in hierarchical models" (2006), for widths that count alike; Ewens, "The sampling theory of selectively
neutral alleles" (1972), for groups.
"""

import numpy as np
from scipy.special import gammaln

from results.analysis.match_sums import Floats

WIDER = 1.07
"""By how much errors are larger than the spread says."""

OUTWARD = 0.8
"""In ladders of ten close bots with 50 matches each, it let 93 % of the intervals of the best hold instead of 81 %."""

_WIDTHS = 160
_NARROWEST, _WIDEST = 0.02, 10.0
"""Of the widths that are looked at, as parts of the errors, and of the errors or distances if these are larger."""

_APART = 2.0
"""Standard deviation of the distance of two groups, as a multiple of the greatest strength."""

_NOTHING = 1e-9
"""A direction with so small a part of the largest variance is none: only differences of strengths are known.

Strengths whose difference is so small a part of the largest are in one group, so that equals are treated alike.
"""

_UNLIKELY = 1e-12
"""What explains the results so much worse than all else together is left out."""


class DrawnTogether:
    """Strengths that are drawn together.

    `value` are estimates with sum 0 in each group that is connected by matches, and `covariance` is that of their
    errors, by the model: 0 for what all of a group have in common. If nothing scatters, both stay as they are.
    """

    def __init__(self, value: Floats, covariance: Floats) -> None:
        self.value = value
        self._plain, self._plain_errors = value, np.sqrt(covariance.diagonal())
        variance, turned = np.linalg.eigh(covariance)
        known = variance > _NOTHING * max(variance[-1], 0.0)
        self._errors, self._turned = variance[known], turned[:, known]
        if not known.any():
            return
        along = self._turned.T @ value
        usual, greatest = float(np.sqrt(np.median(self._errors))), float(np.abs(value).max())
        widths = np.geomspace(_NARROWEST * usual, _WIDEST * max(usual, greatest), _WIDTHS)
        whole = self._errors + widths[:, None] ** 2
        # Steps of the widths grow with them.
        one = -0.5 * (np.log(whole) + along**2 / whole).sum(axis=1) + np.log(widths)
        contrasts, likely = _parted(value)
        self._contrasts = self._turned.T @ contrasts
        # By width and way to part: how surely the distance of the two groups is known, and what it is.
        apart = (_APART * greatest + usual) ** -2
        self._sure = (1 / whole) @ self._contrasts**2 + apart
        self._distance = (along / whole) @ self._contrasts / self._sure
        two = one[:, None] + likely + 0.5 * (np.log(apart / self._sure) + self._distance**2 * self._sure)
        best = max(one.max(), two.max(initial=-np.inf))
        weights = np.exp(one - best), np.exp(two - best)
        total = weights[0].sum() + weights[1].sum()
        self._parted = weights[1] / total
        self._weight = weights[0] / total + self._parted.sum(axis=1)
        self._lost = self._errors / whole
        moved = ((self._parted * self._distance) @ self._contrasts.T) * self._lost
        mean = self._weight @ ((1 - self._lost) * along) + moved.sum(axis=0)
        self._off = (1 - self._lost) * along - mean
        self.value = np.asarray(self._turned @ mean, dtype=np.float64)

    def covariance(self) -> Floats:
        """Return the covariance of the strengths' errors."""
        if not len(self._errors):
            return np.zeros((len(self.value), len(self.value)))
        ways = self._parted.sum(axis=0) > _UNLIKELY
        contrasts, distance, sure = self._contrasts[:, ways], self._distance[:, ways], self._sure[:, ways]
        found = np.diag(self._weight @ (self._errors * (1 - self._lost)))
        for i in np.flatnonzero(self._weight > _UNLIKELY):
            weight, off, lost = self._parted[i, ways], self._off[i], self._lost[i]
            moved = lost * (contrasts @ (weight * distance[i]))
            crossed = np.outer(off, self._weight[i] / 2 * off + moved)
            scattered = (contrasts * (weight * (distance[i] ** 2 + 1 / sure[i]))) @ contrasts.T
            found += crossed + crossed.T + np.outer(lost, lost) * scattered
        return np.asarray(WIDER**2 * self._turned @ found @ self._turned.T, dtype=np.float64)

    def ends(self, half: Floats, t: Floats) -> tuple[Floats, Floats]:
        """Return the lower and the upper ends of intervals: at least `half` away, and outward as `OUTWARD` says.

        `half` has the errors of `covariance` times `t`, Student's t of each.
        """
        reach = OUTWARD * t * self._plain_errors
        low, high = self.value - half, self.value + half
        return (
            np.where(self._plain < 0, np.minimum(low, self._plain - reach), low),
            np.where(self._plain > 0, np.maximum(high, self._plain + reach), high),
        )


def _parted(value: Floats) -> tuple[Floats, Floats]:
    """Return the ways to part entries in two groups, the weaker and the stronger, and how likely they are beforehand.

    Each column has the strengths of two groups whose distance is 1; the logarithm of the probability is relative to a
    single group.
    """
    n = len(value)
    order = np.argsort(value, kind="stable")
    weaker = 1 + np.flatnonzero(np.diff(value[order]) > _NOTHING * np.abs(value).max())
    contrasts = np.empty((n, len(weaker)))
    contrasts[order] = np.where(np.arange(n)[:, None] < weaker, weaker / n - 1, weaker / n)
    return contrasts, np.asarray(gammaln(weaker) + gammaln(n - weaker) - gammaln(n), dtype=np.float64)
