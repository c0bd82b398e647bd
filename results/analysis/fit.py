"""The fit by places: how likely each entry is to finish above each other, from all games at once (`davidson`).

**Errors.** The games of a match share a deal, so a match counts as one, with robust errors (`robust_errors`). An
interval holds the strengths that the results don't contradict: if an entry's strength were at an end of it, its results
would be off by Student's t times their standard deviation *there*. How the scatter compares with the model's own is
estimated, for entries with few open comparisons mostly from the others. Student's t has one degree of freedom less than
the entry has matches; of two entries, the one with fewer counts. Two entries are told apart if the interval of their
difference, put together from the sides of theirs that face each other, leaves out 0; *familywise*, by `told_apart`.

Where results have an influence on who meets whom, as on a ladder, the strengths are drawn together instead, with errors
by the model, and intervals reach further outward (`shrinkage`).

Sources: Wilson, "Probable inference, the law of succession, and statistical inference" (1927), for intervals by the
deviation at their ends; Zou and Donner, "Construction of confidence limits about effect measures: a general approach"
(2008), for those of differences.
"""

from collections.abc import Sequence
from math import log

import numpy as np
from scipy.special import stdtr, stdtrit

from results.analysis.davidson import OWN, Comparisons, Likely
from results.analysis.fit_results import Fit
from results.analysis.match_sums import Floats, MatchSums
from results.analysis.robust_errors import CONFIDENCE, Pairs, drifts, summary

ELO = 400 / log(10)
"""Elo points in one unit of log odds: 400 points are odds of 10 to 1."""

_DECIMALS = 6
"""Decimals of Elo points that are kept: the same on every machine, whatever its libraries add up first."""

_DOUBLINGS, _HALVINGS = 60, 50


def fit(sums: Sequence[MatchSums], confidence: float = CONFIDENCE, *, chosen: bool = False) -> Fit:
    """Return the strengths of the entries in `sums`, which is by table size and of shares (`Measure.SHARES`).

    `confidence`: of each interval and claim · `chosen`: the matches were chosen by the results so far (`shrinkage`).
    """
    if not sums:
        return Fit(())
    entries = np.unique(np.concatenate([one.entries.ravel() for one in sums]))
    of = Comparisons(sums, entries)
    n = of.entries
    same = of.group[:, None] == of.group
    freedom = np.maximum(of.deals - 1.0, 1.0)
    t = stdtrit(freedom, (1 + confidence) / 2)
    unknowns = of.value
    if chosen:
        unknowns, drawn = of.drawn_together()
        covariance = drawn.covariance()
        down = up = t * np.sqrt(covariance.diagonal())
        ends = drawn.ends(down, t)
    else:
        covariance, dispersion = of.covariance()
        down, up = _sides(of, covariance.diagonal(), dispersion, t)
    variance = covariance.diagonal()
    value = unknowns[:n] - same @ unknowns[:n] / same.sum(axis=1)
    elo = np.round(ELO * value, _DECIMALS) + 0.0  # no −0
    low, high = (np.round(ELO * end, _DECIMALS) for end in (ends if chosen else (value - down, value + up)))
    has_interval = (of.deals >= 2) & of.is_determined()
    a, b = np.nonzero(np.triu(same & np.outer(has_interval, has_interval), 1))
    lead = elo[a] - elo[b]
    first = np.where(lead > 0, down[a], up[a]) / t[a]
    second = np.where(lead > 0, up[b], down[b]) / t[b]
    related = np.clip(covariance[a, b] / np.sqrt(variance[a] * variance[b]), -1, 1)
    spread = np.sqrt(first**2 + second**2 - 2 * related * first * second)
    chance = 2 * stdtr(np.minimum(freedom[a], freedom[b]), -np.abs(lead) / ELO / spread)
    comparisons = np.array([table.met.sum() for table in of.tables])
    shares = np.array([Likely(value, log_ties).points for log_ties in unknowns[n + 1 :]])
    share = np.round(comparisons @ shares / comparisons.sum(), _DECIMALS)
    pairs = Pairs(a, b, lead, chance)
    drift = np.round(ELO * drifts(of.scored(), n, confidence), _DECIMALS)
    return summary(
        entries,
        (elo, low, high),
        has_interval,
        pairs,
        confidence,
        share=share,
        drift=drift,
        drawn_together=chosen,
    )


def _sides(of: Comparisons, variance: Floats, dispersion: float, t: Floats) -> tuple[Floats, Floats]:
    """Return how far each interval reaches down and up from its strength."""
    n = of.entries
    strength = of.value[:n]
    count = (of.group[:, None] == of.group).sum(axis=1)
    moved = np.where(count > 1, 1 - 1 / count, 1.0)
    """How far a strength moves from the mean if it moves from the others by 1."""
    _, information = of.deviation(strength)
    even = 4 * information
    factor = (even * variance / moved**2 * information + OWN * dispersion) / (even + OWN)
    sides = []
    for sign in (-1, 1):
        inside, outside = np.zeros(n), np.full(n, 1.0)
        for _ in range(_DOUBLINGS):
            off, there = of.deviation(strength + sign * outside)
            is_inside = off**2 <= t**2 * factor * there
            if not is_inside.any():
                break
            outside = np.where(is_inside, 2 * outside, outside)
        for _ in range(_HALVINGS):
            middle = (inside + outside) / 2
            off, there = of.deviation(strength + sign * middle)
            is_inside = off**2 <= t**2 * factor * there
            inside, outside = np.where(is_inside, middle, inside), np.where(is_inside, outside, middle)
        sides.append(moved * inside)
    return sides[0], sides[1]
