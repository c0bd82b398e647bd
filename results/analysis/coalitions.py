"""Coalitions: who does better or worse with whom at the table than strengths explain.

The centred result of an entry in a game (`match_sums`) is explained by strengths, by seats, and, at tables of three and
more, by who sat before it, which matters in some games. For each pair of entries two terms are added, one at a time:

- the *transfer*: how much further the one is ahead of the other, at tables where both sit;
- the *alliance*, at tables of three and more: by how much both are better there, at the cost of the others.

Soft play, where one entry loses so that a friend wins, is a transfer. Two that help each other are an alliance, and
who spends nothing of its own to lift another (kingmaking) is both.

**What counts as unusual.** Honest entries, too, do better against some than against others, and nobody can tell from
results why. So a pair is measured by the field that it plays in: by how far the terms of all *other* pairs of its
league are spread, beyond what luck explains. How unusual a term looks is a matter of chance
in honest fields too. So fields like this one are simulated: the same matches and the same luck, with normally
distributed terms, spread by as much as luck, or more, whichever makes unusual terms most frequent. A pair is flagged if
not many of these have any term as unusual. A flagged term becomes part of the explanation, and the others
are tested again, so that one coalition neither hides another nor makes its members look odd with everybody else.

**Errors.** The games of a match share a deal, so a match counts as one: the variance of a term is that of the sums of
its matches (a sandwich), with the scatter of one imaginary match added. Its degrees of freedom follow from how evenly
the matches tell about the term, and those of the field's spread from the number of pairs and how they overlap
(Satterthwaite).

In a field of three at tables of two, and wherever else a term follows from the others, nothing can be told.

Sources: Frisch and Waugh (1933), for one term at a time; Liang and Zeger, "Longitudinal data analysis using
generalized linear models" (1986); Satterthwaite (1946); Efron, "Large-scale simultaneous hypothesis testing: the choice
of a null hypothesis" (2004), for measuring by the field; Holm (1979).
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct, structs

from results.analysis.match_sums import ENTRY, MATCH, Measure, centred_results, games_by_size
from results.query_rows import SeatResult

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

ERROR_RATE = 0.05
"""In how many honest fields any pair is flagged, at most."""

_FLAGGED_AT = 0.6
"""Part of the error rate at which a pair is flagged; the rest is for what the simulated fields get wrong: they look at
luck as if it were known, and small fields of simulated leagues had unusual terms a little more often."""

MOST_PAIRS = 300
"""Of more pairs, those that met in the most matches are looked at."""

LEAST_MATCHES = 8
"""A pair is looked at if both have played so many matches together, and each as many without the other."""

_FIELDS = 1000
"""Number of honest fields that are simulated for each spread, unless fewer are enough."""
_SPREADS = (1.0, 3.0, 10.0)
"""How many times the variance of luck that of honest terms may be: between these, a chance term is the most unusual."""
_BATCH = 100
_ENOUGH_ABOVE = 30
"""Once so many honest fields are more unusual than the league, no more are simulated."""
_SEED = 2004
"""A fixed seed, so that equal ledgers give equal figures."""
_ROWS_AT_A_TIME = 16_384
_SINGULAR = 1e-7
"""A term that keeps less of its information beside the other unknowns can't be told from them."""


class Kind(StrEnum):
    """What a term is."""

    TRANSFER = "transfer"
    """The first gains and the second loses, or the other way round if it is negative."""
    ALLIANCE = "alliance"
    """Both gain, or both lose if it is negative."""


class Term(Struct, frozen=True):
    """What a pair does to the results of both, in the unit of the results."""

    kind: Kind
    entry_no: int
    other_no: int
    matches: int
    """At the same table."""
    value: float
    """Transfer: of the difference of their results; alliance: of the result of each."""
    error: float
    """Its standard error."""
    usual: float
    """Standard deviation of the terms of this kind among the other pairs, beyond luck."""
    chance: float
    """In which part of honest fields any term would be so large, as far as 1."""
    is_flagged: bool


class Coalitions(Struct, frozen=True):
    """The terms of all pairs that were looked at."""

    terms: tuple[Term, ...]
    """By entry numbers, then kind."""
    pairs_unseen: int
    """Pairs that met, but were not looked at: too few matches, too many pairs, or inseparable from the rest."""


def coalitions(
    blocks: "Iterable[Sequence[SeatResult] | Integers]", measure: Measure, error_rate: float = ERROR_RATE
) -> Coalitions:
    """Return the terms of the pairs of a league; `blocks` as for `match_sums`."""
    import numpy as np

    tables = [_Tables(games, centred_results(games, measure)) for games in games_by_size(blocks)]
    if not tables:
        return Coalitions((), 0)
    entries = np.unique(np.concatenate([one.games[:, :, ENTRY].ravel() for one in tables]))
    pairs, together, met = _pairs(tables, entries)
    design = _Design(tables, entries, pairs)
    flagged: dict[int, Term] = {}
    while True:
        field = _Field(design.sums(list(flagged)), design.kinds, list(flagged))
        terms = _terms(field, design, entries, together)
        if not terms:
            break
        number, first = min(terms.items(), key=lambda item: item[1].chance)
        if first.chance > _FLAGGED_AT * error_rate:
            break
        flagged[number] = structs.replace(first, is_flagged=True)
    found = sorted(
        [*flagged.values(), *terms.values()], key=lambda one: (one.entry_no, one.other_no, one.kind)
    )
    return Coalitions(tuple(found), met - len({(one.entry_no, one.other_no) for one in found}))


def _terms(field: "_Field", design: "_Design", entries: "Integers", together: "Integers") -> dict[int, Term]:
    """Return the terms that can be told from the rest by number, the least likely first."""
    import numpy as np

    if not len(field.numbers):
        return {}
    unusual, usual = (one[0] for one in field.tested(field.scores[None], field.luck[None]))
    chance = field.chances(unusual)
    found = {}
    for i in np.argsort(-unusual, kind="stable"):
        kind, a, b = design.terms[field.numbers[i]]
        found[int(field.numbers[i])] = Term(
            kind,
            int(entries[a]),
            int(entries[b]),
            int(together[a, b]),
            float(field.value[i]),
            float(np.sqrt(field.luck[i]) * field.unit[i]),
            float(usual[i]),
            float(chance[i]),
            is_flagged=False,
        )
    return found


class _Tables(NamedTuple):
    """The games at tables of one size."""

    games: "Integers"
    """[game, seat, column of SeatResult], by match."""
    results: "Floats"
    """[game, seat]: centred results."""


class _Sums(NamedTuple):
    """What the matches tell about the terms, beside the unknowns that are always there and those of flagged terms."""

    information: "Floats"
    """[term, term]."""
    scores: "Floats"
    """[term]: value of the term, times its information."""
    meat: "Floats"
    """[term, term]: sum over the matches of the products of their parts of `scores`."""
    crossed: "Floats"
    """[term]: sum over the matches of their parts of `scores` times those of their information."""
    squares: "Floats"
    """[term]: sum over the matches of the squares of their parts of `information`."""
    own: "Floats"
    """[term]: its information without other unknowns."""


def _pairs(tables: Sequence[_Tables], entries: "Integers") -> "tuple[Integers, Integers, int]":
    """Return the pairs to look at as [pair, 2], the matches of all pairs as a matrix, and how many pairs met."""
    import numpy as np

    size = len(entries)
    together = np.zeros((size, size), dtype=np.int64)
    for one in tables:
        first = np.flatnonzero(np.diff(one.games[:, 0, MATCH], prepend=-1))
        seated = np.zeros((len(first), size), dtype=np.float64)
        seated[np.arange(len(first))[:, None], np.searchsorted(entries, one.games[first, :, ENTRY])] = 1
        together += np.asarray(np.rint(seated.T @ seated), dtype=np.int64)
    matches = together.diagonal()
    a, b = np.nonzero(np.triu(together, 1))
    met = len(a)
    apart = np.minimum(matches[a], matches[b]) - together[a, b]
    enough = (together[a, b] >= LEAST_MATCHES) & (apart >= LEAST_MATCHES)
    a, b = a[enough], b[enough]
    most = np.sort(np.argsort(-together[a, b], kind="stable")[:MOST_PAIRS])
    return np.stack([a[most], b[most]], axis=1), together, met


class _Design:
    """The unknowns: strengths, seats and neighbours, then the terms."""

    def __init__(self, tables: Sequence[_Tables], entries: "Integers", pairs: "Integers") -> None:
        import numpy as np

        self._tables = tables
        self._entries = entries
        self._has_alliances = any(one.games.shape[1] > 2 for one in tables)
        self.terms: list[tuple[Kind, int, int]] = [
            (kind, int(a), int(b))
            for a, b in pairs
            for kind in (Kind.TRANSFER, Kind.ALLIANCE)[: 1 + self._has_alliances]
        ]
        self.kinds = np.array([kind is Kind.ALLIANCE for kind, _, _ in self.terms], dtype=np.int64)
        self._pair = np.full((len(entries), len(entries)), -1)
        self._pair[pairs[:, 0], pairs[:, 1]] = np.arange(len(pairs))
        self._first_seat: dict[int, int] = {}
        self._size = 2 * len(entries) if self._has_alliances else len(entries)
        for one in tables:
            self._first_seat[one.games.shape[1]] = self._size
            self._size += one.games.shape[1]

    def sums(self, flagged: Sequence[int]) -> _Sums:
        """Return the sums beside the terms that are flagged already."""
        import numpy as np

        terms, size = len(self.terms), self._size + len(flagged)
        gram, right = np.zeros((size + terms, size + terms)), np.zeros(size + terms)
        for _, rows, results in self._parts(flagged):
            gram += rows.T @ rows
            right += rows.T @ results
        inverse = np.linalg.pinv(gram[:size, :size], rcond=_SINGULAR, hermitian=True)
        base = inverse @ right[:size]
        others = inverse @ gram[:size, size:]
        meat = np.zeros((terms, terms))
        crossed, squares = np.zeros(terms), np.zeros(terms)
        for first, rows, results in self._parts(flagged):
            own = rows[:, size:] - rows[:, :size] @ others
            left = results - rows[:, :size] @ base
            parts = np.add.reduceat(own * left[:, None], first, axis=0)
            known = np.add.reduceat(own * own, first, axis=0)
            meat += parts.T @ parts
            crossed += (parts * known).sum(axis=0)
            squares += (known * known).sum(axis=0)
        return _Sums(
            gram[size:, size:] - gram[size:, :size] @ others,
            right[size:] - others.T @ right[:size],
            meat,
            crossed,
            squares,
            gram.diagonal()[size:].copy(),
        )

    def _parts(self, flagged: Sequence[int]) -> "Iterator[tuple[Integers, Floats, Floats]]":
        """Yield for some matches at a time: where each begins, the rows of the unknowns and terms, the results."""
        import numpy as np

        for one in self._tables:
            seats = one.games.shape[1]
            starts = np.flatnonzero(np.diff(one.games[:, 0, MATCH], prepend=-1))
            at_a_time = max(1, _ROWS_AT_A_TIME // seats)
            cuts = [0]
            while cuts[-1] < len(one.games):
                after = np.searchsorted(starts, cuts[-1] + at_a_time)
                cuts.append(int(starts[after]) if after < len(starts) else len(one.games))
            for begin, end in pairwise(cuts):
                own = starts[(starts >= begin) & (starts < end)] - begin
                rows = self._rows(one.games[begin:end, :, ENTRY], flagged)
                yield seats * own, rows, one.results[begin:end].ravel()

    def _rows(self, entry_nos: "Integers", flagged: Sequence[int]) -> "Floats":
        """Return the centred rows of some games at tables of one size."""
        import numpy as np

        games, seats = entry_nos.shape
        entry = np.searchsorted(self._entries, entry_nos)
        size = self._size + len(flagged)
        rows = np.zeros((games, seats, size + len(self.terms)))
        game, seat = np.arange(games)[:, None], np.arange(seats)[None, :]
        rows[game, seat, entry] = 1
        if seats > 2:
            rows[game, seat, len(self._entries) + np.roll(entry, 1, axis=1)] = 1
        rows[game, seat, self._first_seat[seats] + seat] = 1
        kinds = 1 + self._has_alliances
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
        for place, number in enumerate(flagged):
            rows[:, :, self._size + place] = rows[:, :, size + number]
        rows -= rows.mean(axis=1, keepdims=True)
        return rows.reshape(games * seats, -1)


class _Field:
    """The terms that can be told from the rest, each measured by the others of its kind.

    Scores are in units in which each term has the information 1.
    """

    def __init__(self, sums: _Sums, kinds: "Integers", flagged: Sequence[int]) -> None:
        import numpy as np

        information = sums.information.diagonal()
        is_known = information > _SINGULAR * np.maximum(sums.own, 1e-30)
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
        self.luck: Floats = own + (own.mean() if len(own) else 0.0) / even
        """Variance of each score by luck."""
        self._luck_freedom = np.maximum(even - 1, 1.0)
        self._kinds = [np.flatnonzero(kinds[is_known] == kind) for kind in np.unique(kinds[is_known])]
        self._of_kind = [
            _OfKind(
                self._overlap[np.ix_(alike, alike)], self.information[alike], self._meat[np.ix_(alike, alike)]
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
            from_luck, from_field = luck[:, alike], usual2 * field.reach
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
        found: list[list[Floats]] = [[] for _ in _SPREADS]
        while len(found[0]) * _BATCH < _FIELDS:
            for ratio, of_ratio in zip(_SPREADS, found, strict=True):
                honest = rng.normal(size=shape) * np.sqrt(ratio * spread2 * self.information)
                scores = honest @ self._overlap + rng.normal(size=shape) @ root.T
                luck = self.luck * rng.chisquare(self._luck_freedom, size=shape) / self._luck_freedom
                of_ratio.append(self.tested(scores, luck)[0].max(axis=1))
            if (
                max(sum((one > unusual.max()).sum() for one in of_ratio) for of_ratio in found)
                >= _ENOUGH_ABOVE
            ):
                break
        above = [
            len(most) - np.searchsorted(most, unusual, side="left")
            for most in (np.sort(np.concatenate(of_ratio)) for of_ratio in found)
        ]
        return np.asarray((1 + np.max(above, axis=0)) / (1 + len(found[0]) * _BATCH), dtype=np.float64)


class _OfKind:
    """How far the terms of one kind are spread, without any one of them."""

    def __init__(self, overlap: "Floats", information: "Floats", meat: "Floats") -> None:
        import numpy as np

        self._overlap = overlap
        twice = overlap @ overlap
        squared = overlap * overlap
        self._length = twice.diagonal()
        self.reach: Floats = squared @ information
        """By how much a spread of 1 adds to the variance of each score."""
        # Of all scores but one, with the term of that one taken out: what of their squares is luck, and how much a
        # spread of 1 adds to them.
        self._luck = float(np.trace(meat))
        self._of_luck = self._luck - 2 * (overlap * meat).sum(axis=0) + self._length * meat.diagonal()
        self._of_spread = (
            information @ self._length - 2 * information @ (overlap * twice) + self._length * self.reach
        )
        self.is_told = self._of_spread > _SINGULAR * np.maximum(self.reach, 1e-300)
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
