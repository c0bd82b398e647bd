"""The field of coalitions: terms are measured by the others of their league, and by honest fields that are simulated.

`coalitions` explains the method.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from results.analysis.coalition_terms import SINGULAR, Sums
from results.analysis.davidson import OWN

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

LEAST_INFORMATION = 1.0
"""By places, a term that the results tell less about isn't looked at: as much as four even comparisons."""

SLACK = 1.0
"""By places, honest entries may gain or lose so much more, as one standard deviation, in percentage points of share:
no entries follow the model to the last point, and near the ends of shares a point is much in log odds."""

_FIELDS = 1000
"""Number of honest fields that are simulated for each spread, unless fewer are enough."""
_SPREADS = (1.0, 3.0, 10.0)
"""How many times the variance of luck that of honest terms may be: between these, a chance term is the most unusual."""
_BATCH = 100
_ENOUGH_ABOVE = 30
"""Once so many honest fields are more unusual than the league, no more are simulated."""
_SEED = 2004
"""A fixed seed, so that equal ledgers give equal figures."""


class Field:
    """The terms that can be told from the rest, each measured by the others of its kind.

    Scores are in units in which each term has the information 1.
    """

    def __init__(self, sums: Sums, kinds: "Integers", flagged: Sequence[int]) -> None:
        import numpy as np

        information = sums.information.diagonal()
        is_known = information > SINGULAR * np.maximum(sums.own, 1e-30)
        if sums.by_the_model:
            is_known &= information >= LEAST_INFORMATION
        is_known[list(flagged)] = False
        self.numbers = np.flatnonzero(is_known)
        """Of the terms."""
        at = np.ix_(self.numbers, self.numbers)
        self.information: Floats = information[is_known]
        self.unit: Floats = 1 / np.sqrt(self.information)
        self.value: Floats = sums.scores[is_known] / self.information
        self.scores: Floats = sums.scores[is_known] * self.unit
        self._overlap = sums.information[at] * np.outer(self.unit, self.unit)
        self._meat = sums.meat[at] * np.outer(self.unit, self.unit)
        squares = sums.squares[is_known]
        even = self.information**2 / np.maximum(squares, 1e-300)  # matches, if all told the same
        own = (
            sums.meat.diagonal()[is_known] - 2 * self.value * sums.crossed[is_known] + self.value**2 * squares
        )
        own = np.maximum(own, 0) * self.unit**2 * even / np.maximum(even - 1, 0.5)
        self.luck: Floats = (
            _luck_by_the_model(own, self.information)
            if sums.by_the_model
            else own + (own.mean() if len(own) else 0.0) / even
        )
        """Variance of each score by luck."""
        self.shown: Floats = sums.shown[is_known]
        """What a term of 1 changes in the results, in points or percentage points."""
        allowed = np.where(kinds[is_known] == 1, SLACK, 2 * SLACK) * sums.by_the_model
        self._slack = self.information * (allowed / self.shown) ** 2
        self._luck_freedom = np.maximum(even - 1, 1.0)
        self._kinds = [np.flatnonzero(kinds[is_known] == kind) for kind in np.unique(kinds[is_known])]
        self._of_kind = [
            _OfKind(
                self._overlap[np.ix_(alike, alike)],
                self.information[alike],
                self._meat[np.ix_(alike, alike)],
                self._slack[alike],
            )
            for alike in self._kinds
        ]

    def tested(self, scores: "Floats", luck: "Floats") -> "tuple[Floats, Floats]":
        """Return by field and term how unusual it is and the spread of the others; both inputs are [field, term].

        It is Student's t as the value of the normal distribution that is as unlikely, by Wallace's approximation.
        """
        import numpy as np

        unusual, usual = np.zeros_like(scores), np.zeros_like(scores)
        for alike, field in zip(self._kinds, self._of_kind, strict=True):
            if field.freedom < 1:
                continue
            usual2 = field.usual2(scores[:, alike])
            from_luck, from_field = luck[:, alike], usual2 * field.reach + field.slack
            variance = from_luck + from_field
            freedom = variance**2 / (from_luck**2 / self._luck_freedom[alike] + from_field**2 / field.freedom)
            squared = scores[:, alike] ** 2 / np.maximum(variance, 1e-300)
            found = (8 * freedom + 1) / (8 * freedom + 3) * np.sqrt(freedom * np.log1p(squared / freedom))
            unusual[:, alike] = np.where(field.is_told & (variance > 0), found, 0.0)
            usual[:, alike] = np.sqrt(usual2)
        return unusual, usual

    def chances(self, unusual: "Floats") -> "Floats":
        """Return in which part of honest fields any term is as unusual as each of these, at the worst spread.

        Fewer fields are simulated once many are above all of these, as then none is unusual (Besag and Clifford).
        """
        import numpy as np

        rng = np.random.default_rng(_SEED)
        sizes, turned = np.linalg.eigh(self._meat)
        root = turned * np.sqrt(np.maximum(sizes, 0))
        spread2 = np.zeros(len(self.scores))
        for alike, field in zip(self._kinds, self._of_kind, strict=True):
            spread2[alike] = self.luck[alike].mean() / field.reach.mean()
        shape = (_BATCH, len(self.scores))
        variances = [ratio * spread2 * self.information for ratio in _SPREADS]
        if self._slack.any():
            variances.append(variances[1] + self._slack)
        found: list[list[Floats]] = [[] for _ in variances]
        while len(found[0]) * _BATCH < _FIELDS:
            for variance, of_this in zip(variances, found, strict=True):
                honest = rng.normal(size=shape) * np.sqrt(variance)
                scores = honest @ self._overlap + rng.normal(size=shape) @ root.T
                luck = self.luck * rng.chisquare(self._luck_freedom, size=shape) / self._luck_freedom
                of_this.append(self.tested(scores, luck)[0].max(axis=1))
            if max(sum((one > unusual.max()).sum() for one in of_this) for of_this in found) >= _ENOUGH_ABOVE:
                break
        above = [
            len(most) - np.searchsorted(most, unusual, side="left")
            for most in (np.sort(np.concatenate(of_this)) for of_this in found)
        ]
        return np.asarray((1 + np.max(above, axis=0)) / (1 + len(found[0]) * _BATCH), dtype=np.float64)


def _luck_by_the_model(own: "Floats", information: "Floats") -> "Floats":
    """Return the variance of scores by luck where information says how much to expect; `own` is what was found.

    A pair that went 40 : 0 has no scatter, and one that the results tell little about hardly any that could be
    measured. So it is never taken as luckier than the league's mean, and drawn towards that (`davidson.OWN`).
    """
    import numpy as np

    even = 4 * information
    mean = (own @ even + OWN) / (even.sum() + OWN)
    return np.asarray(np.maximum(mean, (even * own + OWN * mean) / (even + OWN)), dtype=np.float64)


class _OfKind:
    """How far the terms of one kind are spread, without any one of them."""

    def __init__(self, overlap: "Floats", information: "Floats", meat: "Floats", slack: "Floats") -> None:
        import numpy as np

        self._overlap = overlap
        twice = overlap @ overlap
        squared = overlap * overlap
        self._length = twice.diagonal()
        self.reach: Floats = squared @ information
        """By how much a spread of 1 adds to the variance of each score."""
        self.slack: Floats = squared @ slack
        """What the slack adds to it."""
        # Of all scores but one, with the term of that one taken out: what of their squares is luck, and how much a
        # spread of 1 adds to them.
        self._luck = float(np.trace(meat))
        self._of_luck = self._luck - 2 * (overlap * meat).sum(axis=0) + self._length * meat.diagonal()
        self._of_spread = (
            information @ self._length - 2 * information @ (overlap * twice) + self._length * self.reach
        )
        self.is_told = self._of_spread > SINGULAR * np.maximum(self.reach, 1e-300)
        """Whether there are others that don't follow from it."""
        spread = overlap @ (information[:, None] * overlap)
        self.freedom = float(np.trace(spread) ** 2 / (spread * spread).sum()) - 1 if len(overlap) else 0.0

    def usual2(self, scores: "Floats") -> "Floats":
        """Return [field, term]: the variance of the terms without one of them, beyond luck."""
        import numpy as np

        squares = (
            (scores**2).sum(axis=1, keepdims=True)
            - 2 * (scores @ self._overlap) * scores
            + self._length * scores**2
        )
        known = np.where(self.is_told, self._of_spread, 1.0)
        return np.asarray(np.maximum(0.0, (squares - self._of_luck) / known), dtype=np.float64)
