"""The terms of coalitions: which there are, the rows they have in games, and what the matches tell about them.

The unknowns that are always there are the strengths of the entries, at tables of three and more what each does to the
one that sits after it, and the seats of each table size. Flagged terms come after them.

Scores are explained by sums of unknowns (`Additive`), places by log odds (`Odds`), as in `davidson`, and around the
solution the model is taken as straight. Each unknown has half an imaginary comparison, one half of it won, so that
none is infinite; each table size one between equals, half of it tied.

Sources: as for `davidson`; Neyman, "Optimal asymptotic tests of composite statistical hypotheses" (1959), for testing
one term at a time by the slope of the likelihood.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np

from arena_fair_play.findings import Kind
from results.analysis.davidson import Likely, likeliest
from results.analysis.fit_results import Measure
from results.analysis.match_sums import ENTRY, MATCH, RANK, Floats, Integers, centred_results

SINGULAR = 1e-7
"""A term that keeps less of its information beside the other unknowns can't be told from them."""

_ROWS_AT_A_TIME = 16_384


class Sums(NamedTuple):
    """What the matches tell about the terms, beside the unknowns that are always there and those of flagged terms."""

    information: Floats
    """[term, term]."""
    scores: Floats
    """[term]: value of the term, times its information."""
    scatter: Floats
    """[term, term]: sum over the matches of the products of their parts of `scores`."""
    crossed: Floats
    """[term]: sum over the matches of their parts of `scores` times those of their information."""
    squares: Floats
    """[term]: sum over the matches of the squares of their parts of `information`."""
    own: Floats
    """[term]: its information without other unknowns."""
    shown: Floats
    """[term]: what a term of 1 changes in the results, in points or percentage points."""
    by_the_model: bool
    """Whether the model says how much luck there is: then information is in the same unit as `scatter`."""


class Design:
    """The unknowns and the terms, and their rows."""

    def __init__(self, sizes: Sequence[int], entries: Integers, pairs: Integers) -> None:
        self.entries = entries
        self.has_alliances = any(seats > 2 for seats in sizes)
        self.terms: list[tuple[Kind, int, int]] = [
            (kind, int(a), int(b))
            for a, b in pairs
            for kind in (Kind.TRANSFER, Kind.ALLIANCE)[: 1 + self.has_alliances]
        ]
        """The kind and the places of the two among the entries."""
        self.kinds = np.array([kind is Kind.ALLIANCE for kind, _, _ in self.terms], dtype=np.int64)
        self._pair = np.full((len(entries), len(entries)), -1)
        self._pair[pairs[:, 0], pairs[:, 1]] = np.arange(len(pairs))
        self.first_seat: dict[int, int] = {}
        """By table size: the unknown of the first seat."""
        self.size = 2 * len(entries) if self.has_alliances else len(entries)
        """Number of unknowns, without terms."""
        for seats in sizes:
            self.first_seat[seats] = self.size
            self.size += seats

    def places(self, games: Integers) -> Integers:
        """Return [game, seat]: the place of each seat's entry among the entries."""
        return np.asarray(np.searchsorted(self.entries, games[:, :, ENTRY]), dtype=np.int64)

    def rows(self, entry: Integers, flagged: Sequence[int]) -> Floats:
        """Return [game, seat, unknown or term] of games at tables of one size; `entry` is from `places`."""
        games, seats = entry.shape
        size = self.size + len(flagged)
        rows = np.zeros((games, seats, size + len(self.terms)))
        game, seat = np.arange(games)[:, None], np.arange(seats)[None, :]
        rows[game, seat, entry] = 1
        if seats > 2:
            rows[game, seat, len(self.entries) + np.roll(entry, 1, axis=1)] = 1
        rows[game, seat, self.first_seat[seats] + seat] = 1
        kinds = 1 + self.has_alliances
        for one in range(seats):
            for other in range(seats):
                low = np.minimum(entry[:, one], entry[:, other])
                high = np.maximum(entry[:, one], entry[:, other])
                pair = self._pair[low, high]
                known = np.flatnonzero((pair >= 0) & (one != other))
                at = size + kinds * pair[known]
                rows[known, one, at] += np.where(entry[known, one] == low[known], 0.5, -0.5)
                if seats > 2:
                    rows[known, one, at + 1] += 1
        rows[:, :, self.size : size] = self.flagged_rows(entry, flagged)
        return rows

    def flagged_rows(self, entry: Integers, flagged: Sequence[int]) -> Floats:
        """Return [game, seat, flagged term]; `entry` is from `places`."""
        rows = np.zeros((*entry.shape, len(flagged)))
        for place, number in enumerate(flagged):
            kind, a, b = self.terms[number]
            is_a, is_b = entry == a, entry == b
            both = (is_a.any(axis=1) & is_b.any(axis=1))[:, None]
            rows[:, :, place] = both * (
                0.5 * is_a - 0.5 * is_b if kind is Kind.TRANSFER else 1.0 * is_a + is_b
            )
        return rows

    def games_of_terms(self, tables: Sequence[Integers]) -> Integers:
        """Return [term]: how many games it may show in: those of the pair, except at tables of two."""
        met = np.zeros((2, len(self.entries), len(self.entries)))
        for games in tables:
            seated = np.zeros((len(games), len(self.entries)))
            seated[np.arange(len(games))[:, None], self.places(games)] = 1
            together = seated.T @ seated
            met[0] += together
            if games.shape[1] > 2:
                met[1] += together
        return np.array(
            [round(met[int(kind is Kind.ALLIANCE), a, b]) for kind, a, b in self.terms], dtype=np.int64
        )


def cut(games: Integers) -> Iterator[tuple[int, int, Integers]]:
    """Yield for some matches at a time: the first of their games, the one after the last, and where each begins."""
    starts = np.flatnonzero(np.diff(games[:, 0, MATCH], prepend=-1))
    at_a_time = max(1, _ROWS_AT_A_TIME // games.shape[1])
    cuts = [0]
    while cuts[-1] < len(games):
        after = np.searchsorted(starts, cuts[-1] + at_a_time)
        cuts.append(int(starts[after]) if after < len(starts) else len(games))
    for begin, end in pairwise(cuts):
        yield begin, end, starts[(starts >= begin) & (starts < end)] - begin


class Additive:
    """Centred scores are sums of unknowns."""

    by_the_model = False

    def __init__(self, design: Design, tables: Sequence[Integers]) -> None:
        self._design = design
        self._tables = [(games, centred_results(games, Measure.SCORES)) for games in tables]
        self.shown: Floats = np.ones(len(design.terms))

    def parts(self, flagged: Sequence[int]) -> Iterator[tuple[Integers, Floats, Floats]]:
        """Yield for some matches at a time where each begins, the rows of unknowns and terms, and results."""
        for games, results in self._tables:
            seats = games.shape[1]
            for begin, end, first in cut(games):
                rows = self._design.rows(self._design.places(games[begin:end]), flagged)
                rows -= rows.mean(axis=1, keepdims=True)
                yield seats * first, rows.reshape(-1, rows.shape[2]), results[begin:end].ravel()


_IMAGINED = 0.5
_LEAST_SPREAD = 1e-9
"""Of a comparison that is certain by the model."""
_SHORTEST_STEP = 1e-10
_MOST_STEPS = 100
"""In practice, at most a dozen are needed."""


class _Table:
    """Comparisons at tables of one size, by line-up, for all games with the same entries and seats."""

    def __init__(self, design: Design, games: Integers) -> None:
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

    def lead(self, value: Floats, flagged: Floats) -> Floats:
        """Return the leads by some values of the unknowns; `flagged` has the rows of flagged terms."""
        terms = flagged.shape[1]
        lead = flagged @ value[len(value) - terms :] if terms else np.zeros(len(self.played))
        for plus, minus in zip(self.plus, self.minus, strict=True):
            lead += value[plus] - value[minus]
        return np.asarray(lead, dtype=np.float64)

    def compared(self, rows: Floats) -> Floats:
        """Return the rows of comparisons from those of seats: [game, seat, column]."""
        found = np.empty((len(rows), len(self.pairs), rows.shape[2]))
        for number, (one, other) in enumerate(self.pairs):
            np.subtract(rows[:, one], rows[:, other], out=found[:, number])
        return found.reshape(len(rows) * len(self.pairs), rows.shape[2])


class Odds:
    """Comparisons are explained by unknowns in log odds."""

    by_the_model = True

    def __init__(self, design: Design, tables: Sequence[Integers]) -> None:
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

    def parts(self, flagged: Sequence[int]) -> Iterator[tuple[Integers, Floats, Floats]]:
        """Yield parts as `Additive`; there is a row for each comparison."""
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

    def _at(self, unknowns: Floats, flagged: Sequence[Floats]) -> tuple[float, Floats, Floats]:
        """Return the log-likelihood at values of the unknowns (last: log ν by size), slope, information."""
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


def _gathered(table: _Table, terms: Floats, weights: Floats, size: int) -> Floats:
    """Return the sum of the rows of the comparisons, each times its weight."""
    found = np.zeros(size)
    for plus, minus in zip(table.plus, table.minus, strict=True):
        found += np.bincount(plus, weights, size) - np.bincount(minus, weights, size)
    found[size - terms.shape[1] :] += weights @ terms
    return found


def _weighed(table: _Table, terms: Floats, weights: Floats, size: int) -> Floats:
    """Return the sum of the products of the rows of the comparisons with themselves, each times its weight."""
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


def sums(explained: Additive | Odds, design: Design, flagged: Sequence[int]) -> Sums:
    """Return the sums beside the terms that are flagged already."""
    size, terms = design.size + len(flagged), len(design.terms)
    gram, right = np.zeros((size + terms, size + terms)), np.zeros(size + terms)
    kept: list[tuple[Integers, Floats, Floats]] = []
    for number, part in enumerate(explained.parts(flagged)):
        _, rows, results = part
        gram += rows.T @ rows
        right += rows.T @ results
        kept = [part] if number == 0 else []  # of short leagues
    inverse = np.linalg.pinv(gram[:size, :size], rcond=SINGULAR, hermitian=True)
    base = inverse @ right[:size]
    others = inverse @ gram[:size, size:]
    scatter = np.zeros((terms, terms))
    crossed, squares = np.zeros(terms), np.zeros(terms)
    for first, rows, results in kept or explained.parts(flagged):
        own = rows[:, size:] - rows[:, :size] @ others
        left = results - rows[:, :size] @ base
        parts = np.add.reduceat(own * left[:, None], first, axis=0)
        known = np.add.reduceat(own * own, first, axis=0)
        scatter += parts.T @ parts
        crossed += (parts * known).sum(axis=0)
        squares += (known * known).sum(axis=0)
    return Sums(
        gram[size:, size:] - gram[size:, :size] @ others,
        right[size:] - others.T @ right[:size],
        scatter,
        crossed,
        squares,
        gram.diagonal()[size:].copy(),
        explained.shown,
        explained.by_the_model,
    )
