"""Errors of fits whose games come in matches: the sandwich by match, and what fits share around it.

The games of a match share a deal, so a match counts as one. Its score, what its results leave unexplained, is
multiplied with itself and summed over the matches; the correction CR2 makes up for how far each match draws the fit
towards itself.

Sources: Liang and Zeger, "Longitudinal data analysis using generalized linear models" (1986), for the sandwich by
cluster; Bell and McCaffrey, "Bias reduction in standard errors for linear regression with multi-stage samples"
(2002), for CR2; Holm, "A simple sequentially rejective multiple test procedure" (1979).
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Part = tuple[Integers, Floats, Floats]

CONFIDENCE = 0.95
"""Confidence of intervals, of each pair that is told apart, and of all familywise claims together."""

AT_A_TIME = 4096
"""Matches that are computed together."""

_DECIDED = 1e-9
"""A leverage this close to 1 is 1: the match alone decides that direction, so nothing is left of it."""


def corrected_scatter(parts: "Iterable[Part]", bread: "Floats") -> "Floats":
    """Return the corrected scatter of the matches, summed: the middle of the sandwich.

    `parts` have some matches each: by match and place, the unknowns that it tells of; their information, as a matrix;
    and the score. `bread` is the inverse of all information.
    """
    import numpy as np

    size = len(bread)
    meat = np.zeros(size * size)
    for unknowns, matrices, scores in parts:
        lower = np.linalg.cholesky(bread[unknowns[:, :, None], unknowns[:, None, :]])
        upper = lower.transpose(0, 2, 1)
        # Leverage: how much of each direction of a match's results the match itself decides, from 0 to 1.
        leverage, turned = np.linalg.eigh(upper @ matrices @ lower)
        is_free = leverage < 1 - _DECIDED
        factor = np.where(is_free, 1 / np.sqrt(np.where(is_free, 1 - leverage, 1.0)), 0.0)
        inner = factor * np.einsum("mji,mj->mi", turned, np.einsum("mij,mj->mi", upper, scores))
        outer = np.linalg.solve(upper, np.einsum("mij,mj->mi", turned, inner)[:, :, None])[:, :, 0]
        meat += np.bincount(
            cells(unknowns, size), (outer[:, :, None] * outer[:, None, :]).ravel(), size * size
        )
    return meat.reshape(size, size)


def cells(unknowns: "Integers", size: int) -> "Integers":
    """Return the places of all pairs of each match's unknowns in a flat matrix."""
    import numpy as np

    return np.asarray((unknowns[:, :, None] * size + unknowns[:, None, :]).ravel(), dtype=np.int64)


def connected(met: "NDArray[np.bool_]") -> "Integers":
    """Return the number of the group of each entry, where entries that met are in the same group."""
    import numpy as np

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


def claimed(
    size: int, a: "Integers", b: "Integers", lead: "Floats", is_told: "NDArray[np.bool_]"
) -> "NDArray[np.bool_]":
    """Return [i, j]: whether entry i is told to be above entry j; pairs are `a` and `b`, `lead` that of `a`."""
    import numpy as np

    above = np.zeros((size, size), dtype=bool)
    above[a, b] = is_told & (lead > 0)
    above[b, a] = is_told & (lead < 0)
    return above


def holm(chance: "Floats", confidence: float = CONFIDENCE) -> "NDArray[np.bool_]":
    """Return which claims stand so that all stand together at `confidence`; `chance` is each one's p-value."""
    import numpy as np

    order = np.argsort(chance, kind="stable")
    fails = chance[order] > (1 - confidence) / np.arange(len(order), 0, -1)
    stands = np.zeros(len(order), dtype=bool)
    stands[order[: int(np.argmax(fails)) if fails.any() else len(order)]] = True
    return stands
