"""The terms of coalitions: which there are, the rows they have in games, and what the matches tell about them.

The unknowns that are always there are the strengths of the entries, at tables of three and more what each does to the
one that sits after it, and the seats of each table size. Flagged terms come after them.
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, Protocol

from results.analysis.match_sums import ENTRY, MATCH, Measure, centred_results

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

SINGULAR = 1e-7
"""A term that keeps less of its information beside the other unknowns can't be told from them."""

_ROWS_AT_A_TIME = 16_384


class Kind(StrEnum):
    """What a term is."""

    TRANSFER = "transfer"
    """The first gains and the second loses, or the other way round if it is negative."""
    ALLIANCE = "alliance"
    """Both gain, or both lose if it is negative."""


class Sums(NamedTuple):
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
    shown: "Floats"
    """[term]: what a term of 1 changes in the results, in points or percentage points."""
    by_the_model: bool
    """Whether the model says how much luck there is: then information is in the same unit as `meat`."""


class Explained(Protocol):
    """How results are explained by unknowns."""

    by_the_model: bool
    """As in `Sums`."""
    shown: "Floats"
    """As in `Sums`, once the parts were read."""

    def parts(self, flagged: Sequence[int]) -> "Iterator[tuple[Integers, Floats, Floats]]":
        """Yield for some matches at a time: where each begins, the rows of the unknowns and terms, the results."""
        ...


class Design:
    """The unknowns and the terms, and their rows."""

    def __init__(self, sizes: Sequence[int], entries: "Integers", pairs: "Integers") -> None:
        import numpy as np

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

    def places(self, games: "Integers") -> "Integers":
        """Return [game, seat]: the place of each seat's entry among the entries."""
        import numpy as np

        return np.asarray(np.searchsorted(self.entries, games[:, :, ENTRY]), dtype=np.int64)

    def rows(self, entry: "Integers", flagged: Sequence[int]) -> "Floats":
        """Return [game, seat, unknown or term] of games at tables of one size; `entry` is from `places`."""
        import numpy as np

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

    def flagged_rows(self, entry: "Integers", flagged: Sequence[int]) -> "Floats":
        """Return [game, seat, flagged term]; `entry` is from `places`."""
        import numpy as np

        rows = np.zeros((*entry.shape, len(flagged)))
        for place, number in enumerate(flagged):
            kind, a, b = self.terms[number]
            is_a, is_b = entry == a, entry == b
            both = (is_a.any(axis=1) & is_b.any(axis=1))[:, None]
            rows[:, :, place] = both * (
                0.5 * is_a - 0.5 * is_b if kind is Kind.TRANSFER else 1.0 * is_a + is_b
            )
        return rows

    def games_of_terms(self, tables: "Sequence[Integers]") -> "Integers":
        """Return [term]: the number of games that it may show in, which are those of the pair.

        Alliances don't show at tables of two.
        """
        import numpy as np

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


def cut(games: "Integers") -> "Iterator[tuple[int, int, Integers]]":
    """Yield for some matches at a time: the first of their games, the one after the last, and where each begins."""
    import numpy as np

    starts = np.flatnonzero(np.diff(games[:, 0, MATCH], prepend=-1))
    at_a_time = max(1, _ROWS_AT_A_TIME // games.shape[1])
    cuts = [0]
    while cuts[-1] < len(games):
        after = np.searchsorted(starts, cuts[-1] + at_a_time)
        cuts.append(int(starts[after]) if after < len(starts) else len(games))
    for begin, end in pairwise(cuts):
        yield begin, end, starts[(starts >= begin) & (starts < end)] - begin


def sums(explained: Explained, design: Design, flagged: Sequence[int]) -> Sums:
    """Return the sums beside the terms that are flagged already."""
    import numpy as np

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
    meat = np.zeros((terms, terms))
    crossed, squares = np.zeros(terms), np.zeros(terms)
    for first, rows, results in kept or explained.parts(flagged):
        own = rows[:, size:] - rows[:, :size] @ others
        left = results - rows[:, :size] @ base
        parts = np.add.reduceat(own * left[:, None], first, axis=0)
        known = np.add.reduceat(own * own, first, axis=0)
        meat += parts.T @ parts
        crossed += (parts * known).sum(axis=0)
        squares += (known * known).sum(axis=0)
    return Sums(
        gram[size:, size:] - gram[size:, :size] @ others,
        right[size:] - others.T @ right[:size],
        meat,
        crossed,
        squares,
        gram.diagonal()[size:].copy(),
        explained.shown,
        explained.by_the_model,
    )


class Additive:
    """Centred scores are sums of unknowns."""

    by_the_model = False

    def __init__(self, design: Design, tables: "Sequence[Integers]") -> None:
        import numpy as np

        self._design = design
        self._tables = [(games, centred_results(games, Measure.SCORES)) for games in tables]
        self.shown: Floats = np.ones(len(design.terms))

    def parts(self, flagged: Sequence[int]) -> "Iterator[tuple[Integers, Floats, Floats]]":
        """Yield parts as `Explained`; there is a row for each seat."""
        for games, results in self._tables:
            seats = games.shape[1]
            for begin, end, first in cut(games):
                rows = self._design.rows(self._design.places(games[begin:end]), flagged)
                rows -= rows.mean(axis=1, keepdims=True)
                yield seats * first, rows.reshape(-1, rows.shape[2]), results[begin:end].ravel()
