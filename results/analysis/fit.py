"""The order-free fit: Bradley–Terry strengths from all matches at once, with intervals.

TrueSkill takes matches one after another and lets strengths drift. This fit uses
all matches together, so their order makes no difference. Every pair of entries in a
match is compared by their sums of shares, with a tie as half a win for each, and
the choix package finds the strengths that explain all comparisons best. Its odds,
and the intervals around them, are therefore odds of shares of matches with ties as
halves, not of matches won.

An entry that has never lost, or never met the others, would have no finite
strength. So each entry also gets one imaginary comparison, half won and half lost,
with an imaginary entry that all of them share. After a few matches this hardly
matters, but it keeps all numbers finite.

Intervals come from the bootstrap: matches are divided into `fold.PARTS` parts, parts
are resampled with replacement, and the strengths are fitted to each sample. The games
of a match stay together, and the cost doesn't grow with the number of matches. With
few parts the bootstrap underestimates the spread, so the spread is widened by the
ratio of Student's t to the normal distribution, for the number of parts that an entry
played in.

Sources: Bradley and Terry, "Rank analysis of incomplete block designs" (1952);
Maystre and Grossglauser, "Fast and accurate inference of Plackett–Luce models"
(2015), which choix implements; Turner, van Etten, Firth and Kosmidis, "Modelling
rankings in R: the PlackettLuce package" (2020), for the imaginary comparison;
Efron, "Bootstrap methods: another look at the jackknife" (1979); Abramowitz and
Stegun, "Handbook of mathematical functions" (1964), 26.7.5, for Student's t.
"""

from collections.abc import Iterator, Sequence
from math import exp, log
from statistics import NormalDist
from typing import TYPE_CHECKING

from msgspec import Struct

from results.query_rows import PairPart

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

ELO = 400 / log(10)
"""Elo points in one unit of log odds: 400 points are odds of 10 to 1."""

CONFIDENCE = 0.95
"""Confidence of intervals, and of the claim that one entry is stronger than another."""

DRAWS = 400
"""Number of bootstrap samples."""

MOST_ENTRIES = 100
"""With more entries, intervals take longer than people wait, and are computed only on request."""

_IMAGINED = 1.0
"""Comparisons of each entry with the imaginary one."""

_SEED = 1952
"""A fixed seed, so that equal ledgers give equal intervals."""

_TOLERANCE = 1e-6
_MOST_STEPS = 10_000
"""In practice, at most ten are needed, or some hundreds if an entry never loses."""


def share_of(elo: float) -> float:
    """Return the expected share of matches, ties as halves, for an entry this many Elo points above another.

    From 0 to 1. The share of matches won outright depends on how many are tied.
    """
    return 1 / (1 + exp(-elo / ELO))


class Strength(Struct, frozen=True):
    """The fitted strength of one entry."""

    entry_no: int
    elo: float
    """Elo points above (negative: below) the mean of all entries that have played; see `share_of`."""
    low: float | None
    """Lower end of the interval, at most `elo`; None without intervals."""
    high: float | None
    """Its upper end, at least `elo`."""
    surely_above: tuple[int, ...] | None
    """Numbers of the entries that it is stronger than, at `CONFIDENCE`, two-sided."""


class Fit(Struct, frozen=True):
    """The strengths of all entries that have played."""

    strengths: tuple[Strength, ...]
    """By entry number."""
    draws: int
    """Number of samples behind the intervals; 0: there are none."""


def fit(parts: Sequence[PairPart], draws: int = DRAWS) -> Fit:
    """Return the strengths of the entries in `parts`; equal input gives equal bits on one machine.

    `draws` is the number of bootstrap samples. There are no intervals if it is 0 or everything is in one part.
    """
    if not parts:
        return Fit((), 0)
    import numpy as np

    entries = sorted({part.entry_a for part in parts} | {part.entry_b for part in parts})
    wins = _wins(parts, entries)
    start = _log_odds(wins.sum(axis=0), None)
    elo = _elo(start)
    if draws < 1 or len(wins) < 2:
        nothing = [Strength(entry, float(elo[i]), None, None, None) for i, entry in enumerate(entries)]
        return Fit(tuple(nothing), 0)
    rng = np.random.default_rng(_SEED)
    drawn = np.empty((draws, len(entries)))
    for i in range(draws):
        times = rng.multinomial(len(wins), np.full(len(wins), 1 / len(wins)))
        drawn[i] = _elo(_log_odds(np.tensordot(times.astype(float), wins, 1), start))
    return Fit(tuple(_with_intervals(entries, elo, drawn, _widening(wins))), draws)


def _with_intervals(
    entries: Sequence[int], elo: "Floats", drawn: "Floats", widening: "Floats"
) -> Iterator[Strength]:
    """Return each entry with its interval and the entries it is certainly above; `drawn` is by sample and entry."""
    import numpy as np

    tail = (1 - CONFIDENCE) / 2
    moved = drawn - elo
    low, high = elo + widening * np.quantile(moved, (tail, 1 - tail), axis=0)
    # Samples of an entry that always won, or lost, may all lie to one side, if only by what a fit is inexact.
    low, high = np.minimum(low, elo), np.maximum(high, elo)
    for i, entry in enumerate(entries):
        lead = elo[i] - elo + np.maximum(widening, widening[i]) * (moved[:, i : i + 1] - moved)
        above = (lead > 0).mean(axis=0) >= 1 - tail
        surely = tuple(other for j, other in enumerate(entries) if above[j])
        yield Strength(entry, float(elo[i]), float(low[i]), float(high[i]), surely)


def _widening(wins: "Floats") -> "Floats":
    """Return, for each entry, the factor of 1 or more by which to widen the spread of its samples."""
    import numpy as np

    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    played = ((wins + wins.transpose(0, 2, 1)).sum(axis=2) > 0).sum(axis=0)
    freedom = np.maximum(played - 1.0, 1.0)
    t = z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
    return np.asarray(t / z * np.sqrt((freedom + 1) / freedom), dtype=np.float64)


def _wins(parts: Sequence[PairPart], entries: Sequence[int]) -> "NDArray[np.float64]":
    """Return wins[part, i, j]: how often entry i beat entry j, ties as halves; empty parts are left out."""
    import numpy as np

    place = {entry: i for i, entry in enumerate(entries)}
    number = {part: i for i, part in enumerate(sorted({part.part for part in parts}))}
    wins = np.zeros((len(number), len(entries), len(entries)))
    for part, entry_a, entry_b, matches, above, tied in parts:
        a, b = place[entry_a], place[entry_b]
        wins[number[part], a, b] += above + tied / 2
        wins[number[part], b, a] += matches - above - tied / 2
    return wins


def _log_odds(wins: "Floats", start: "Floats | None") -> "Floats":
    """Return the strengths that fit the wins best, as log odds; the imaginary entry is last."""
    import choix
    import numpy as np

    n = len(wins)
    with_imagined = np.zeros((n + 1, n + 1))
    with_imagined[:n, :n] = wins
    with_imagined[:n, n] = with_imagined[n, :n] = _IMAGINED / 2
    found = choix.ilsr_pairwise_dense(
        with_imagined, initial_params=start, max_iter=_MOST_STEPS, tol=_TOLERANCE
    )
    return np.asarray(found, dtype=np.float64)


def _elo(log_odds: "Floats") -> "Floats":
    """Return the strengths as Elo points relative to the mean of the entries, without the imaginary one."""
    import numpy as np

    real: Floats = ELO * log_odds[:-1]
    return np.asarray(real - real.mean(), dtype=np.float64)
