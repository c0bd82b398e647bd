"""Strengths by least squares: how far each entry's results are above those of the table, from all games at once.

The centred result of an entry in a game (`match_sums`) is explained by

    strength of the entry − mean strength of the table + effect of the seat − mean effect of the table's seats

and the strengths make the sum of the squared differences smallest, each game counting the same. The effects of the
seats are estimated for table sizes with at least `SEAT_GAMES` games per seat, unless strengths and seats can't be told
apart, as when one entry always has the first seat; they are 0 then. See ADR 0044.

**Errors.** The games of a match share a deal, so a match counts as one: the covariance of the strengths is robust
(`robust_errors`), with the correction that makes it unbiased if matches are independent and alike (CR2). Each entry
also gets the scatter of one imaginary match, pooled over the league, so that a few equal results don't look certain.
Degrees of freedom, claims, and leagues whose results decide who meets whom are as in `fit`.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import floor, log10, sqrt

import numpy as np
from msgspec import Struct, structs
from scipy.special import stdtr, stdtrit

from results.analysis.fit_results import Fit
from results.analysis.match_sums import (
    ENTRY,
    FORFEITED,
    MATCH,
    ROTATION,
    SCORE,
    SEAT,
    Bools,
    Floats,
    Integers,
    MatchSums,
    deals_of,
    share_deals,
)
from results.analysis.robust_errors import (
    AT_A_TIME,
    CONFIDENCE,
    Pairs,
    Part,
    cells,
    connected,
    corrected_scatter,
    drifts,
    is_determined,
    summary,
    undetermined,
)
from results.analysis.shrinkage import DrawnTogether

SEAT_GAMES = 10
"""Effects of seats are estimated from this many games per seat on."""

_DIGITS = 9
"""Significant digits that are kept: the same on every machine, whatever its libraries add up first."""


def least_squares(sums: Sequence[MatchSums], confidence: float = CONFIDENCE, *, chosen: bool = False) -> Fit:
    """Return the strengths of the entries in `sums`, which is by table size.

    `confidence`: of each interval and claim · `chosen`: the matches were chosen by the results so far (`shrinkage`).
    """
    if not sums:
        return Fit(())
    entries = np.unique(np.concatenate([one.entries.ravel() for one in sums]))
    found = _Equations(sums, entries).solved(confidence)
    found = found or _Equations(sums, entries, with_seats=False).solved(confidence)
    if found is None:
        raise AssertionError("strengths without seats always have a solution")
    drawn = DrawnTogether(found.value, found.by_model) if chosen else None
    if drawn is not None:
        found = structs.replace(found, value=drawn.value, covariance=drawn.covariance())
    largest = max(float((abs(one.by_entry) / one.games[:, None]).max()) for one in sums)
    return _told(found, entries, _decimals_of(largest), confidence, drawn)


def deal_strengths(seats: Integers, deals: Mapping[int, int], confidence: float = CONFIDENCE) -> Fit:
    """Return the strengths of entries if scores of tables on the same deals are compared, not seats of a table.

    `seats` has a row for each seat of each game, with the columns of `SeatResult`; `deals`: the first match on the deal
    of each match that shares one. A game's score is explained by

        what the deal is worth + strengths of the entries at the table

    so an entry is as strong as it adds points to its table, and where each plays alone, two entries differ by the mean
    difference of their scores on the same deals. A game with a forfeit tells something of that entry alone, as if the
    others at its table were average, and nothing of how it plays otherwise (or partners in its other games would be
    blamed): its strength is the mean over both kinds of games.
    """
    rows = seats[_counted(seats)]
    if not len(rows):
        return Fit(())
    entries = np.unique(rows[:, ENTRY]).astype(np.int64)
    numbers = rows[:, MATCH].astype(np.int64)
    deal = np.array([deals.get(number, number) for number in numbers.tolist()], dtype=np.int64)
    equations = _OfDeals(rows, deal, entries)
    found = equations.solved(confidence)
    if found is None:
        raise AssertionError("strengths without seats always have a solution")
    found = equations.of_entries(found)
    fit = _told(found, entries, equations.decimals, confidence, None)
    order = sorted(range(len(entries)), key=lambda place: -fit.strengths[place].value)
    strengths = list(fit.strengths)
    for upper, lower in pairwise(order):
        if strengths[lower].half is not None and found.group[upper] == found.group[lower]:
            spread = found.covariance[upper, upper] + found.covariance[lower, lower]
            spread -= 2 * found.covariance[upper, lower]
            t = stdtrit(max(1.0, min(found.deals[upper], found.deals[lower]) - 1.0), (1 + confidence) / 2)
            half = round(float(t * np.sqrt(max(0.0, spread))), equations.decimals)
            strengths[lower] = structs.replace(strengths[lower], behind_half=half)
    return structs.replace(fit, strengths=tuple(strengths))


def _counted(seats: Integers) -> Bools:
    """Return which seats a game's score says something of: those of `ratings_and_totals_fold.counts_score`."""
    _, game = np.unique(seats[:, [MATCH, ROTATION]], axis=0, return_inverse=True)
    has_fault = np.bincount(game.ravel(), seats[:, FORFEITED]) > 0
    return np.asarray((seats[:, FORFEITED] > 0) | ~has_fault[game.ravel()], dtype=np.bool_)


class _Solution(Struct, frozen=True):
    """Arrays by entry."""

    value: Floats
    covariance: Floats
    by_model: Floats
    """The covariance if the errors of all entries have the same spread, which is pooled over the league."""
    deals: Integers
    """How many independent results it has, one for each deal."""
    group: Integers
    """Number of the entries that it is connected with by matches."""
    is_determined: Bools
    """Whether the results tell its strength; always, unless some are always partners."""
    residual: float
    """Standard deviation of what the strengths don't explain of a result."""
    drift: Floats
    """As from `drifts`."""


class _Equations:
    """The normal equations; unknowns are the strengths, then the effects of the seats by table size."""

    def __init__(self, sums: Sequence[MatchSums], entries: Integers, *, with_seats: bool = True) -> None:
        self._sums = sums
        self._entries = entries
        self._seats: dict[int, range] = {}
        """By table size: the unknowns of the seats, or of sides, if their effects are estimated."""
        self._size = len(entries)
        for one in sums:
            if with_seats and one.games.sum() >= SEAT_GAMES * one.sides:
                self._seats[one.seats] = range(self._size, self._size + one.sides)
                self._size += one.sides

    def solved(self, confidence: float) -> _Solution | None:
        """Return the solution; None if strengths and seats can't be told apart."""
        n, size = len(self._entries), self._size
        information, right = np.zeros(size * size), np.zeros(size)
        met = np.zeros(size * size)
        for _, unknowns, matrices, results in self._parts():
            information += np.bincount(cells(unknowns, size), matrices.ravel(), size * size)
            met += np.bincount(cells(unknowns, size), np.abs(matrices).ravel(), size * size)
            right += np.bincount(unknowns.ravel(), results.ravel(), size)
        whole = information.reshape(size, size)
        group = connected(met.reshape(size, size)[:n, :n] > 0)
        held = self._held(group)
        whole = whole + held
        free = undetermined(whole)
        if free.size and self._seats:
            return None
        if free.size:
            held = held + free @ free.T
            whole = whole + free @ free.T
        inverse = np.asarray(np.linalg.inv(whole), dtype=np.float64)
        value = np.asarray(inverse @ right, dtype=np.float64)
        scatter = corrected_scatter(self._scored(value), inverse, shares_deals=self._share_deals())
        own = (inverse - held)[:n, :n]
        pooled = max(
            0.0, float((own * scatter[:n, :n]).sum() / (own * information.reshape(size, size)[:n, :n]).sum())
        )
        of_one = pooled * own
        deals = self._deals()
        played = np.sqrt(deals)
        covariance = (inverse @ scatter @ inverse)[:n, :n] + of_one / np.outer(played, played)
        drift = drifts(self._scored(value), n, confidence)
        told = is_determined(free, n)
        return _Solution(value[:n], covariance, of_one, deals, group, told, sqrt(pooled), drift)

    def _deals(self) -> Integers:
        """Return how many independent deals each entry has played."""
        return deals_of(self._sums, self._entries)

    def _share_deals(self) -> bool:
        """Return whether several parts share a deal."""
        return share_deals(self._sums)

    def _held(self, group: Integers) -> Floats:
        """Return what holds at 0 the sums of unknowns that only count by their differences."""
        held = np.zeros((self._size, self._size))
        kinds = [np.flatnonzero(group == number) for number in np.unique(group)]
        kinds += [np.array(seats) for seats in self._seats.values()]
        for kind in kinds:
            held[np.ix_(kind, kind)] = 1 / len(kind)
        return held

    def _scored(self, value: Floats) -> Iterator[Part]:
        """Yield for some matches at a time what `_parts` does, with what is left of the results."""
        for deals, unknowns, matrices, results in self._parts():
            yield deals, unknowns, matrices, results - np.einsum("mij,mj->mi", matrices, value[unknowns])

    def _parts(self) -> Iterator[Part]:
        """Yield for some matches: numbers or deals, unknowns, what they tell of these, and the sums of results."""
        for one in self._sums:
            seats = self._seats.get(one.seats)
            centring = np.eye(one.sides) - 1 / one.sides
            for start in range(0, len(one.matches), AT_A_TIME):
                part = slice(start, start + AT_A_TIME)
                unknowns = np.searchsorted(self._entries, one.entries[part])
                games = one.games[part, None, None]
                matrices = games * (centring if one.side is None else one.same_side(part) - 1 / one.sides)
                results = one.by_entry[part]
                if seats is not None:
                    of_seats = np.broadcast_to(np.array(seats), (len(unknowns), one.sides))
                    unknowns = np.concatenate([unknowns, of_seats], axis=1)
                    crossed = one.seated[part] - games / one.sides
                    matrices = np.concatenate(
                        [
                            np.concatenate([matrices, crossed], axis=2),
                            np.concatenate([crossed.transpose(0, 2, 1), games * centring], axis=2),
                        ],
                        axis=1,
                    )
                    results = np.concatenate([results, one.by_seat[part]], axis=1)
                yield one.matches[part], unknowns, matrices, results


class _OfDeals(_Equations):
    """The equations of games whose scores are compared with those of other games on the same deal."""

    def __init__(self, rows: Integers, deal: Integers, entries: Integers) -> None:
        """`rows` are seats, `deal` that of each.

        At tables of several, the games that an entry forfeits have an unknown of their own.
        """
        table_seats = int(rows[:, SEAT].max()) + 1
        is_out = (rows[:, FORFEITED] > 0) & (table_seats > 1)
        forfeiting = np.unique(rows[is_out, ENTRY])
        unknown = np.searchsorted(entries, rows[:, ENTRY])
        unknown[is_out] = len(entries) + np.searchsorted(forfeiting, rows[is_out, ENTRY])
        super().__init__((), np.arange(len(entries) + len(forfeiting)), with_seats=False)
        self._mixed = np.zeros((len(entries), self._size))
        """What the strength of each entry is of the unknowns: as much of each as it has games."""
        np.add.at(self._mixed, (np.searchsorted(entries, rows[:, ENTRY]), unknown), 1.0)
        self._mixed /= self._mixed.sum(axis=1)[:, None]
        self._deals_of_entries = np.array([len(np.unique(deal[rows[:, ENTRY] == one])) for one in entries])
        self._by_size: dict[int, list[tuple[int, Integers, Floats, Floats]]] = {}
        """By number of entries on a deal: the deal, the entries, what it tells of them, and the results."""
        self._played = np.zeros(self._size, dtype=np.int64)
        largest = 0.0
        order = np.lexsort((rows[:, ROTATION], rows[:, MATCH], deal))
        rows, deal, unknown = rows[order], deal[order], unknown[order]
        ends = np.flatnonzero(np.diff(deal)) + 1
        for of_deal, known in zip(np.split(rows, ends), np.split(unknown, ends), strict=True):
            unknowns, place = np.unique(known, return_inverse=True)
            _, first, game = np.unique(
                of_deal[:, [MATCH, ROTATION]], axis=0, return_index=True, return_inverse=True
            )
            game = game.ravel()
            at_table = np.zeros((len(first), len(unknowns)))
            np.add.at(at_table, (game, place.ravel()), 1.0)
            is_entry = unknowns < len(entries)
            lacking = table_seats - at_table.sum(axis=1)
            at_table[:, is_entry] += (lacking / max(1, is_entry.sum()))[:, None]
            scores = of_deal[first, SCORE].astype(np.float64)
            at_table -= at_table.mean(axis=0)
            scores -= scores.mean()
            largest = max(largest, float(np.abs(scores).max()))
            self._played[unknowns] += 1
            made = int(of_deal[0, MATCH]), unknowns, at_table.T @ at_table, at_table.T @ scores
            self._by_size.setdefault(len(unknowns), []).append(made)
        self.decimals = _decimals_of(largest)

    def of_entries(self, found: _Solution) -> _Solution:
        """Return the strengths of entries, above their mean, from a solution for all unknowns."""
        mixed = self._mixed
        firsts = mixed.argmax(axis=1)
        group = found.group[firsts]
        centred = mixed.copy()
        for number in np.unique(group):
            centred[group == number] -= mixed[group == number].mean(axis=0)
        return structs.replace(
            found,
            value=centred @ found.value,
            covariance=centred @ found.covariance @ centred.T,
            by_model=centred @ found.by_model @ centred.T,
            deals=self._deals_of_entries,
            is_determined=(mixed[:, ~found.is_determined] == 0).all(axis=1),
            group=group,
            drift=found.drift[firsts],
        )

    def _deals(self) -> Integers:
        return self._played

    def _share_deals(self) -> bool:
        return False

    def _parts(self) -> Iterator[Part]:
        for size, found in sorted(self._by_size.items()):
            at_a_time = max(1, AT_A_TIME * 16 // size**2)
            for start in range(0, len(found), at_a_time):
                numbers, unknowns, matrices, results = zip(*found[start : start + at_a_time], strict=True)
                yield np.array(numbers), np.stack(unknowns), np.stack(matrices), np.stack(results)


def _decimals_of(largest: float) -> int:
    """Return to how many decimals to round if results are as large as that."""
    return _DIGITS - 1 - floor(log10(largest)) if largest > 0 else 0


def _told(
    found: _Solution, entries: Integers, decimals: int, confidence: float, drawn: DrawnTogether | None
) -> Fit:
    """Return the strengths with their intervals and claims."""
    value = np.round(found.value, decimals) + 0.0  # no −0
    has_interval = (found.deals >= 2) & (found.residual > 10.0**-decimals) & found.is_determined
    freedom = np.maximum(found.deals - 1.0, 1.0)
    variance = np.maximum(found.covariance.diagonal(), 0.0)
    t = stdtrit(freedom, (1 + confidence) / 2)
    half = t * np.sqrt(variance)
    ends = (value - half, value + half) if drawn is None else drawn.ends(half, t)
    low, high = (np.round(end, decimals) for end in ends)
    a, b = np.nonzero(
        np.triu((found.group[:, None] == found.group) & np.outer(has_interval, has_interval), 1)
    )
    lead = value[a] - value[b]
    spread = np.sqrt(np.maximum(variance[a] + variance[b] - 2 * found.covariance[a, b], 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        off = np.where(lead == 0, 0.0, np.abs(lead) / spread)
    chance = 2 * stdtr(np.minimum(freedom[a], freedom[b]), -off)
    pairs = Pairs(a, b, lead, chance)
    drift = np.round(found.drift, decimals)
    return summary(
        entries,
        (value, low, high),
        has_interval,
        pairs,
        confidence,
        drift=drift,
        drawn_together=drawn is not None,
    )
