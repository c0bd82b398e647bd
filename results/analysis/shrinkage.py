"""Strengths where the results decided who met whom: drawn towards the mean as far as they are unsure.

A ladder lets luck decide who plays how often and against whom, and then holds on to it: an entry that seems to be far
from the others plays less from then on, and keeps its luck. So errors don't even out as if the tables had been drawn,
and intervals around the plain estimates are too narrow.

What a result says about the strengths, however, doesn't depend on why the match was played: the schedule knows no more
than the results. So intervals that follow from the probability of the results alone, and from how strengths are spread,
hold whatever the schedule did. The spread is normal here, and its width is learnt from the same results: all widths
count, each by how well it explains them. The closer the field compared with the errors, the more the strengths are
drawn together.

The intervals hold for the strengths of a league together: of all its strengths, 95 % are within theirs. A single entry
that is far away from all others is drawn too far, and its interval holds less often. Strengths are spread in other ways
too, such as in two groups; errors are taken as larger by `WIDER` for it, as simulations say (benchmarks/score_fit.py).

Sources: Efron and Morris, "Stein's estimation rule and its competitors" (1973), for drawing estimates together; Rubin,
"Inference and missing data" (1976), for what doesn't depend on the choice; Gelman, "Prior distributions for variance
parameters in hierarchical models" (2006), for widths that count alike.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

WIDER = 1.07
"""By how much errors are larger than the normal spread says."""

_WIDTHS = 160
_NARROWEST, _WIDEST = 0.02, 10.0
"""Of the widths that are looked at, as parts of the errors, and of the errors or distances if these are larger."""

_NOTHING = 1e-9
"""A direction with so small a part of the largest variance is none: only differences of strengths are known."""


def drawn_together(value: "Floats", covariance: "Floats") -> "tuple[Floats, Floats]":
    """Return the strengths drawn towards 0, and their covariance.

    `value` are estimates with sum 0 in each group that is connected by matches, and `covariance` is that of their
    errors, by the model: 0 for what all of a group have in common. If nothing scatters, both stay as they are.
    """
    import numpy as np

    variance, turned = np.linalg.eigh(covariance)
    known = variance > _NOTHING * max(variance[-1], 0.0)
    if not known.any():
        return value, covariance
    variance, turned = variance[known], turned[:, known]
    along = turned.T @ value
    usual = float(np.sqrt(np.median(variance)))
    widest = _WIDEST * max(usual, float(np.abs(value).max()))
    widths = np.geomspace(_NARROWEST * usual, widest, _WIDTHS)
    whole = variance + widths[:, None] ** 2
    explained = -0.5 * (np.log(whole) + along**2 / whole).sum(axis=1) + np.log(
        widths
    )  # steps grow with the width
    weight = np.exp(explained - explained.max())
    weight /= weight.sum()
    kept = widths[:, None] ** 2 / whole
    drawn = kept * along
    mean = weight @ drawn
    around = (drawn - mean) * np.sqrt(weight)[:, None]
    inner = np.diag(weight @ (variance * kept)) + around.T @ around
    return np.asarray(turned @ mean), np.asarray(WIDER**2 * turned @ inner @ turned.T)
