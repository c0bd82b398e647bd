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

from collections.abc import Iterator, Sequence
from math import floor, log10, sqrt

import numpy as np
from msgspec import Struct, structs
from scipy.special import stdtr, stdtrit

from results.analysis.findings import Fit
from results.analysis.match_sums import Bools, Floats, Integers, MatchSums, deals_of, share_deals
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
    return _told(found, entries, _decimals(sums), confidence, drawn)


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
        scatter = corrected_scatter(self._scored(value), inverse, shares_deals=share_deals(self._sums))
        own = (inverse - held)[:n, :n]
        pooled = max(
            0.0, float((own * scatter[:n, :n]).sum() / (own * information.reshape(size, size)[:n, :n]).sum())
        )
        of_one = pooled * own
        deals = deals_of(self._sums, self._entries)
        played = np.sqrt(deals)
        covariance = (inverse @ scatter @ inverse)[:n, :n] + of_one / np.outer(played, played)
        drift = drifts(self._scored(value), n, confidence)
        told = is_determined(free, n)
        return _Solution(value[:n], covariance, of_one, deals, group, told, sqrt(pooled), drift)

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


def _decimals(sums: Sequence[MatchSums]) -> int:
    """Return to how many decimals to round."""
    largest = max(float((abs(one.by_entry) / one.games[:, None]).max()) for one in sums)
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
