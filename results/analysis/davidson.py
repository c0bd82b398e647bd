"""Davidson's model of ties, for tables of any size: the probabilities of comparisons, and what explains them best.

Every pair of seats of every game is a comparison, which one of the two wins or which is tied. If d is the difference of
their strengths in log odds, it is won, tied and lost with probabilities in the ratio

    exp(d / 2) : ν : exp(−d / 2)

where each table size has a ν of its own. Strengths and ν are those that make the results most likely if comparisons are
independent. The comparisons of a game at a table of n count 3 / (n + 1) each, which is how much they tell of equal
entries. So that none is infinite, each entry also gets half an imaginary comparison, one half of it won, with an
imaginary entry that all of them share; and each table size one between equals, half of it tied. See ADR 0047.

**Partners.** The comparisons are those of sides, and a side is as strong as its members together: the sum of their
strengths. So the strength of an entry is what it adds to a side, whoever its partner is.

Sources: Davidson, "On extending the Bradley–Terry model to accommodate ties in paired comparison experiments" (1970);
Varin, Reid and Firth, "An overview of composite likelihood methods" (2011); Turner, van Etten, Firth and Kosmidis,
"Modelling rankings in R: the PlackettLuce package" (2020), for the imaginary comparison.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from results.analysis.match_sums import Bools, Floats, Integers, MatchSums, deals_of, share_deals
from results.analysis.robust_errors import (
    AT_A_TIME,
    Part,
    cells,
    connected,
    corrected_scatter,
    is_determined,
    undetermined,
)
from results.analysis.shrinkage import DrawnTogether

_LONGEST_STEP = 2.0
"""Of any unknown: from far away, whole steps may lead too far."""


def likeliest(
    at: Callable[[Floats], tuple[float, Floats, Floats]],
    begin: Floats,
    *,
    shortest_step: float,
    most_steps: int,
    held: Floats | float = 0.0,
) -> Floats:
    """Return the unknowns that explain the results best, within `shortest_step`.

    `at` returns the log-likelihood, its slope and the information at some values of the unknowns, and `begin` are those
    to begin with. `held` is added to the information, for directions of which it says nothing. A step that leads down
    is halved.
    """
    value = begin
    likelihood, slope, information = at(value)
    for _ in range(most_steps):
        step = np.linalg.solve(information + held, slope)
        step *= min(1.0, _LONGEST_STEP / np.abs(step).max(initial=shortest_step))
        while True:
            new = at(value + step)
            if new[0] >= likelihood - 1e-12 * abs(likelihood) or np.abs(step).max() < shortest_step:
                break
            step /= 2
        value = value + step
        likelihood, slope, information = new
        if np.abs(step).max() < shortest_step:
            break
    return np.asarray(value, dtype=np.float64)


_IMAGINED = 0.5
"""Comparisons of each entry with the imaginary one: with more, wide fields are pulled together too far."""

OWN = 10.0
"""How much the model's own scatter counts in what is estimated from few results; of an entry, in even comparisons."""

_NEXT_TO_NOTHING = 1e-9
"""Of the model's own covariance: where no results scatter, strengths are still related in some way."""

_SHORTEST_STEP = 1e-11
_MOST_STEPS = 500
"""In practice, at most twenty are needed."""

_MOST_DRAWS = 50
"""In simulated leagues, 22 were needed at most, and mostly ten."""


class _Table:
    """The comparisons at tables of one size."""

    def __init__(self, sums: MatchSums, entries: Integers) -> None:
        n, seats = len(entries), sums.seats
        self.seats = seats
        self.sides = sums.sides
        self.weight = 3 / (self.sides + 1)
        self.numbers = sums.matches
        self.place = np.searchsorted(entries, sums.entries)
        self.games = sums.games
        self.tied = sums.tied
        # A share is in percent above one half; points are wins, and ties as halves, so their doubles are whole.
        shares = sums.by_entry / 100 + sums.games[:, None] / 2
        self.points = np.round(2 * (self.sides - 1) * shares) / 2
        against = np.repeat(sums.games, seats * seats)
        self.members: Floats | None = None
        """[match, side, place]: 1 for the members of each side, else 0; None if each entry plays for itself."""
        if sums.side is not None:
            against = against * (1 - sums.same_side(slice(None))).ravel()
            self.members = np.asarray(
                sums.side[:, None, :] == np.arange(self.sides)[None, :, None], dtype=np.float64
            )
        self.met = np.bincount(cells(self.place, n), against, n * n).reshape(n, n)
        np.fill_diagonal(self.met, 0.0)
        self.points_of = np.bincount(self.place.ravel(), self.points.ravel(), n)
        self.all_tied = float(sums.tied.sum())

    def of_sides(self, value: Floats, number: int) -> Iterator[tuple[slice, Integers, float, Floats, Floats]]:
        """Yield for some matches with partners what they tell at some values of the unknowns.

        That is their unknowns, the last of which is log ν, with the `number`; the log-likelihood; and by match its
        slope and the information.
        """
        if self.members is None:
            raise AssertionError("no partners")
        sides = self.sides
        apart = 1 - np.eye(sides)
        for start in range(0, len(self.games), AT_A_TIME):
            part = slice(start, start + AT_A_TIME)
            members, place, games = self.members[part], self.place[part], self.games[part]
            strength = np.einsum("msp,mp->ms", members, value[place])
            points = np.einsum("msp,mp->ms", members, self.points[part]) / members.sum(axis=2)
            likely = Likely(strength[:, :, None] - strength[:, None, :], value[number])
            weights = self.weight * games[:, None, None] * apart
            slope, information = self.told(likely, weights, points, self.tied[part])
            ahead = points - games[:, None] * (sides - 1) / 2
            likelihood = float(
                self.weight * ((ahead * strength).sum() + self.tied[part].sum() * value[number])
                - (weights * likely.norm).sum() / 2
            )
            to_members = np.zeros((len(place), sides + 1, self.seats + 1))
            to_members[:, :sides, : self.seats] = members
            to_members[:, sides, self.seats] = 1
            back = to_members.transpose(0, 2, 1)
            yield (
                part,
                np.column_stack([place, np.full(len(place), number)]),
                likelihood,
                np.einsum("mps,ms->mp", back, slope),
                back @ information @ to_members,
            )

    def told(self, likely: "Likely", weights: Floats, points: Floats, tied: Floats) -> tuple[Floats, Floats]:
        """Return by match the slope and the information of some comparisons, for each side and log ν.

        `weights`: by match and pair of sides, what their comparisons count · `points`: by match and side.
        """
        sides = self.sides
        spread = weights * likely.spread
        information = np.zeros((len(points), sides + 1, sides + 1))
        information[:, :sides, :sides] = -spread
        information[:, range(sides), range(sides)] = spread.sum(axis=2)
        crossed = (weights * likely.crossed).sum(axis=2)
        information[:, :sides, sides] = information[:, sides, :sides] = crossed
        information[:, sides, sides] = (weights * likely.tied * (1 - likely.tied)).sum(axis=(1, 2)) / 2
        slope = np.empty((len(points), sides + 1))
        slope[:, :sides] = self.weight * points - (weights * likely.points).sum(axis=2)
        slope[:, sides] = self.weight * tied - (weights * likely.tied).sum(axis=(1, 2)) / 2
        return slope, information

    def deviation_with_partners(self, value: Floats, number: int, strength: Floats) -> tuple[Floats, Floats]:
        """Return what matches with partners add to `Comparisons.deviation`."""
        if self.members is None:
            raise AssertionError("no partners")
        n = len(strength)
        of_sides = np.einsum("msp,mp->ms", self.members, value[self.place])
        own = np.einsum("msp,ms->mp", self.members, of_sides) - value[self.place] + strength[self.place]
        likely = Likely(own[:, :, None] - of_sides[:, None, :], value[number])
        games = self.weight * self.games[:, None, None] * (1 - self.members.transpose(0, 2, 1))
        off = self.weight * self.points - (games * likely.points).sum(axis=2)
        information = (games * likely.spread).sum(axis=2)
        place = self.place.ravel()
        found = [np.bincount(place, of_all.ravel(), n) for of_all in (off, information)]
        return np.asarray(found[0], dtype=np.float64), np.asarray(found[1], dtype=np.float64)


class Comparisons:
    """All comparisons. Unknowns are the strengths, that of the imaginary entry, and log ν by table size."""

    def __init__(self, sums: Sequence[MatchSums], entries: Integers) -> None:
        self.tables = [_Table(one, entries) for one in sums]
        self.entries = len(entries)
        self.deals = deals_of(sums, entries)
        """By entry: how many independent results it has, one for each deal."""
        self.shares_deals = share_deals(sums)
        met = np.zeros((self.entries, self.entries))
        for table in self.tables:
            met += table.met
        self.group = connected(met > 0)
        self.value = self._solved()

    def _solved(self) -> Floats:
        """Return the unknowns that explain the results best, by Newton's method: the likelihood has a single top."""
        value = np.zeros(self.entries + 1 + len(self.tables))
        for number, table in enumerate(self.tables):
            tied = table.all_tied + 0.5
            value[self.entries + 1 + number] = np.log(2 * tied / (table.met.sum() / 2 + 1 - tied))
        return likeliest(
            self.at, value, shortest_step=_SHORTEST_STEP, most_steps=_MOST_STEPS, held=self._held()
        )

    def at(self, value: Floats) -> tuple[float, Floats, Floats]:
        """Return the log-likelihood at some values of the unknowns, its slope, and the information."""
        played, imagined = self._played(value), self._imagined(value)
        return played[0] + imagined[0], played[1] + imagined[1], played[2] + imagined[2]

    def _played(self, value: Floats) -> tuple[float, Floats, Floats]:
        """Return what the games add to `at`."""
        n, size = self.entries, len(value)
        strength = value[:n]
        likelihood, slope, information = 0.0, np.zeros(size), np.zeros((size, size))
        for number, table in enumerate(self.tables, n + 1):
            if table.members is not None:
                for _, unknowns, likely_here, slopes, matrices in table.of_sides(value, number):
                    likelihood += likely_here
                    slope += np.bincount(unknowns.ravel(), slopes.ravel(), size)
                    information += np.bincount(cells(unknowns, size), matrices.ravel(), size * size).reshape(
                        size, size
                    )
                continue
            likely = Likely(strength[:, None] - strength, value[number])
            pairs = table.weight * table.met
            spread = pairs * likely.spread
            crossed = (pairs * likely.crossed).sum(axis=1)
            slope[:n] += table.weight * table.points_of - (pairs * likely.points).sum(axis=1)
            slope[number] = table.weight * table.all_tied - (pairs * likely.tied).sum() / 2
            information[:n, :n] -= spread
            information[range(n), range(n)] += spread.sum(axis=1)
            information[:n, number] = information[number, :n] = crossed
            information[number, number] = (pairs * likely.tied * (1 - likely.tied)).sum() / 2
            won = (table.points_of - table.met.sum(axis=1) / 2) @ strength + table.all_tied * value[number]
            likelihood += float(table.weight * won - (pairs * likely.norm).sum() / 2)
        return likelihood, slope, information

    def _imagined(self, value: Floats) -> tuple[float, Floats, Floats]:
        """Return what the imaginary comparisons add to `at`."""
        n, size = self.entries, len(value)
        slope, information = np.zeros(size), np.zeros((size, size))
        lead = value[:n] - value[n]
        chance = 1 / (1 + np.exp(-lead))
        spread = _IMAGINED * chance * (1 - chance)
        slope[:n] = _IMAGINED * (0.5 - chance)
        slope[n] = -slope[:n].sum()
        information[n, :n] = information[:n, n] = -spread
        information[range(n), range(n)] = spread
        information[n, n] = spread.sum()
        ties = value[n + 1 :]
        tied = 1 / (1 + 2 * np.exp(-ties))
        slope[n + 1 :] = 0.5 - tied
        information[range(n + 1, size), range(n + 1, size)] = tied * (1 - tied)
        likelihood = (
            _IMAGINED * (lead / 2 - np.logaddexp(0, lead)).sum() + (ties / 2 - np.log(2 + np.exp(ties))).sum()
        )
        return float(likelihood), slope, information

    def _held(self) -> Floats:
        """Return what holds the sum of the strengths at 0, as only their differences count."""
        size = self.entries + 1 + len(self.tables)
        held = np.zeros((size, size))
        held[: self.entries + 1, : self.entries + 1] = 1 / (self.entries + 1)
        return held

    def scored(self) -> Iterator[Part]:
        """Yield for some matches: their numbers or deals, their unknowns, their information, and their scores."""
        for number, table in enumerate(self.tables, self.entries + 1):
            if table.members is not None:
                for part, unknowns, _, slopes, matrices in table.of_sides(self.value, number):
                    yield table.numbers[part], unknowns, matrices, slopes
                continue
            seats = table.seats
            apart = 1 - np.eye(seats)
            for start in range(0, len(table.games), AT_A_TIME):
                part = slice(start, start + AT_A_TIME)
                place = table.place[part]
                strength = self.value[place]
                likely = Likely(strength[:, :, None] - strength[:, None, :], self.value[number])
                weights = table.weight * table.games[part, None, None] * apart
                slope, information = table.told(likely, weights, table.points[part], table.tied[part])
                unknowns = np.column_stack([place, np.full(len(place), number)])
                yield table.numbers[part], unknowns, information, slope

    def covariance(self) -> tuple[Floats, float]:
        """Return the covariance of the strengths, each group of entries around its mean, and the scatter.

        That is how much larger the variance of matches is than the model's.
        """
        n = self.entries
        held = self._held()
        inverse = np.asarray(np.linalg.inv(self.at(self.value)[2] + held), dtype=np.float64)
        scatter = corrected_scatter(self.scored(), inverse, shares_deals=self.shares_deals)
        seen = float(((inverse - held) * scatter).sum())
        expected = float(((inverse - held) * self._played(self.value)[2]).sum())
        dispersion = (seen + OWN) / (expected + OWN)
        centring = self._centring()
        own = centring @ inverse[:n, :n] @ centring
        found = centring @ (inverse @ scatter @ inverse)[:n, :n] @ centring
        return np.asarray(found + _NEXT_TO_NOTHING * own, dtype=np.float64), dispersion

    def is_determined(self) -> Bools:
        """Return for each entry whether the games tell its strength; always, unless some are always partners."""
        n = self.entries
        if all(table.members is None for table in self.tables):
            return np.ones(n, dtype=bool)
        same = self.group[:, None] == self.group
        return is_determined(undetermined(self._played(self.value)[2][:n, :n] + same / same.sum(axis=1)), n)

    def _centring(self) -> Floats:
        """Return the matrix that takes the mean of their group from strengths."""
        same = self.group[:, None] == self.group
        return np.asarray(np.eye(self.entries) - same / same.sum(axis=1), dtype=np.float64)

    def drawn_together(self) -> tuple[Floats, DrawnTogether]:
        """Return the unknowns with strengths that are drawn together, and these strengths.

        The errors are those of the model, times how much larger the scatter of the matches is. As they depend on the
        strengths, the solution is found step by step: each draws together what the likelihood would have as the next
        step of Newton's method.
        """
        n = self.entries
        _, dispersion = self.covariance()
        held = self._held()
        centring = self._centring()
        value = self.value
        for _ in range(_MOST_DRAWS):
            _, slope, information = self.at(value)
            inverse = np.linalg.inv(information + held)
            aim = value + inverse @ slope
            own = dispersion * centring @ inverse[:n, :n] @ centring
            drawn = DrawnTogether(centring @ aim[:n], own)
            step = drawn.value - centring @ aim[:n]
            # The others follow, as if the strengths were known.
            rest = np.linalg.solve(information[n:, n:], information[n:, :n] @ step)
            last, value = value, np.concatenate([aim[:n] + step, aim[n:] - rest])
            moved = value - last
            if max(np.abs(centring @ moved[:n]).max(), np.abs(moved[n + 1 :]).max()) < _SHORTEST_STEP:
                break
        return value, drawn

    def deviation(self, strength: Floats) -> tuple[Floats, Floats]:
        """Return how far each entry's results are from what they'd be at another strength, and their information there.

        `strength` has another value for each, while all others stay as they are.
        """
        n = self.entries
        won = _IMAGINED / (1 + np.exp(self.value[n] - strength))
        off = _IMAGINED / 2 - won
        information = won * (1 - won / _IMAGINED)
        for number, table in enumerate(self.tables, n + 1):
            if table.members is not None:
                more, told = table.deviation_with_partners(self.value, number, strength)
                off, information = off + more, information + told
                continue
            likely = Likely(strength[:, None] - self.value[:n], self.value[number])
            off += table.weight * (table.points_of - (table.met * likely.points).sum(axis=1))
            information += table.weight * (table.met * likely.spread).sum(axis=1)
        return off, information


class Likely:
    """What to expect of comparisons, by the leads in strength (any shape) and log ν."""

    def __init__(self, lead: Floats, log_ties: float | np.float64) -> None:
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
