"""Coalitions: who does better or worse with whom at the table than strengths explain. See docs/statistics.md, ADR 0059.

For each pair of entries two terms are added to what explains results (`coalition_terms`), one at a time:

- the *transfer*: how much further the one is ahead of the other, at tables where both sit;
- the *alliance*, at tables of three and more: by how much both are better there, at the cost of the others.

**What counts as unusual.** A pair is measured by how far the terms of all *other* pairs of its league spread, beyond
what luck explains. Then fields are simulated: the same matches and the same luck, with normally distributed terms,
spread by as much as luck, or more, whichever makes unusual terms most frequent. A pair is flagged if not many of these
have any term as unusual. A flagged term becomes part of the explanation, and the others are tested again.

**Errors.** A match counts as one: the variance of a term is that of the sums of its matches (robust errors), with the
scatter of one imaginary match added. Its degrees of freedom follow from how evenly the matches tell about the term, and
those of the field's spread from the number of pairs and how they overlap (Satterthwaite).

Sources: Frisch and Waugh (1933), for one term at a time; Liang and Zeger, "Longitudinal data analysis using
generalized linear models" (1986); Satterthwaite (1946); Efron, "Large-scale simultaneous hypothesis testing: the choice
of a null hypothesis" (2004), for measuring by the field; Holm (1979).
"""

from collections.abc import Iterable, Sequence

import numpy as np
from msgspec import structs

from arena_fair_play.findings import Coalitions, Company, Term
from arena_fair_play.terms import SINGULAR, Additive, Design, Odds, Sums, sums
from results.analysis.davidson import OWN
from results.analysis.fit_results import Measure
from results.analysis.match_sums import (
    ENTRY,
    MATCH,
    SCORE,
    Floats,
    Integers,
    centred_results,
    games_by_size,
    rounded,
)
from results.analysis.robust_errors import normal_deviate
from results.records.query_rows import SeatResult

ERROR_RATE = 0.05
"""In how many honest fields any pair is flagged, at most."""

_FLAGGED_AT = 0.6
"""Part of the error rate at which a pair is flagged; the rest is for what the simulated fields get wrong: they look at
luck as if it were known, and small fields of simulated leagues had unusual terms a little more often."""

MOST_PAIRS = 300
"""Of more pairs, those that met in the most matches are looked at."""

LEAST_MATCHES = 8
"""A pair is looked at if both have played so many matches together, and each as many without the other."""


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
    """The terms that can be told from the rest, by kind, in units in which each has the information 1."""

    def __init__(self, sums: Sums, kinds: Integers, flagged: Sequence[int]) -> None:
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
        self._scatter = sums.scatter[at] * np.outer(self.unit, self.unit)
        squares = sums.squares[is_known]
        even = self.information**2 / np.maximum(squares, 1e-300)  # matches, if all told the same
        own = (
            sums.scatter.diagonal()[is_known]
            - 2 * self.value * sums.crossed[is_known]
            + self.value**2 * squares
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
                self._scatter[np.ix_(alike, alike)],
                self._slack[alike],
            )
            for alike in self._kinds
        ]

    def tested(self, scores: Floats, luck: Floats) -> tuple[Floats, Floats]:
        """Return by field and term how unusual it is and the spread of the others; both inputs are [field, term].

        How unusual is a normal deviate, as unlikely as Student's t.
        """
        unusual, usual = np.zeros_like(scores), np.zeros_like(scores)
        for alike, field in zip(self._kinds, self._of_kind, strict=True):
            if field.freedom < 1:
                continue
            usual2 = field.usual2(scores[:, alike])
            from_luck, from_field = luck[:, alike], usual2 * field.reach + field.slack
            variance = from_luck + from_field
            freedom = variance**2 / (from_luck**2 / self._luck_freedom[alike] + from_field**2 / field.freedom)
            squared = scores[:, alike] ** 2 / np.maximum(variance, 1e-300)
            is_told = field.is_told & (variance > 0)
            unusual[:, alike] = np.where(is_told, normal_deviate(squared, freedom), 0.0)
            usual[:, alike] = np.sqrt(usual2)
        return unusual, usual

    def chances(self, unusual: Floats) -> Floats:
        """Return in which part of honest fields any term is as unusual as each of these, at the worst spread.

        Fewer fields are simulated once many are above all of these, as then none is unusual (Besag and Clifford).
        """
        rng = np.random.default_rng(_SEED)
        sizes, turned = np.linalg.eigh(self._scatter)
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


def _luck_by_the_model(own: Floats, information: Floats) -> Floats:
    """Return the variance of scores by luck where information says how much to expect; `own` is what was found.

    A pair that went 40 : 0 has no scatter, and one that the results tell little about hardly any that could be
    measured. So it is never taken as luckier than the league's mean, and drawn towards that (`davidson.OWN`).
    """
    even = 4 * information
    mean = (own @ even + OWN) / (even.sum() + OWN)
    return np.asarray(np.maximum(mean, (even * own + OWN * mean) / (even + OWN)), dtype=np.float64)


class _OfKind:
    """How far the terms of one kind are spread, without any one of them."""

    def __init__(self, overlap: Floats, information: Floats, scatter: Floats, slack: Floats) -> None:
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
        self._luck = float(np.trace(scatter))
        self._of_luck = self._luck - 2 * (overlap * scatter).sum(axis=0) + self._length * scatter.diagonal()
        self._of_spread = (
            information @ self._length - 2 * information @ (overlap * twice) + self._length * self.reach
        )
        self.is_told = self._of_spread > SINGULAR * np.maximum(self.reach, 1e-300)
        """Whether there are others that don't follow from it."""
        spread = overlap @ (information[:, None] * overlap)
        self.freedom = float(np.trace(spread) ** 2 / (spread * spread).sum()) - 1 if len(overlap) else 0.0

    def usual2(self, scores: Floats) -> Floats:
        """Return [field, term]: the variance of the terms without one of them, beyond luck."""
        squares = (
            (scores**2).sum(axis=1, keepdims=True)
            - 2 * (scores @ self._overlap) * scores
            + self._length * scores**2
        )
        known = np.where(self.is_told, self._of_spread, 1.0)
        return np.asarray(np.maximum(0.0, (squares - self._of_luck) / known), dtype=np.float64)


def coalitions(
    blocks: Iterable[Sequence[SeatResult] | Integers], measure: Measure, error_rate: float = ERROR_RATE
) -> Coalitions:
    """Return the terms of the pairs of a league; `blocks` as for `match_sums`."""
    tables = games_by_size(blocks)
    if not tables:
        return Coalitions((), 0)
    entries = np.unique(np.concatenate([games[:, :, ENTRY].ravel() for games in tables]))
    pairs, together, met = _pairs(tables, entries)
    design = Design([games.shape[1] for games in tables], entries, pairs)
    explained = Odds(design, tables) if measure is Measure.SHARES else Additive(design, tables)
    flagged: dict[int, Term] = {}
    while True:
        found = sums(explained, design, list(flagged))
        field = Field(found, design.kinds, list(flagged))
        terms = _terms(field, design, together)
        if not terms:
            break
        number, first = min(terms.items(), key=lambda item: item[1].chance)
        if first.chance > _FLAGGED_AT * error_rate:
            break
        flagged[number] = structs.replace(first, is_flagged=True)
    all_terms = sorted(
        [*flagged.values(), *terms.values()], key=lambda one: (one.entry_no, one.other_no, one.kind)
    )
    seen = {(one.entry_no, one.other_no) for one in all_terms}
    return Coalitions(tuple(all_terms), met - len(seen))


def _terms(field: Field, design: Design, together: Integers) -> dict[int, Term]:
    """Return the terms that can be told from the rest by number, the least likely first."""
    if not len(field.numbers):
        return {}
    unusual, usual = (one[0] for one in field.tested(field.scores[None], field.luck[None]))
    chance = field.chances(unusual)
    found = {}
    for i in np.argsort(-unusual, kind="stable"):
        kind, a, b = design.terms[field.numbers[i]]
        found[int(field.numbers[i])] = Term(
            kind,
            int(design.entries[a]),
            int(design.entries[b]),
            int(together[a, b]),
            rounded(field.shown[i] * field.value[i]),
            rounded(field.shown[i] * np.sqrt(field.luck[i]) * field.unit[i]),
            rounded(field.shown[i] * usual[i]),
            float(chance[i]),
            is_flagged=False,
        )
    return found


def _pairs(tables: Sequence[Integers], entries: Integers) -> tuple[Integers, Integers, int]:
    """Return the pairs to look at as [pair, 2], the matches of all pairs as a matrix, and how many pairs met."""
    size = len(entries)
    together = np.zeros((size, size), dtype=np.int64)
    for games in tables:
        first = np.flatnonzero(np.diff(games[:, 0, MATCH], prepend=-1))
        seated = np.zeros((len(first), size), dtype=np.float64)
        seated[np.arange(len(first))[:, None], np.searchsorted(entries, games[first, :, ENTRY])] = 1
        together += np.asarray(np.rint(seated.T @ seated), dtype=np.int64)
    matches = together.diagonal()
    a, b = np.nonzero(np.triu(together, 1))
    met = len(a)
    apart = np.minimum(matches[a], matches[b]) - together[a, b]
    enough = (together[a, b] >= LEAST_MATCHES) & (apart >= LEAST_MATCHES)
    a, b = a[enough], b[enough]
    most = np.sort(np.argsort(-together[a, b], kind="stable")[:MOST_PAIRS])
    return np.stack([a[most], b[most]], axis=1), together, met


def company(blocks: Iterable[Sequence[SeatResult] | Integers]) -> tuple[Company, ...]:
    """Return all entries with all that they met, by numbers; `blocks` as for `match_sums`."""
    tables = games_by_size(blocks)
    if not tables:
        return ()
    entries = np.unique(np.concatenate([games[:, :, ENTRY].ravel() for games in tables]))
    size = len(entries)
    alone, together = np.zeros((3, size)), np.zeros((3, size * size))
    for games in tables:
        seats = games.shape[1]
        entry = np.searchsorted(entries, games[:, :, ENTRY])
        shares = 0.5 + centred_results(games, Measure.SHARES) / 100
        sums = (np.ones(entry.shape), shares, games[:, :, SCORE].astype(np.float64))
        for kind, values in enumerate(sums):
            alone[kind] += np.bincount(entry.ravel(), values.ravel(), size)
            for step in range(1, seats):
                cells = entry * size + np.roll(entry, step, axis=1)
                together[kind] += np.bincount(cells.ravel(), values.ravel(), size * size)
    of_pair = together.reshape(3, size, size)
    found = []
    for a, b in zip(*np.nonzero(of_pair[0]), strict=True):
        games_with, share, score = of_pair[:, a, b]
        rest, share_rest, score_rest = alone[:, a] - of_pair[:, a, b]
        found.append(
            Company(
                int(entries[a]),
                int(entries[b]),
                round(games_with),
                round(rest),
                float(share / games_with),
                float(share_rest / rest) if rest else None,
                float(score / games_with),
                float(score_rest / rest) if rest else None,
            )
        )
    return tuple(found)
