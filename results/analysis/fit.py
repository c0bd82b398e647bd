"""The fit by places: how likely each entry is to finish above each other, from all games at once.

TrueSkill takes matches one after another. This fit uses all games together, so their order makes no difference. Every
pair of seats of every game is a comparison, which one of the two wins or which is tied. If d is the difference of their
strengths in log odds, it is won, tied and lost with probabilities in the ratio

    exp(d / 2) : ν : exp(−d / 2)

so d is the logarithm of the odds of finishing above rather than below, however many games are tied. Each table size
has a ν of its own. Strengths and ν are those that make the results most likely if comparisons are independent. With
two seats that is Davidson's model; with more, a composite likelihood, whose strengths are those of Plackett and Luce
if rankings follow that model. The comparisons of a game at a table of n count 3 / (n + 1) each, which is how much they
tell of equal entries, since they depend on each other.

An entry that has never lost would have no finite strength. So each entry also gets half an imaginary comparison, one
half of it won, with an imaginary entry that all of them share; and each table size one between equals, half of it
tied.

**What intervals hold.** A strength is the value to which the fit tends as matches go on between the same entries at
such tables. If results are made by the model, it is the strength that made them.

**Errors.** The games of a match share a deal, so a match counts as one: the covariance is the sandwich by match
(`sandwich`). An interval holds the strengths that the results don't contradict: if an entry's strength were at an end
of it, its results would be off by Student's t times their standard deviation *there*. So the interval of an entry that
never lost is long upwards. How the scatter compares with the model's own is estimated, for entries with few open
comparisons mostly from the others. Student's t has one degree of freedom less than the entry has matches; of two
entries, the one with fewer counts. Two entries are told apart if the interval of their difference, put together from the sides of theirs that face each
other, leaves out 0.

The intervals assume that results have no influence on who meets whom.

Sources: Davidson, "On extending the Bradley–Terry model to accommodate ties in paired comparison experiments" (1970);
Varin, Reid and Firth, "An overview of composite likelihood methods" (2011); Turner, van Etten, Firth and Kosmidis,
"Modelling rankings in R: the PlackettLuce package" (2020), for the imaginary comparison; Wilson, "Probable inference,
the law of succession, and statistical inference" (1927), for intervals by the deviation there; Zou and Donner,
"Construction of confidence limits about effect measures: a general approach" (2008), for those of differences.
"""

from collections.abc import Iterator, Sequence
from math import log
from typing import TYPE_CHECKING

from msgspec import Struct

from results.analysis.match_sums import MatchSums
from results.analysis.sandwich import (
    AT_A_TIME,
    CONFIDENCE,
    cells,
    claimed,
    connected,
    corrected_scatter,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

ELO = 400 / log(10)
"""Elo points in one unit of log odds: 400 points are odds of 10 to 1."""

_IMAGINED = 0.5
"""Comparisons of each entry with the imaginary one: with more, wide fields are pulled together too far."""

_OWN = 4.0
"""The model's own scatter, and that of the others, count as much as this many even comparisons of an entry."""

_NEXT_TO_NOTHING = 1e-9
"""Of the model's own covariance: where no results scatter, strengths are still related in some way."""

_DECIMALS = 6
"""Decimals of Elo points that are kept: the same on every machine, whatever its libraries add up first."""

_LONGEST_STEP = 2.0
_SHORTEST_STEP = 1e-11
_MOST_STEPS = 500
"""In practice, at most twenty are needed."""


class Strength(Struct, frozen=True):
    """The fitted strength of one entry."""

    entry_no: int
    elo: float
    """Elo points above (negative: below) the mean of the entries that it is connected with by matches."""
    low: float | None
    """Lower end of the interval, at most `elo`; None if it has fewer than two matches."""
    high: float | None
    """Its upper end, at least `elo`."""
    surely_above: tuple[int, ...] | None
    """Numbers of the entries that it is stronger than, each told apart at `CONFIDENCE`; None without an interval."""
    share: float
    """Expected share against an entry at the mean, ties as halves, from 0 to 1."""


class Fit(Struct, frozen=True):
    """The strengths of all entries that have played."""

    strengths: tuple[Strength, ...]
    """By entry number."""


def fit(sums: Sequence[MatchSums]) -> Fit:
    """Return the strengths of the entries in `sums`, which is by table size and of shares (`Measure.SHARES`)."""
    import numpy as np

    if not sums:
        return Fit(())
    entries = np.unique(np.concatenate([one.entries.ravel() for one in sums]))
    return _told(_Comparisons(sums, entries), entries)


class _Table:
    """The comparisons at tables of one size."""

    def __init__(self, sums: MatchSums, entries: "Integers") -> None:
        import numpy as np

        n, seats = len(entries), sums.seats
        self.seats = seats
        self.weight = 3 / (seats + 1)
        self.place = np.searchsorted(entries, sums.entries)
        self.games = sums.games
        self.tied = sums.tied
        # A share is in percent above one half; points are wins, and ties as halves, so their doubles are whole.
        shares = sums.by_entry / 100 + sums.games[:, None] / 2
        self.points = np.round(2 * (seats - 1) * shares) / 2
        self.met = np.bincount(cells(self.place, n), np.repeat(sums.games, seats * seats), n * n).reshape(
            n, n
        )
        np.fill_diagonal(self.met, 0.0)
        self.points_of = np.bincount(self.place.ravel(), self.points.ravel(), n)
        self.all_tied = float(sums.tied.sum())


class _Comparisons:
    """All comparisons. Unknowns are the strengths, that of the imaginary entry, and log ν by table size."""

    def __init__(self, sums: Sequence[MatchSums], entries: "Integers") -> None:
        import numpy as np

        self.tables = [_Table(one, entries) for one in sums]
        self.entries = len(entries)
        self.matches = np.zeros(self.entries, dtype=np.int64)
        met = np.zeros((self.entries, self.entries))
        for table in self.tables:
            self.matches += np.bincount(table.place.ravel(), minlength=self.entries)
            met += table.met
        self.group = connected(met > 0)
        self.value = self._solved()

    def _solved(self) -> "Floats":
        """Return the unknowns that explain the results best, by Newton's method: the likelihood has a single top."""
        import numpy as np

        value = np.zeros(self.entries + 1 + len(self.tables))
        for number, table in enumerate(self.tables):
            tied = table.all_tied + 0.5
            value[self.entries + 1 + number] = np.log(2 * tied / (table.met.sum() / 2 + 1 - tied))
        likelihood, slope, information = self.at(value)
        for _ in range(_MOST_STEPS):
            step = np.linalg.solve(information + self._held(), slope)
            step *= min(1.0, _LONGEST_STEP / np.abs(step).max(initial=_SHORTEST_STEP))
            while True:
                new = self.at(value + step)
                if new[0] >= likelihood - 1e-12 * abs(likelihood) or np.abs(step).max() < _SHORTEST_STEP:
                    break
                step /= 2
            value = value + step
            likelihood, slope, information = new
            if np.abs(step).max() < _SHORTEST_STEP:
                break
        return np.asarray(value, dtype=np.float64)

    def at(self, value: "Floats") -> "tuple[float, Floats, Floats]":
        """Return the log-likelihood at some values of the unknowns, its slope, and the information."""
        import numpy as np

        n = self.entries
        strength, size = value[:n], len(value)
        slope, information = np.zeros(size), np.zeros((size, size))
        lead = strength - value[n]
        won = _IMAGINED / (1 + np.exp(-lead))
        slope[:n] = _IMAGINED / 2 - won
        slope[n] = -slope[:n].sum()
        open_ = won * (1 - won / _IMAGINED)
        likelihood = float((_IMAGINED / 2 * lead - _IMAGINED * np.logaddexp(0, lead)).sum())
        information[n, :n] = information[:n, n] = -open_
        information[range(n), range(n)] = open_
        information[n, n] = open_.sum()
        for number, table in enumerate(self.tables, n + 1):
            likely = _Likely(strength[:, None] - strength, value[number])
            weight = table.weight
            pairs = weight * table.met
            slope[:n] += weight * table.points_of - (pairs * likely.points).sum(axis=1)
            spread = pairs * likely.spread
            information[:n, :n] -= spread
            information[range(n), range(n)] += spread.sum(axis=1)
            crossed = (pairs * likely.crossed).sum(axis=1)
            information[:n, number] = information[number, :n] = crossed
            equals = 2 + np.exp(value[number])
            tied = np.exp(value[number]) / equals
            slope[number] = weight * table.all_tied - (pairs * likely.tied).sum() / 2 + 0.5 - tied
            information[number, number] = (pairs * likely.tied * (1 - likely.tied)).sum() / 2 + tied * (
                1 - tied
            )
            likelihood += float(
                weight * (table.points_of @ strength - table.met.sum(axis=1) @ strength / 2)
                + (weight * table.all_tied + 0.5) * value[number]
                - (pairs * likely.norm).sum() / 2
                - np.log(equals)
            )
        return likelihood, slope, information

    def _held(self) -> "Floats":
        """Return what holds the sum of the strengths at 0, as only their differences count."""
        import numpy as np

        size = self.entries + 1 + len(self.tables)
        held = np.zeros((size, size))
        held[: self.entries + 1, : self.entries + 1] = 1 / (self.entries + 1)
        return held

    def scored(self) -> "Iterator[tuple[Integers, Floats, Floats]]":
        """Yield for some matches at a time: their unknowns, their information, and their scores."""
        import numpy as np

        for number, table in enumerate(self.tables, self.entries + 1):
            seats = table.seats
            apart = 1 - np.eye(seats)
            for start in range(0, len(table.games), AT_A_TIME):
                part = slice(start, start + AT_A_TIME)
                place = table.place[part]
                strength = self.value[place]
                likely = _Likely(strength[:, :, None] - strength[:, None, :], self.value[number])
                weights = table.weight * table.games[part, None, None] * apart
                spread = weights * likely.spread
                information = np.zeros((len(place), seats + 1, seats + 1))
                information[:, :seats, :seats] = -spread
                information[:, range(seats), range(seats)] = spread.sum(axis=2)
                crossed = (weights * likely.crossed).sum(axis=2)
                information[:, :seats, seats] = information[:, seats, :seats] = crossed
                information[:, seats, seats] = (weights * likely.tied * (1 - likely.tied)).sum(
                    axis=(1, 2)
                ) / 2
                score = np.empty((len(place), seats + 1))
                score[:, :seats] = table.weight * table.points[part] - (weights * likely.points).sum(axis=2)
                score[:, seats] = (
                    table.weight * table.tied[part] - (weights * likely.tied).sum(axis=(1, 2)) / 2
                )
                yield np.column_stack([place, np.full(len(place), number)]), information, score

    def covariance(self) -> "tuple[Floats, float]":
        """Return the covariance of the strengths, each group of entries around its mean, and the scatter.

        That is how much larger the variance of matches is than the model's.
        """
        import numpy as np

        n = self.entries
        information = self.at(self.value)[2]
        bread = np.asarray(np.linalg.inv(information + self._held()), dtype=np.float64)
        meat = corrected_scatter(self.scored(), bread)
        centring = np.eye(n) - (self.group[:, None] == self.group) / (self.group[:, None] == self.group).sum(
            axis=1
        )
        own = centring @ bread[:n, :n] @ centring
        known = information[:n, :n]
        scatter = (float((own * meat[:n, :n]).sum()) + 1) / (float((own * known).sum()) + 1)
        found = centring @ (bread @ meat @ bread)[:n, :n] @ centring
        return np.asarray(found + _NEXT_TO_NOTHING * own, dtype=np.float64), scatter

    def deviation(self, strength: "Floats") -> "tuple[Floats, Floats]":
        """Return how far each entry's results are from what they'd be at another strength, and their information there.

        `strength` has another value for each, while all others stay as they are.
        """
        import numpy as np

        n = self.entries
        won = _IMAGINED / (1 + np.exp(self.value[n] - strength))
        off = _IMAGINED / 2 - won
        information = won * (1 - won / _IMAGINED)
        for number, table in enumerate(self.tables, n + 1):
            likely = _Likely(strength[:, None] - self.value[:n], self.value[number])
            off += table.weight * (table.points_of - (table.met * likely.points).sum(axis=1))
            information += table.weight * (table.met * likely.spread).sum(axis=1)
        return off, information


class _Likely:
    """What to expect of comparisons, by the leads in strength (any shape) and log ν."""

    def __init__(self, lead: "Floats", log_ties: "float | np.float64") -> None:
        import numpy as np

        less = np.exp(-np.abs(lead))
        ties = np.exp(log_ties - np.abs(lead) / 2)
        total = 1 + less + ties
        self.norm = np.abs(lead) / 2 + np.log(total)
        """Logarithm of the sum of the three terms."""
        self.tied = ties / total
        """Probability of a tie."""
        more = 1 / total + self.tied / 2
        self.points = np.where(lead >= 0, more, 1 - more)
        """Expected points: 1 for a win, one half for a tie."""
        self.spread = 1 / total + self.tied / 4 - more**2
        """Variance of the points."""
        self.crossed = self.tied * (0.5 - self.points)
        """Covariance of the points with whether there is a tie."""


def _told(of: _Comparisons, entries: "Integers") -> Fit:
    """Return the strengths with their intervals and claims."""
    import numpy as np
    from scipy.special import stdtr, stdtrit

    n = of.entries
    same = of.group[:, None] == of.group
    value = of.value[:n] - same @ of.value[:n] / same.sum(axis=1)
    covariance, scatter = of.covariance()
    freedom = np.maximum(of.matches - 1.0, 1.0)
    down, up = _sides(of, covariance.diagonal(), scatter, stdtrit(freedom, (1 + CONFIDENCE) / 2))
    elo = np.round(ELO * value, _DECIMALS) + 0.0  # no −0
    low, high = np.round(ELO * (value - down), _DECIMALS), np.round(ELO * (value + up), _DECIMALS)
    has_interval = (of.matches >= 2) & (same.sum(axis=1) > 1)
    a, b = np.nonzero(np.triu(same & np.outer(has_interval, has_interval), 1))
    t = stdtrit(freedom, (1 + CONFIDENCE) / 2)
    lead = elo[a] - elo[b]
    first = np.where(lead > 0, down[a], up[a]) / t[a]
    second = np.where(lead > 0, up[b], down[b]) / t[b]
    deviation = np.sqrt(covariance.diagonal())
    related = np.clip(covariance[a, b] / (deviation[a] * deviation[b]), -1, 1)
    spread = np.sqrt(first**2 + second**2 - 2 * related * first * second)
    chance = 2 * stdtr(np.minimum(freedom[a], freedom[b]), -np.abs(lead) / ELO / spread)
    above = claimed(n, a, b, lead, chance < 1 - CONFIDENCE)
    comparisons = np.array([table.met.sum() for table in of.tables])
    shares = np.array([_Likely(value, of.value[n + 1 + i]).points for i in range(len(of.tables))])
    share = comparisons @ shares / comparisons.sum()
    numbers = [int(entry) for entry in entries]
    return Fit(
        tuple(
            Strength(
                entry,
                float(elo[i]),
                float(low[i]) if has_interval[i] else None,
                float(high[i]) if has_interval[i] else None,
                tuple(numbers[j] for j in np.flatnonzero(above[i])) if has_interval[i] else None,
                float(np.round(share[i], _DECIMALS)),
            )
            for i, entry in enumerate(numbers)
        )
    )


def _sides(of: _Comparisons, variance: "Floats", scatter: float, t: "Floats") -> "tuple[Floats, Floats]":
    """Return how far each interval reaches down and up from its strength."""
    import numpy as np

    n = of.entries
    strength = of.value[:n]
    count = (of.group[:, None] == of.group).sum(axis=1)
    moved = np.where(count > 1, 1 - 1 / count, 1.0)
    """How far a strength moves from the mean if it moves from the others by 1."""
    _, information = of.deviation(strength)
    even = 4 * information
    factor = (even * variance / moved**2 * information + _OWN * scatter) / (even + _OWN)
    sides = []
    for sign in (-1, 1):
        inside, outside = np.zeros(n), np.full(n, 1.0)
        for _ in range(60):
            off, there = of.deviation(strength + sign * outside)
            is_inside = off**2 <= t**2 * factor * there
            if not is_inside.any():
                break
            outside = np.where(is_inside, 2 * outside, outside)
        for _ in range(50):
            middle = (inside + outside) / 2
            off, there = of.deviation(strength + sign * middle)
            is_inside = off**2 <= t**2 * factor * there
            inside, outside = np.where(is_inside, middle, inside), np.where(is_inside, outside, middle)
        sides.append(moved * inside)
    return sides[0], sides[1]
