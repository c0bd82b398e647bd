"""Puppets: how each entry does at the tables of its author's other entries, by what it does elsewhere.

The tables at which no two entries have one author are fitted by places (`davidson`). The *difference* is the mean share
that an entry took where its author has another entry at the table, less the one that this fit expects there.

**What an honest entry may differ by.** Four errors are added up:

- luck of those matches: a match counts as one. It is at least what the league has at the mean;
- errors of the strengths, the robust ones of the fit;
- honest effects, as far as results with each entry of *another* author are spread, beyond luck. Whoever is at the table
  has such an effect, and strengths are off by the mean of those elsewhere;
- one percentage point, because no entry follows the model to the last.

The difference in units of its error is tested by Student's t, both ways, with the degrees of freedom of Satterthwaite;
Holm corrects for the number of entries. Simulations hold all of it to its error rate (`benchmarks/authors.py`).

Sources: as for `davidson` and `robust_errors`; DerSimonian and Laird, "Meta-analysis in clinical trials" (1986), for
the spread beyond luck; Satterthwaite (1946); Wallace (1959), for Student's t; Holm (1979).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import erfc, sqrt
from typing import NamedTuple

import numpy as np
from msgspec import structs

from arena_fair_play.findings import OwnAuthor
from results.analysis.davidson import OWN, Comparisons, Likely
from results.analysis.fit_results import Measure
from results.analysis.match_sums import (
    ENTRY,
    Bools,
    Floats,
    Integers,
    MatchSums,
    games_by_size,
    rounded,
    sums_of,
)
from results.analysis.robust_errors import normal_deviate

ERROR_RATE = 0.05
"""In how many leagues of honest entries any is flagged, at most."""

_FLAGGED_AT = 0.6
"""Part of the error rate at which an entry is flagged, as for `coalitions`; the rest is for what errors leave out."""

LEAST_MATCHES = 8
"""An entry is compared if it has so many matches with its author's entries in which all at the table have as many
elsewhere."""

_SLACK = 0.01
"""Of a share: what honest entries may differ by, as one standard deviation."""
_LEAST_INFORMATION = 1.0
"""Of a pair that says how far honest effects are spread: as much as four even games."""
_NONE = 1e-9
"""In place of 0, to divide by."""


class _Tables(NamedTuple):
    """Matches at tables of one size; places of a table are those of `MatchSums`."""

    sums: MatchSums
    place: Integers
    """[match, place]: the entry's place among all."""
    shares: Floats
    """[match, place]: sums over the games."""


def own_author(
    rated: Iterable[Integers],
    unrated: Iterable[Integers],
    authors: Mapping[int, str],
    error_rate: float = ERROR_RATE,
) -> tuple[OwnAuthor, ...]:
    """Return all entries of authors that have several, by number.

    `rated` and `unrated` have the seats of whole matches, with the columns of `SeatResult`. `authors` are those of
    entries, without entries that have none, such as reference bots.
    """
    blocks = ([*rated], [*unrated])
    none = np.zeros(0, dtype=np.int64)
    entries = np.unique(np.concatenate([none, *(block[:, ENTRY] for kind in blocks for block in kind)]))
    count = Counter(authors.values())
    codes = {author: code for code, author in enumerate(sorted(count))}
    code = np.array(
        [codes[authors[no]] if no in authors else -1 - no for no in entries.tolist()], dtype=np.int64
    )
    apart: list[_Tables] = []
    own: list[tuple[bool, _Tables]] = []
    for is_rated, kind in zip((True, False), blocks, strict=True):
        for games in games_by_size(kind):
            of_seat = np.sort(code[np.searchsorted(entries, games[:, :, ENTRY])], axis=1)
            is_own = (np.diff(of_seat, axis=1) == 0).any(axis=1)
            own.extend((is_rated, tables) for tables in _tables(games[is_own], entries))
            apart.extend(_tables(games[~is_own & is_rated], entries))
    others = np.zeros((3, len(entries)))
    for tables in apart:
        others += _added(tables.place, len(entries), 1.0, tables.sums.games[:, None], tables.shares)
    field = _Field(entries, apart) if apart else None
    wanted = [number for number in sorted(authors) if count[authors[number]] > 1]
    return tuple(_flagged(wanted, entries, others, _Own(code, own, field), field, error_rate))


def _tables(games: Integers, entries: Integers) -> Iterator[_Tables]:
    """Yield the matches of games, [game, seat, column], unless there are none."""
    if not len(games):
        return
    sums = sums_of(games, Measure.SHARES, 0.0)
    yield _Tables(sums, np.searchsorted(entries, sums.entries), sums.by_entry / 100 + sums.games[:, None] / 2)


class _Field:
    """What tables without two entries of one author tell: strengths, luck, and how far honest effects are spread."""

    def __init__(self, entries: Integers, apart: Sequence[_Tables]) -> None:
        n = len(entries)
        fit = Comparisons([tables.sums for tables in apart], entries)
        self._strength = fit.value[:n]
        self._log_ties = {tables.sums.seats: fit.value[n + 1 + at] for at, tables in enumerate(apart)}
        self.covariance = fit.covariance()[0]
        self._group = np.where(fit.deals >= LEAST_MATCHES, fit.group, -1)
        """Of entries that can be compared; -1 of the others."""
        self.luck: dict[int, float] = {}
        """By table size: the variance of a match's sum of shares, in units of that of independent comparisons."""
        cells: list[Integers] = []
        values: list[Floats] = []
        for tables in apart:
            seats = tables.sums.seats
            above, moved = self.excess(tables)
            told = moved.sum(axis=2)
            self.luck[seats] = _ratio((above**2).sum(), told.sum())
            row, one, other = np.nonzero(np.broadcast_to(1 - np.eye(seats), moved.shape))
            cells.append(tables.place[row, one] * n + tables.place[row, other])
            weight = np.full(len(row), 3 * (seats - 1) / (seats + 1))
            values.append(np.stack([above[row, one], told[row, one], moved[row, one, other], weight]))
        self._find_effects(np.concatenate(cells), *np.concatenate(values, axis=1))

    def _find_effects(
        self, cell: Integers, above: Floats, told: Floats, moved: Floats, weight: Floats
    ) -> None:
        """Find how far the effects of others at the table are spread; arrays are by match and two entries."""
        n = len(self._strength)

        def summed(values: Floats) -> Floats:
            return np.asarray(np.bincount(cell, values, n * n).reshape(n, n), dtype=np.float64)

        matches, sums, squares, known = (
            summed(values) for values in (np.ones(len(cell)), above, above**2, told)
        )
        scatter = (squares - sums**2 / np.maximum(matches, 1)) * matches / np.maximum(matches - 1, 1)
        again = matches > 1
        luck = _ratio(scatter[again].sum(), known[again].sum())
        self._weighed = summed(weight * told)
        leads = summed(weight * moved)
        self._inverse = np.linalg.pinv(np.diag(leads.sum(axis=1)) - leads, hermitian=True)
        # The strengths of the entry and of the other one have made up for a part.
        of_pair = summed(moved)
        of_entry = np.maximum(of_pair.sum(axis=1), _NONE)
        free = np.maximum(0.0, 1 - known / of_entry[:, None] - of_pair / of_entry)
        counts = known >= _LEAST_INFORMATION
        self.freedom = float(free[counts].sum()) / 2
        """Number of pairs, less what strengths made up for."""
        reach = max(float((known * free)[counts].sum()), _LEAST_INFORMATION)
        seen, by_luck = float((sums[counts] ** 2 / known[counts]).sum()), 2 * luck * self.freedom
        self.effects2 = max(0.0, seen - by_luck) / reach
        """Variance of honest effects, in log odds."""
        self.effects2_error = max(seen, by_luck) / sqrt(max(self.freedom, 1.0) / 2) / reach

    def tells_of(self, tables: _Tables) -> Bools:
        """Return [match]: whether what to expect there is known."""
        group = self._group[tables.place]
        is_known = tables.sums.seats in self._log_ties
        return np.asarray(is_known & (group[:, 0] >= 0) & (group == group[:, :1]).all(axis=1))

    def _likely(self, tables: _Tables) -> Likely:
        """Return what to expect of comparisons: [match, place, place]."""
        strength = self._strength[tables.place]
        return Likely(strength[:, :, None] - strength[:, None, :], self._log_ties[tables.sums.seats])

    def excess(self, tables: _Tables) -> tuple[Floats, Floats]:
        """Return shares above the expected [match, place], and how these move with each lead [.., place]."""
        seats, likely = tables.sums.seats, self._likely(tables)
        games = tables.sums.games[:, None, None] * (1 - np.eye(seats)) / (seats - 1)
        return tables.shares - (games * likely.points).sum(axis=2), games * likely.spread

    def reach(self, slope: Floats) -> float:
        """Return the variance that effects of variance 1 give to what has this slope in the strengths."""
        moved = self._weighed * (self._inverse @ slope)[:, None]
        return float((moved**2).sum())


def _ratio(seen: float, expected: float) -> float:
    """Return how large a variance is in units of the model's; a few even comparisons say 1."""
    return float((seen + OWN / 4) / (expected + OWN / 4))


def _added(place: Integers, size: int, *values: Floats | Bools | float) -> Floats:
    """Return [value, entry]: sums of values that are by appearance, as `place` is."""
    return np.stack(
        [np.bincount(place.ravel(), np.broadcast_to(one, place.shape).ravel(), size) for one in values]
    )


class _Own:
    """Sums over the tables at which an author has several entries, by entry of such an author."""

    def __init__(self, code: Integers, own: Sequence[tuple[bool, _Tables]], field: _Field | None) -> None:
        n = len(code)
        self.played = np.zeros((4, n))
        """[matches, rated ones, games, sum of shares]."""
        self.compared = np.zeros((5, n))
        """Of matches whose result can be expected: [matches, games, expected, difference, luck by the model]."""
        self.scatter = np.zeros(n)
        """Variance of the difference, as it was seen."""
        self.moved = np.zeros((n, n))
        """[entry, other]: how the sum of differences moves with the lead over it."""
        self.told = np.zeros((n, n))
        """[entry, other]: how it moves with what the other one at the table does to the entry."""
        parts = []
        for is_rated, tables in own:
            of_place = code[tables.place]
            met = np.nonzero((of_place[:, :, None] == of_place[:, None, :]).sum(axis=2) > 1)
            place, games, shares = tables.place[met], tables.sums.games[met[0]], tables.shares[met]
            self.played += _added(place, n, 1.0, is_rated, games, shares)
            if field is None or tables.sums.seats not in field.luck:
                continue
            above, moved = (values[met] for values in field.excess(tables))
            luck = field.luck[tables.sums.seats] * moved.sum(axis=1)
            known = field.tells_of(tables)[met[0]]
            place = place[known]
            self.compared += _added(
                place, n, 1.0, games[known], (shares - above)[known], above[known], luck[known]
            )
            cells = (place[:, None] * n + tables.place[met[0]][known]).ravel()
            self.moved += np.bincount(cells, moved[known].ravel(), n * n).reshape(n, n)
            told = np.where(moved > 0, moved.sum(axis=1, keepdims=True), 0.0)[known]
            self.told += np.bincount(cells, told.ravel(), n * n).reshape(n, n)
            parts.append((place, games[known], above[known]))
        mean = self.compared[3] / np.maximum(self.compared[1], 1)
        for place, games, above in parts:
            self.scatter += np.bincount(place, (above - games * mean[place]) ** 2, n)
        self.scatter *= self.compared[0] / np.maximum(self.compared[0] - 1, 1)


def _difference(own: _Own, field: _Field, at: int) -> tuple[float, float]:
    """Return the standard error of an entry's difference, and how unusual that is, as a normal deviate."""
    matches, games, _, above, by_model = own.compared[:, at]
    slope = -own.moved[at]
    slope[at] -= slope.sum()
    luck = max(by_model, own.scatter[at]) / games**2
    unsure = float(slope @ field.covariance @ slope) / games**2
    reach = (float((own.told[at] ** 2).sum()) + field.reach(slope)) / games**2
    effects = field.effects2 * reach
    variance = luck + unsure + effects + _SLACK**2
    freedom = variance**2 / (
        luck**2 / (matches - 1) + max(effects, field.effects2_error * reach) ** 2 / max(field.freedom, _NONE)
    )
    squared = (above / games) ** 2 / variance
    return sqrt(variance), float(normal_deviate(squared, freedom))


def _flagged(
    wanted: Sequence[int], entries: Integers, others: Floats, own: _Own, field: _Field | None, rate: float
) -> Iterator[OwnAuthor]:
    """Yield the entries with what is unusual about them."""
    place = {number: at for at, number in enumerate(entries.tolist())}
    told = {
        number: _difference(own, field, place[number])
        for number in wanted
        if field is not None and number in place and own.compared[0, place[number]] >= LEAST_MATCHES
    }
    chances: dict[int, float] = {}
    largest = 0.0
    for before, number in enumerate(sorted(told, key=lambda one: -told[one][1])):
        chance = (len(told) - before) * erfc(told[number][1] / sqrt(2))
        largest = chances[number] = max(largest, min(1.0, chance))
    for number in wanted:
        if number not in place:
            yield OwnAuthor(number, 0, 0, None, 0, None)
            continue
        at = place[number]
        matches, rated, games, shares = own.played[:, at]
        matches_others, games_others, shares_others = others[:, at]
        found = OwnAuthor(
            number,
            round(matches),
            round(rated),
            rounded(shares / games) if games else None,
            round(matches_others),
            rounded(shares_others / games_others) if games_others else None,
        )
        if number in told:
            _, compared, expected, above, _ = own.compared[:, at]
            found = structs.replace(
                found,
                expected=rounded(expected / compared),
                difference=rounded(above / compared),
                error=rounded(told[number][0]),
                chance=chances[number],
                is_flagged=chances[number] <= _FLAGGED_AT * rate,
            )
        yield found
