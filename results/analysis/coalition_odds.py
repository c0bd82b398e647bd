"""Results by places for coalitions: who finished above whom, explained by unknowns in log odds.

Every pair of seats of every game is a comparison, won, tied or lost by Davidson's model (`davidson`), in which the lead
is the difference of what the two seats have of the unknowns. The unknowns that explain the results best are found by
Newton's method; then the model is taken as straight around them: comparisons have the variance that the model says, so
those whose winner is nearly certain tell nearly nothing. Each unknown has half an imaginary comparison, one half of it
won, so that none is infinite; each table size one between equals, half of it tied.

Sources: as for `davidson`; Neyman, "Optimal asymptotic tests of composite statistical hypotheses" (1959), for testing
one term at a time by the slope of the likelihood.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from results.analysis.coalition_terms import Design, cut
from results.analysis.davidson import Likely, likeliest
from results.analysis.match_sums import RANK

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

_IMAGINED = 0.5
_LEAST_SPREAD = 1e-9
"""Of a comparison that is certain by the model."""
_SHORTEST_STEP = 1e-10
_MOST_STEPS = 100
"""In practice, at most a dozen are needed."""


class _Table:
    """The comparisons at tables of one size, put together for all games with the same entries at the same seats.

    Arrays are by comparison, ordered by line-up, unless stated otherwise.
    """

    def __init__(self, design: Design, games: "Integers") -> None:
        import numpy as np

        seats = games.shape[1]
        self.games = games
        self.entry = design.places(games)
        """[game, seat]."""
        self.pairs = list(combinations(range(seats), 2))
        """Seats of the comparisons of a game."""
        one, other = np.array(self.pairs).T
        self.weight = 3 / (seats + 1)
        self.line_ups, line_up, played = np.unique(
            self.entry, axis=0, return_inverse=True, return_counts=True
        )
        unknowns = [self.line_ups]
        if seats > 2:
            unknowns.append(len(design.entries) + np.roll(self.line_ups, 1, axis=1))
        unknowns.append(np.broadcast_to(design.first_seat[seats] + np.arange(seats), self.line_ups.shape))
        self.plus = [seat[:, one].ravel() for seat in unknowns]
        self.minus = [seat[:, other].ravel() for seat in unknowns]
        ranks = games[:, :, RANK]
        ahead = np.sign(ranks[:, other] - ranks[:, one])
        self.points = (1 + ahead.ravel()) / 2
        """[comparison of a game], by game."""
        comparisons = len(self.pairs)
        at = (line_up.reshape(-1, 1) * comparisons + np.arange(comparisons)).ravel()
        size = comparisons * len(played)
        self.played = np.repeat(played, comparisons).astype(np.float64)
        self.won = np.bincount(at, self.points, size)
        """Points, with ties as halves."""
        self.tied = float((ahead == 0).sum())

    def lead(self, value: "Floats", flagged: "Floats") -> "Floats":
        """Return the leads by some values of the unknowns; `flagged` has the rows of flagged terms."""
        import numpy as np

        terms = flagged.shape[1]
        lead = flagged @ value[len(value) - terms :] if terms else np.zeros(len(self.played))
        for plus, minus in zip(self.plus, self.minus, strict=True):
            lead += value[plus] - value[minus]
        return np.asarray(lead, dtype=np.float64)

    def compared(self, rows: "Floats") -> "Floats":
        """Return the rows of comparisons from those of seats: [game, seat, column]."""
        import numpy as np

        found = np.empty((len(rows), len(self.pairs), rows.shape[2]))
        for number, (one, other) in enumerate(self.pairs):
            np.subtract(rows[:, one], rows[:, other], out=found[:, number])
        return found.reshape(len(rows) * len(self.pairs), rows.shape[2])


class Odds:
    """Comparisons are explained by unknowns in log odds."""

    by_the_model = True

    def __init__(self, design: Design, tables: "Sequence[Integers]") -> None:
        import numpy as np

        self._design = design
        self._tables = [_Table(design, games) for games in tables]
        self._flagged: tuple[int, ...] | None = None
        self._value = np.zeros(design.size)
        self._log_ties = np.zeros(len(tables))
        for number, table in enumerate(self._tables):
            tied = table.tied + 0.5
            self._log_ties[number] = np.log(2 * tied / (len(table.points) + 1 - tied))
        self._games = design.games_of_terms(tables)
        self.shown = np.zeros(len(design.terms))
        """[term]: by how many percentage points of share a term of 1 changes the results at the tables of the two: of
        a transfer the difference of their shares, of an alliance the share of each."""

    def parts(self, flagged: Sequence[int]) -> "Iterator[tuple[Integers, Floats, Floats]]":
        """Yield parts as `Explained`; there is a row for each comparison."""
        import numpy as np

        if self._flagged != tuple(flagged):
            self._solve(flagged)
        changed = np.zeros(len(self._design.terms))
        for number, table in enumerate(self._tables):
            comparisons = len(table.pairs)
            for begin, end, first in cut(table.games):
                rows = table.compared(self._design.rows(table.entry[begin:end], flagged))
                lead = rows[:, : len(self._value)] @ self._value
                likely = Likely(lead, self._log_ties[number])
                spread = np.maximum(likely.spread, _LEAST_SPREAD)
                own = slice(comparisons * begin, comparisons * end)
                left = table.points[own] - likely.points
                # A lead that grows by 1 moves the share of the one by the spread over the number of opponents.
                moved = spread / (table.games.shape[1] - 1)
                changed += moved @ rows[:, len(self._value) :] ** 2
                rows *= np.sqrt(table.weight * spread)[:, None]
                yield comparisons * first, rows, np.sqrt(table.weight / spread) * left
        of_kind = np.where(self._design.kinds == 1, 0.5, 2.0)
        self.shown = 100 * of_kind * changed / np.maximum(self._games, 1)

    def _solve(self, flagged: Sequence[int]) -> None:
        """Find the unknowns that explain the results best, with those of flagged terms."""
        import numpy as np

        rows = [table.compared(self._design.flagged_rows(table.line_ups, flagged)) for table in self._tables]
        value = np.zeros(self._design.size + len(flagged))
        value[: len(self._value)] = self._value
        size = len(value)
        unknowns = np.concatenate([value, self._log_ties])
        unknowns = likeliest(
            lambda at: self._at(at, rows), unknowns, shortest_step=_SHORTEST_STEP, most_steps=_MOST_STEPS
        )
        self._value, self._log_ties = unknowns[:size], unknowns[size:]
        self._flagged = tuple(flagged)

    def _at(self, unknowns: "Floats", flagged: "Sequence[Floats]") -> "tuple[float, Floats, Floats]":
        """Return the log-likelihood at some values of the unknowns, its slope, and the information.

        The last unknowns are log ν by table size.
        """
        import numpy as np

        size = len(unknowns) - len(self._tables)
        value, log_ties = unknowns[:size], unknowns[size:]
        likelihood = _IMAGINED * (value / 2 - np.logaddexp(0, value)).sum()
        likelihood += (log_ties / 2 - np.log(2 + np.exp(log_ties))).sum()
        slope, information = np.zeros(len(unknowns)), np.zeros((len(unknowns), len(unknowns)))
        chance = 1 / (1 + np.exp(-value))
        slope[:size] = _IMAGINED * (0.5 - chance)
        tied = 1 / (1 + 2 * np.exp(-log_ties))
        slope[size:] = 0.5 - tied
        information[range(len(unknowns)), range(len(unknowns))] = np.concatenate(
            [_IMAGINED * chance * (1 - chance), tied * (1 - tied)]
        )
        for number, (table, terms) in enumerate(zip(self._tables, flagged, strict=True), size):
            lead = table.lead(value, terms)
            likely = Likely(lead, unknowns[number])
            weight = table.weight * table.played
            left = table.weight * table.won - weight * likely.points
            likelihood += float(
                table.weight * ((table.won - table.played / 2) @ lead + table.tied * unknowns[number])
                - weight @ likely.norm
            )
            slope[:size] += _gathered(table, terms, left, size)
            slope[number] += table.weight * table.tied - weight @ likely.tied
            with_ties = _gathered(table, terms, weight * likely.crossed, size)
            information[:size, number] += with_ties
            information[number, :size] += with_ties
            information[number, number] += weight @ (likely.tied * (1 - likely.tied))
            information[:size, :size] += _weighed(table, terms, weight * likely.spread, size)
        return float(likelihood), slope, information


def _gathered(table: _Table, terms: "Floats", weights: "Floats", size: int) -> "Floats":
    """Return the sum of the rows of the comparisons, each times its weight."""
    import numpy as np

    found = np.zeros(size)
    for plus, minus in zip(table.plus, table.minus, strict=True):
        found += np.bincount(plus, weights, size) - np.bincount(minus, weights, size)
    found[size - terms.shape[1] :] += weights @ terms
    return found


def _weighed(table: _Table, terms: "Floats", weights: "Floats", size: int) -> "Floats":
    """Return the sum of the products of the rows of the comparisons with themselves, each times its weight."""
    import numpy as np

    half = np.zeros(size * size)
    signed = [(plus, 1.0) for plus in table.plus] + [(minus, -1.0) for minus in table.minus]
    for number, (one, sign) in enumerate(signed):
        half += np.bincount(one * size + one, weights / 2, size * size)
        for other, back in signed[:number]:
            half += np.bincount(one * size + other, sign * back * weights, size * size)
    matrix = half.reshape(size, size)
    matrix = matrix + matrix.T
    start = size - terms.shape[1]
    for place, column in enumerate(terms.T, start):
        products = _gathered(table, terms[:, :0], weights * column, size)
        matrix[:start, place] = matrix[place, :start] = products[:start]
    matrix[start:, start:] = terms.T @ (weights[:, None] * terms)
    return matrix
