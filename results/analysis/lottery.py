"""The maximal lottery: how to choose an entry by lot so that no other beats the choice on average.

The margin of two entries says how much more often one finishes above the other than below, in the matches that both
played: 1 if always, −1 if never. A lottery gives each entry a weight. It is *maximal* if every entry has a margin of
at most 0 against an entry drawn from it; there always is one (the minimax theorem). An entry that beats all others
has all of the weight, and three that beat each other in a circle share it.

**Clones** of an entry move nobody else: they share the weight that it would have alone. Ratings lack this. Whoever
beats rock climbs if three copies of rock enter the league.

If several lotteries are maximal, entries with equal margins against everybody are first taken as one, and the result
is the mean of the lotteries in which each entry has as much weight as it can. So a clone changes nothing there either.

**Uncertainty** comes from the bootstrap: matches lie in up to `fold.PARTS` parts, which are resampled, and each
sample has a lottery of its own. A weight may jump from one sample to the next where two entries are nearly equal.

A pair that never met has the margin that a fit by places to whole matches expects; one that is in no part of a sample
keeps its own.

Sources: Fishburn, "Probabilistic social choice based on simple voting comparisons" (1984); Brandl, Brandt and Seedig,
"Consistent probabilistic social choice" (2016), for clones; Balduzzi, Tuyls, Perolat and Graepel, "Re-evaluating
evaluation" (2018), for agents and for the value against the lottery.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from results.analysis.davidson import Comparisons, Likely
from results.analysis.match_sums import pair_sums
from results.query_rows import PairPart

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

CONFIDENCE = 0.95
"""Confidence of the intervals of weights."""

DRAWS = 400
"""Number of bootstrap samples."""

MOST_ENTRIES = 60
"""With more entries, there are no samples: they take longer than people wait."""

_SEED = 1984
"""A fixed seed, so that equal ledgers give equal figures."""

_SLACK = 1e-9
"""By how much a margin may be above 0 while other lotteries are looked for."""

_NOTHING = 1e-6
"""A smaller weight is none."""

_DIGITS = 6
"""Decimals of weights that are kept: what the solver makes beyond them differs from one machine to the next."""


class Weight(Struct, frozen=True):
    """What an entry has in the maximal lottery."""

    entry_no: int
    weight: float
    """From 0 to 1; all weights add up to 1."""
    margin: float
    """Against an entry drawn from the lottery, −1 to 0: 0 if it has a weight."""
    low: float | None
    """Lower end of the interval of the weight; None without samples."""
    high: float | None
    drawn: float | None
    """In how many of the samples it has a weight, from 0 to 1; None without samples."""


class Lottery(Struct, frozen=True):
    """The maximal lottery of a league."""

    weights: tuple[Weight, ...]
    """By entry number."""
    pairs_unmet: int
    """Number of pairs that never met."""
    draws: int
    """Number of samples; 0: there are none."""


def lottery(parts: Sequence[PairPart], draws: int = DRAWS) -> Lottery:
    """Return the maximal lottery of the entries in `parts`; equal input gives equal figures on one machine.

    `draws` is the number of bootstrap samples. There are none if everything is in one part.
    """
    import numpy as np

    if not parts:
        return Lottery((), 0, 0)
    entries = sorted({part.entry_a for part in parts} | {part.entry_b for part in parts})
    ahead, met = _sums(parts, entries)
    unmet = np.triu(met.sum(axis=0) == 0, 1)
    expected = _expected(parts, entries) if unmet.any() else np.zeros_like(met[0])
    margins = _margins(ahead.sum(axis=0), met.sum(axis=0), expected)
    weights = maximal_lottery(margins)
    against = margins @ weights
    drawn = np.empty((0, len(entries)))
    if draws > 0 and len(ahead) > 1 and len(entries) <= MOST_ENTRIES:
        rng = np.random.default_rng(_SEED)
        times = rng.multinomial(len(ahead), np.full(len(ahead), 1 / len(ahead)), size=draws).astype(float)
        drawn = np.array(
            [
                _one_lottery(_margins(np.tensordot(one, ahead, 1), np.tensordot(one, met, 1), margins))
                for one in times
            ]
        )
    tail = (1 - CONFIDENCE) / 2
    ends = np.quantile(drawn, (tail, 1 - tail), axis=0) if len(drawn) else None
    return Lottery(
        tuple(
            Weight(
                entry,
                float(weights[i]),
                min(0.0, float(against[i])),
                None if ends is None else float(ends[0, i]),
                None if ends is None else float(ends[1, i]),
                None if ends is None else float((drawn[:, i] > 0).mean()),
            )
            for i, entry in enumerate(entries)
        ),
        int(unmet.sum()),
        len(drawn),
    )


def maximal_lottery(margins: "Floats") -> "Floats":
    """Return the weights of a maximal lottery; `margins[i, j]` is that of entry i against j, and −`margins[j, i]`."""
    import numpy as np

    kinds, kind = np.unique(np.round(margins, 9) + 0.0, axis=0, return_inverse=True)
    kind = kind.reshape(-1)
    first = np.array([int(np.flatnonzero(kind == number)[0]) for number in range(len(kinds))])
    first = np.sort(first)  # so that a copy of an entry changes nothing about the order of the others
    number = {int(kind[one]): i for i, one in enumerate(first)}
    of_kind = np.array([number[int(one)] for one in kind])
    merged = margins[np.ix_(first, first)]
    some = _one_lottery(merged)
    # Whoever has a weight in any maximal lottery has a margin of 0 against every one.
    candidates = np.flatnonzero(merged @ some > -_NOTHING)
    found = some
    if 1 < len(candidates) <= MOST_ENTRIES:
        favouring = [(favoured, _one_lottery(merged, int(favoured))) for favoured in candidates]
        found = np.mean([one for favoured, one in favouring if one[favoured] > 0], axis=0)
    return np.asarray(np.round(found[of_kind] / np.bincount(of_kind)[of_kind], _DIGITS), dtype=np.float64)


def _one_lottery(margins: "Floats", favoured: int | None = None) -> "Floats":
    """Return a maximal lottery; `favoured`: the entry that gets as much as it can have in one."""
    import numpy as np
    from scipy.optimize import linprog

    size = len(margins)
    if size == 1:
        return np.ones(1)
    aim = np.zeros(size)
    if favoured is not None:
        aim[favoured] = -1
    found = linprog(aim, A_ub=margins, b_ub=np.full(size, _SLACK), A_eq=np.ones((1, size)), b_eq=[1.0])
    if found.x is None:
        raise AssertionError(f"every game has a maximal lottery: {found.message}")
    weights = np.where(found.x < _NOTHING, 0.0, found.x)
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def _sums(parts: Sequence[PairPart], entries: Sequence[int]) -> "tuple[Floats, Floats]":
    """Return [part, i, j]: how much more often i finished above j than below, and how often they met."""
    import numpy as np

    place = {entry: i for i, entry in enumerate(entries)}
    number = {part: i for i, part in enumerate(sorted({part.part for part in parts}))}
    ahead = np.zeros((len(number), len(entries), len(entries)))
    met = np.zeros_like(ahead)
    for part, entry_a, entry_b, matches, above, tied in parts:
        a, b, n = place[entry_a], place[entry_b], number[part]
        ahead[n, a, b] += 2 * above + tied - matches
        ahead[n, b, a] -= 2 * above + tied - matches
        met[n, a, b] += matches
        met[n, b, a] += matches
    return ahead, met


def _margins(ahead: "Floats", met: "Floats", expected: "Floats") -> "Floats":
    """Return the margins; where two entries haven't met, the expected ones."""
    import numpy as np

    return np.asarray(np.where(met > 0, ahead / np.maximum(met, 1), expected), dtype=np.float64)


def _expected(parts: Sequence[PairPart], entries: Sequence[int]) -> "Floats":
    """Return the margins that strengths fitted to all these matches expect."""
    import numpy as np

    found = Comparisons([pair_sums(parts)], np.array(entries, dtype=np.int64)).value
    strength = found[: len(entries)]
    return np.asarray(2 * Likely(strength[:, None] - strength, found[-1]).points - 1, dtype=np.float64)
