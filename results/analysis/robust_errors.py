"""Robust errors of fits whose games come in matches, and the claims that follow from them.

A match counts as one, and all matches on a deal that several share. Its score, what its results leave unexplained, is
multiplied with itself and summed over the matches, between the inverse of the information on both sides (the cluster
robust or "sandwich" covariance); the correction CR2 makes up for how far each match draws the fit towards itself.

Sources: Liang and Zeger, "Longitudinal data analysis using generalized linear models" (1986), for robust errors by
cluster; Bell and McCaffrey, "Bias reduction in standard errors for linear regression with multi-stage samples" (2002),
for CR2; Holm, "A simple sequentially rejective multiple test procedure" (1979); Tukey, "The problem of multiple
comparisons" (1953), for the largest difference of equals; Shaffer, "Modified sequentially rejective multiple test
procedures" (1986), for going on with what can still be equal.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri, stdtr

from results.analysis.fit_results import Fit, Strength
from results.analysis.match_sums import Bools, Floats, Integers

Part = tuple[Integers, Integers, Floats, Floats]

CONFIDENCE = 0.95
"""Confidence of intervals, of each pair that is told apart, and of all familywise claims together."""


class Pairs(NamedTuple):
    """Pairs of entries that can be compared."""

    one: Integers
    other: Integers
    """Their places among the entries."""
    lead: Floats
    """How much stronger the one is."""
    chance: Floats
    """The p-value of the claim that the leading one is stronger."""


AT_A_TIME = 4096
"""Matches that are computed together."""

SINGULAR = 1e-9
"""Equations with a smaller ratio of their least and greatest eigenvalue have no single solution."""

_DECIDED = 1e-9
"""A leverage this close to 1 is 1: the match alone decides that direction, so nothing is left of it."""


def corrected_scatter(parts: Iterable[Part], inverse: Floats, *, shares_deals: bool) -> Floats:
    """Return the corrected scatter of the matches, summed.

    `parts` have some matches each: their numbers, or that of the deal for those that share one; by match and place,
    the unknowns that it tells of; their information, as a matrix; and the score. `inverse` is the inverse of all
    information. `shares_deals`: some matches share a deal. What those on a deal leave unexplained is added up before it
    is multiplied. With few deals that is too little, as the strengths explain a part of it, so it grows by one part in
    as many as there are deals less one.
    """
    size = len(inverse)
    scatter = np.zeros(size * size)
    shared: dict[int, Floats] = {}
    for deals, unknowns, matrices, scores in parts:
        lower = np.linalg.cholesky(inverse[unknowns[:, :, None], unknowns[:, None, :]])
        upper = lower.transpose(0, 2, 1)
        # Leverage: how much of each direction of a match's results the match itself decides, from 0 to 1.
        leverage, turned = np.linalg.eigh(upper @ matrices @ lower)
        is_free = leverage < 1 - _DECIDED
        factor = np.where(is_free, 1 / np.sqrt(np.where(is_free, 1 - leverage, 1.0)), 0.0)
        inner = factor * np.einsum("mji,mj->mi", turned, np.einsum("mij,mj->mi", upper, scores))
        outer = np.linalg.solve(upper, np.einsum("mij,mj->mi", turned, inner)[:, :, None])[:, :, 0]
        if shares_deals:
            for deal, places, one in zip(deals, unknowns, outer, strict=True):
                np.add.at(shared.setdefault(int(deal), np.zeros(size)), places, one)
            continue
        scatter += np.bincount(
            cells(unknowns, size), (outer[:, :, None] * outer[:, None, :]).ravel(), size * size
        )
    found = scatter.reshape(size, size)
    if shared:
        of_deals = np.stack(list(shared.values()))
        found = found + of_deals.T @ of_deals * (len(shared) / max(1, len(shared) - 1))
    return found


LEAST_TO_DRIFT = 40
"""An entry with fewer matches isn't asked whether its strength changed."""


def drifts(parts: Iterable[Part], entries: int, confidence: float = CONFIDENCE) -> Floats:
    """Return how much each entry's strength changed from the first half of its matches to the second; 0 if by chance.

    `parts` are as for `corrected_scatter`; unknowns below `entries` are strengths, and the matches of a deal count as
    one. Each half is compared with what the whole fit expects of it, so a half of easy opponents is no change. With
    `confidence`, no entry of those that stayed the same is said to have changed (Holm).
    """
    deals, places, scores, told = [], [], [], []
    for numbers, unknowns, matrices, found in parts:
        is_strength = unknowns < entries
        deals.append(np.broadcast_to(numbers[:, None], unknowns.shape)[is_strength])
        places.append(unknowns[is_strength])
        scores.append(found[is_strength])
        told.append(np.diagonal(matrices, axis1=1, axis2=2)[is_strength])
    deal = np.concatenate(deals)
    by_entry = int(deal.max(initial=0)) + 1
    cell, at = np.unique(np.concatenate(places) * by_entry + deal, return_inverse=True)
    score, information = (np.bincount(at, np.concatenate(one)) for one in (scores, told))
    place = cell // by_entry
    matches = np.bincount(place, minlength=entries)
    number = np.arange(len(place)) - (np.cumsum(matches) - matches)[place]
    half = 2 * place + (2 * number >= matches[place])
    known, off, squared = (
        np.bincount(half, weights, 2 * entries).reshape(-1, 2) for weights in (information, score, score**2)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        change = (off / known)[:, 1] - (off / known)[:, 0]
        unusual = np.abs(change) / np.sqrt((squared / known**2).sum(axis=1))
    asked = np.flatnonzero((matches >= LEAST_TO_DRIFT) & np.isfinite(unusual))
    chance = 2 * stdtr(matches[asked] // 2 - 1, -unusual[asked])
    changed = np.zeros(entries)
    is_changed = asked[holm(chance, confidence)]
    changed[is_changed] = change[is_changed]
    return changed


def normal_deviate(squared: Floats | float, freedom: Floats | float) -> Floats:
    """Return how unusual Student's t is, given its square: the normal deviate that is as unlikely (Wallace 1959)."""
    scale = (8 * freedom + 1) / (8 * freedom + 3)
    return np.asarray(scale * np.sqrt(freedom * np.log1p(squared / freedom)), dtype=np.float64)


def cells(unknowns: Integers, size: int) -> Integers:
    """Return the places of all pairs of each match's unknowns in a flat matrix."""
    return np.asarray((unknowns[:, :, None] * size + unknowns[:, None, :]).ravel(), dtype=np.int64)


def connected(met: Bools) -> Integers:
    """Return the number of the group of each entry, where entries that met are in the same group."""
    group = np.full(len(met), -1)
    for entry in range(len(met)):
        if group[entry] < 0:
            reached = np.zeros(len(met), dtype=bool)
            newly = np.arange(len(met)) == entry
            while newly.any():
                reached |= newly
                newly = met[newly].any(axis=0) & ~reached
            group[reached] = entry
    return group


def undetermined(information: Floats) -> Floats:
    """Return the directions of the unknowns of which the results say nothing, as the columns of a matrix.

    `information` has what holds the sums of unknowns that only count by their differences. Without partners there is
    no such direction; entries that were always partners can't be told from each other.
    """
    sizes, directions = np.linalg.eigh(information)
    return np.asarray(directions[:, sizes <= SINGULAR * sizes[-1]], dtype=np.float64)


def is_determined(directions: Floats, entries: int) -> Bools:
    """Return for each of the first `entries` unknowns whether it has no part in these directions."""
    return np.asarray((directions[:entries] ** 2).sum(axis=1) < SINGULAR)


def summary(
    entries: Integers,
    ends: Sequence[Floats],
    has_interval: Bools,
    pairs: Pairs,
    confidence: float,
    *,
    share: Floats | None = None,
    drift: Floats | None = None,
    drawn_together: bool,
) -> Fit:
    """Return the strengths of entries with the claims that stand at `confidence`, pair by pair and familywise.

    Arrays are by entry. `ends`: the strengths, and the lower and the upper ends of their intervals. `drift`: as from
    `drifts`.
    """
    value_of = ends[0]
    numbers, (value, low, high) = entries.tolist(), (one.tolist() for one in ends)
    above = [
        _above(len(entries), pairs, stands)
        for stands in (pairs.chance < 1 - confidence, told_apart(pairs, value_of, confidence))
    ]
    strengths = []
    for i, entry in enumerate(numbers):
        expected = None if share is None else float(share[i])
        if not has_interval[i]:
            strengths.append(Strength(entry, value[i], None, None, None, None, expected))
            continue
        claims, familywise = (tuple(numbers[j] for j in np.flatnonzero(one[i])) for one in above)
        changed = None if drift is None or not drift[i] else float(drift[i])
        strengths.append(Strength(entry, value[i], low[i], high[i], claims, familywise, expected, changed))
    apart, apart_familywise = (int(one.sum()) for one in above)
    return Fit(tuple(strengths), len(pairs.one), apart, apart_familywise, drawn_together)


def _above(size: int, pairs: Pairs, stands: Bools) -> Bools:
    """Return [i, j]: whether the claim stands that entry i is above entry j."""
    above = np.zeros((size, size), dtype=bool)
    above[pairs.one, pairs.other] = stands & (pairs.lead > 0)
    above[pairs.other, pairs.one] = stands & (pairs.lead < 0)
    return above


def holm(chance: Floats, confidence: float = CONFIDENCE) -> Bools:
    """Return which claims stand so that all stand together at `confidence`; `chance` is each one's p-value."""
    order = np.argsort(chance, kind="stable")
    fails = chance[order] > (1 - confidence) / np.arange(len(order), 0, -1)
    stands = np.zeros(len(order), dtype=bool)
    stands[order[: int(np.argmax(fails)) if fails.any() else len(order)]] = True
    return stands


_LUCK = np.linspace(-8.0, 8.0, 801)
_DENSITY = np.exp(-(_LUCK**2) / 2) / np.sqrt(2 * np.pi) * (_LUCK[1] - _LUCK[0])
_LEAST_Z, _MOST_Z, _HALVINGS = 1.0, 9.0, 32


def told_apart(pairs: Pairs, value: Floats, confidence: float = CONFIDENCE) -> Bools:
    """Return which claims about pairs stand so that all stand together at `confidence`, by the largest difference.

    `value` has the strength of each entry. Of equals, the two furthest apart differ as Tukey's range says, if each
    difference is put as the normal deviate that is as unlikely. First all may be equal. Once some are told apart, those
    left may only be equal in groups that no claim parts; the groups that make a mistake likeliest count, and the
    claims that stand then are added, until none is.
    """
    unusual = -ndtri(pairs.chance / 2)
    among, place = np.unique(np.concatenate([pairs.one, pairs.other]), return_inverse=True)
    size = len(among)
    rank = np.empty(size, dtype=np.intp)
    rank[np.argsort(-value[among], kind="stable")] = np.arange(size)
    one, other = rank[place.reshape(2, -1)]
    first, last = np.minimum(one, other), np.maximum(one, other)
    stands = np.zeros(len(unusual), dtype=bool)
    groups = [size]
    while len(unusual):
        enough = _enough(groups, 1 - confidence)
        # Other groups may be the worst ones for these claims.
        while _enough(groups := _worst_groups(first, last, stands, size, enough), 1 - confidence) > enough:
            enough = _enough(groups, 1 - confidence)
        more = unusual > enough
        if not (more & ~stands).any():
            break
        stands = stands | more
        groups = _worst_groups(first, last, stands, size, enough)
    return stands


def _worst_groups(first: Integers, last: Integers, stands: Bools, size: int, enough: float) -> list[int]:
    """Return the sizes of groups of neighbours in the order, not parted by a claim that stands, that err most often."""
    apart = np.zeros((size, size), dtype=bool)
    apart[first[stands], last[stands]] = True
    # A claim parts two only if those further apart are parted too, so that groups are of neighbours.
    apart = np.logical_and.accumulate(apart, axis=0)
    apart = np.logical_and.accumulate(apart[:, ::-1], axis=1)[:, ::-1]
    begins = np.argmin(apart, axis=0)
    errs = _errs(size, enough)
    best, begun = np.zeros(size + 1), np.zeros(size + 1, dtype=np.intp)
    for end in range(1, size + 1):
        begin = int(begins[end - 1])
        total = best[begin:end] + errs[end - begin : 0 : -1]
        begun[end] = begin + int(total.argmax())
        best[end] = total.max()
    groups, end = [], size
    while end:
        groups.append(end - int(begun[end]))
        end = int(begun[end])
    return groups


def _errs(size: int, enough: float) -> Floats:
    """Return how likely any two of so many equals, from 0 to `size`, differ by `enough` standard deviations or more."""
    within, left = ndtr(_LUCK) - ndtr(_LUCK - enough * np.sqrt(2)), _DENSITY.copy()
    found = np.zeros(size + 1)
    for count in range(2, size + 1):
        left *= within
        found[count] = 1 - count * left.sum()
    return found


def _enough(groups: Sequence[int], error_rate: float) -> float:
    """Return which deviate all groups together reach by chance with that probability at most."""
    low, high = _LEAST_Z, _MOST_Z
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        errs = _errs(max(groups), middle)[groups].sum()
        low, high = (middle, high) if errs > error_rate else (low, middle)
    return high
