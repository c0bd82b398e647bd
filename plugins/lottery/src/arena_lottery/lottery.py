"""The maximal lottery: how to choose an entry by lot so that no other beats the choice on average.

The margin of two entries says how much more often one finishes above the other than below, in the matches that both
played: 1 if always, −1 if never. A lottery gives each entry a weight. It is *maximal* if every entry has a margin of
at most 0 against an entry drawn from it; there always is one (the minimax theorem). See docs/statistics.md, ADR 0046.

If several lotteries are maximal, the result is the one whose weights have the least sum of squares. There is exactly
one, so it doesn't depend on the order of the entries. Entries with equal margins against everybody are first taken as
one, so a clone changes nothing there either.

**Uncertainty** comes from the bootstrap: matches lie in up to `pair_parts.PARTS` parts, which are resampled, and each
sample has a lottery of its own. A pair that never met has the margin that a fit by places to whole matches expects; one
that is in no part of a sample keeps its own.

Sources: Fishburn, "Probabilistic social choice based on simple voting comparisons" (1984); Brandl, Brandt and Seedig,
"Consistent probabilistic social choice" (2016), for clones; Balduzzi, Tuyls, Perolat and Graepel, "Re-evaluating
evaluation" (2018), for agents and for the value against the lottery; Smith, "Aggregation of preferences with variable
electorate" (1973), for the set that beats all others; Lawson and Hanson, "Solving least squares
problems" (1974), chapter 23, for the least sum of squares under inequalities.
"""

from collections.abc import Sequence

import numpy as np

from arena_lottery.findings import Lottery, Weight
from arena_lottery.pair_parts import PairPart
from results.analysis.davidson import Comparisons, Likely
from results.analysis.match_sums import Bools, Floats, Integers, MatchSums

CONFIDENCE = 0.95
"""Confidence of the intervals of weights."""

DRAWS = 400
"""Number of bootstrap samples."""

MOST_ENTRIES = 60
"""With more entries, there are no samples: they take longer than people wait."""

_SEED = 1984
"""A fixed seed, so that equal ledgers give equal figures."""

_SAME = 9
"""Decimals of margins: what differs less is equal."""

_SINGULAR = 1e-9
"""A singular value with a smaller ratio to the greatest is 0."""

_NOTHING = 1e-6
"""A smaller weight is none."""

_DIGITS = 6
"""Decimals of weights that are kept: what the solver makes beyond them differs from one machine to the next."""


def lottery(parts: Sequence[PairPart], draws: int = DRAWS) -> Lottery:
    """Return the maximal lottery of the entries in `parts`; equal input gives equal figures on one machine.

    `draws` is the number of bootstrap samples. There are none if everything is in one part.
    """
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
                maximal_lottery(_margins(np.tensordot(one, ahead, 1), np.tensordot(one, met, 1), margins))
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


def maximal_lottery(margins: Floats) -> Floats:
    """Return the weights of the maximal lottery that is nearest to equal weights, with clones taken as one.

    `margins[i, j]` is that of entry i against j, and −`margins[j, i]`. Other orders of entries give the same weights.
    """
    margins = np.round(margins, _SAME) + 0.0  # no −0
    _, first, kind, size = np.unique(
        margins, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    kinds = margins[np.ix_(first, first)]
    inside = _unbeaten(kinds)
    found = np.zeros(len(kinds))
    found[inside] = _nearest_to_equal(kinds[np.ix_(inside, inside)]) if len(inside) > 1 else 1.0
    kind = kind.reshape(-1)
    return np.asarray(np.round(found[kind] / size[kind], _DIGITS), dtype=np.float64)


def _unbeaten(margins: Floats) -> Integers:
    """Return the places of the fewest entries of which each beats all others: the Smith set.

    No other entry has a weight. A lottery with weights outside loses to the maximal lottery of the entries inside.
    """
    ahead = margins > 0
    inside = np.zeros(len(margins), dtype=np.bool_)
    inside[ahead.sum(axis=1).argmax()] = True  # an entry outside beats fewer
    while (more := ~inside & ~ahead[inside].all(axis=0)).any():
        inside |= more
    return np.asarray(np.flatnonzero(inside), dtype=np.int64)


def _nearest_to_equal(margins: Floats) -> Floats:
    """Return the maximal lottery with the least sum of squares."""
    able = _able_to_win(margins)
    inside, against = margins[np.ix_(able, able)], margins[np.ix_(~able, able)]
    # All weights of a maximal lottery make these margins 0, and add up to 1.
    equations = np.concatenate([inside, np.ones((1, len(inside)))])
    left, sizes, right = np.linalg.svd(equations)
    rank = int((sizes > _SINGULAR * sizes[0]).sum())
    found = right[:rank].T @ (left[-1, :rank] / sizes[:rank])
    free = right[rank:].T
    if len(free.T):
        # What is left free has to keep weights and margins on their side of 0.
        found = found + free @ _least(
            np.concatenate([free, -against @ free]), np.append(-found, against @ found)
        )
    weights = np.zeros(len(margins))
    weights[able] = np.where(found < _NOTHING, 0.0, found)
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def _able_to_win(margins: Floats) -> Bools:
    """Return which entries have a weight in any maximal lottery."""
    size = len(margins)
    one = _solution(np.zeros(size), margins, [(0, None)] * size, total=1.0)
    # Whoever is able to win has a margin of 0 against every maximal lottery.
    able = margins @ one > -_NOTHING
    if (one[able] > _NOTHING).all():
        return np.asarray(able, dtype=np.bool_)
    # Multiples of a lottery, each weight in two parts: up to 1, of which there is to be as much as possible, and more.
    aim = np.append(-np.ones(size), np.zeros(size))
    doubled = np.concatenate([margins, margins], axis=1)
    return np.asarray(
        _solution(aim, doubled, [(0, 1)] * size + [(0, None)] * size)[:size] > 0.5, dtype=np.bool_
    )


def _solution(
    aim: Floats, margins: Floats, bounds: list[tuple[int, int | None]], total: float | None = None
) -> Floats:
    """Return weights that make `aim` least, with no margin above 0 against them; `total`: what they add up to."""
    from scipy.optimize import linprog

    sums = {} if total is None else {"A_eq": np.ones((1, len(aim))), "b_eq": [total]}
    found = linprog(aim, A_ub=margins, b_ub=np.zeros(len(margins)), bounds=bounds, **sums)
    if found.x is None:
        raise AssertionError(f"every game has a maximal lottery: {found.message}")
    return np.asarray(found.x, dtype=np.float64)


def _least(sides: Floats, bounds: Floats) -> Floats:
    """Return the x of least length with `sides` @ x ≥ `bounds`."""
    from scipy.optimize import nnls

    aim = np.append(np.zeros(sides.shape[1]), 1.0)
    whole = np.concatenate([sides.T, bounds[None, :]])
    rest = whole @ nnls(whole, aim)[0] - aim
    return np.asarray(rest[:-1] / -rest[-1], dtype=np.float64)


def _sums(parts: Sequence[PairPart], entries: Sequence[int]) -> tuple[Floats, Floats]:
    """Return [part, i, j]: how much more often i finished above j than below, and how often they met."""
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


def _margins(ahead: Floats, met: Floats, expected: Floats) -> Floats:
    """Return the margins; where two entries haven't met, the expected ones."""
    return np.asarray(np.where(met > 0, ahead / np.maximum(met, 1), expected), dtype=np.float64)


def _expected(parts: Sequence[PairPart], entries: Sequence[int]) -> Floats:
    """Return the margins that strengths fitted to all these matches expect."""
    found = Comparisons([pair_sums(parts)], np.array(entries, dtype=np.int64)).value
    strength = found[: len(entries)]
    return np.asarray(2 * Likely(strength[:, None] - strength, found[-1]).points - 1, dtype=np.float64)


def pair_sums(parts: Sequence[PairPart]) -> MatchSums:
    """Return the matches of pairs as games between two, by `Measure.SHARES`; each part of a pair is one match."""
    rows = np.array(parts, dtype=np.int64).reshape(-1, len(PairPart._fields))
    _, a, b, matches, above, tied = rows.T
    ahead = 50.0 * (2 * above + tied - matches)
    by_entry = np.stack([ahead, -ahead], axis=1)
    return MatchSums(
        2,
        np.arange(len(rows)),
        np.stack([a, b], axis=1),
        matches.astype(np.float64),
        np.repeat(matches / 2, 4).reshape(-1, 2, 2),
        by_entry,
        np.zeros_like(by_entry),
        tied.astype(np.float64),
    )
