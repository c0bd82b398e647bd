"""What results tell a ladder about its entries, and what another match would reveal about their order. For the ladder.

The value of a match between two entries is the product of three factors: the
probability that the ratings have the two in the wrong order, the uncertainty of the
two ratings, and how open the match is. The first approaches zero for entries that are
clearly ordered, the second as both ratings become certain, and the third if the
outcome is certain.
"""

from collections.abc import Collection, Sequence
from heapq import heapify, heappop, heappush
from itertools import repeat
from math import erfc, exp, sqrt

from arena.core.chance import Stream
from arena.schedules.base import Field, Summary

RIVALS = 24
"""How many entries above and below in the ratings are considered; those further away are clearly ordered."""
SOFTNESS = 2.0
"""Opponents are chosen as if ratings were less certain by this factor, since one number doesn't tell who beats whom."""
FEW = 48
"""So many entries are compared one by one; the neediest of more is looked for among those that may be it."""

_SEED = b"arena/schedules/ladder"
_SQRT_HALF = sqrt(0.5)
_ROUNDED_UP = 1 + 1e-9
"""Keeps a bound above the value that it bounds, however that is rounded."""


class Information:
    """The state of a ladder within a block: the results seen, and the matches planned since, which it counts.

    In a large field, what each entry would learn is computed only for those that may be the neediest.
    """

    def __init__(self, field: Field, summary: Summary, block: int) -> None:
        """Take the state from the summary; `block` names the random order of entries that are otherwise equal."""
        entries = field.entries
        self._unit = unit = field.scale.unit
        self.matches = dict(zip(entries, map(summary.matches.get, entries, repeat(0)), strict=True))
        """By entry: its planned matches."""
        self.unseen = dict(zip(entries, map(summary.unseen.get, entries, repeat(0)), strict=True))
        """By entry: how many of these have no result yet that may be used."""
        self._pairs = summary.pairs
        self._new_pairs: dict[tuple[int, int], int] = {}
        rating, start = summary.ratings.get, field.scale.start
        self._ratings = [rating(entry, start) for entry in entries]
        self.mu = dict(zip(entries, [rating.mu for rating in self._ratings], strict=True))
        learnt = 3 * unit**2  # roughly the inverse of what a match of two equals reveals
        sigmas = [
            rating.sigma if rating.sigma > 0 else self._counted_sigma(entry)
            for entry, rating in zip(entries, self._ratings, strict=True)
        ]
        variances = [sigma * sigma for sigma in sigmas]
        self._variance = dict(zip(entries, variances, strict=True))
        """As seen; without σ in the rating system, from the number of matches."""
        expected = [
            1 / (1 / variance + unseen / learnt)
            for variance, unseen in zip(variances, self.unseen.values(), strict=True)
        ]
        self._expected = dict(zip(entries, expected, strict=True))
        """The expected variance once the unseen matches have results."""
        order = list(entries)
        Stream(_SEED, f"order/{block}").shuffle(order)
        self.chance = dict(zip(order, range(len(order)), strict=True))
        """Decides between entries that are otherwise equal."""
        order.sort(key=self.mu.__getitem__)  # those with equal μ stay in random order
        self._order = order
        self._place = dict(zip(order, range(len(order)), strict=True))
        self._mus = [self.mu[entry] for entry in order]
        self._variances = [self._variance[entry] for entry in order]
        self._need: dict[int, float] = {}
        """As far as computed."""
        self._neediest: list[tuple[float, int, int]] = []
        """A heap: minus the need of an entry, or minus a bound of it; minus its chance; and the entry."""

    def rivals(self, entry: int) -> list[int]:
        """Return the neighbours of an entry in the ratings."""
        order, place = self._order, self._place[entry]
        return order[max(0, place - RIVALS) : place] + order[place + 1 : place + 1 + RIVALS]

    def sigma(self, entry: int) -> float:
        """Return the σ of an entry as seen."""
        return sqrt(self._variance[entry])

    def expected_sigma(self, entry: int) -> float:
        """Return the σ that an entry is expected to have once its unseen matches have results."""
        return sqrt(self._expected[entry])

    def neediest(self, entries: Collection[int]) -> int | None:
        """Return the entry that would learn most from a match; None if there are no entries."""
        if len(entries) <= FEW:
            return max(entries, key=lambda entry: (self._need_of(entry), self.chance[entry]), default=None)
        heap, need = self._neediest, self._need
        if not heap:
            heap[:] = self._bounds()
            heapify(heap)
        passed = []
        found = None
        while heap:
            top = heappop(heap)
            entry = top[2]
            known = need.get(entry)
            if known is None or -known != top[0]:  # a bound, or from before the entry was counted
                heappush(heap, (-self._need_of(entry), top[1], entry))
                continue
            passed.append(top)
            if entry in entries:
                found = entry
                break
        for top in passed:
            heappush(heap, top)
        return found

    def best_joining(self, table: Sequence[int], candidates: Collection[int]) -> int:
        """Return the candidate from which the table learns most; if all are out of reach, the nearest to the first."""
        first = table[0]
        ranked = [
            (
                sum(self._worth(member, entry) for member in table),
                -abs(self.mu[entry] - self.mu[first]),
                self.chance[entry],
                entry,
            )
            for entry in candidates
        ]
        return max(ranked)[-1]

    def count(self, table: Sequence[int]) -> None:
        """Count a match that has been planned."""
        for place, one in enumerate(table):
            self.matches[one] += 1
            self.unseen[one] += 1
            learnt = self.unseen[one] / (3 * self._unit**2)
            self._expected[one] = 1 / (1 / self._variance[one] + learnt)
            self._need.pop(one, None)
            if self._neediest:
                heappush(self._neediest, (-self._need_of(one), -self.chance[one], one))
            for other in table[:place]:
                pair = (one, other) if one < other else (other, one)
                self._new_pairs[pair] = self._new_pairs.get(pair, 0) + 1

    def _counted_sigma(self, entry: int) -> float:
        """Return the σ of an entry from its number of matches, like after unseen ones, for systems without σ."""
        unit = self._unit
        seen = self.matches[entry] - self.unseen[entry]
        return sqrt(1 / (1 / (2 * unit) ** 2 + seen / (3 * unit**2)))

    def _need_of(self, entry: int) -> float:
        """Return what an entry would learn: its variance times the chances that its rivals are misplaced."""
        if (known := self._need.get(entry)) is not None:
            return known
        own, mu, place = self._expected[entry], self.mu[entry], self._place[entry]
        found = 0.0
        for among in (slice(max(0, place - RIVALS), place), slice(place + 1, place + 1 + RIVALS)):
            for rival_mu, variance in zip(self._mus[among], self._variances[among], strict=True):
                spread = sqrt(own + variance)
                found += (
                    erfc(abs(mu - rival_mu) / spread * _SQRT_HALF) / 2 / spread
                )  # `_misplaced`, written out
        self._need[entry] = need = own * found
        return need

    def _bounds(self) -> list[tuple[float, int, int]]:
        """Return the heap with a bound of what each entry would learn.

        It is what an entry would learn if all its rivals had its μ, hence with chances of 1/2, and the least variance.
        """
        low = min(self._variances)
        most = -RIVALS * _ROUNDED_UP
        chance = self.chance
        return [
            (most * own / sqrt(own + low), -chance[entry], entry) for entry, own in self._expected.items()
        ]

    def _worth(self, one: int, other: int) -> float:
        """Return what a match of two would reveal; less if they meet all the time."""
        apart = self.mu[one] - self.mu[other]
        variance = self._expected[one] + self._expected[other]
        spread = sqrt(variance)
        openness = exp(-apart * apart / (2 * (2 * self._unit**2 + variance)))
        pair = (one, other) if one < other else (other, one)
        met = self._pairs.get(pair, 0) + self._new_pairs.get(pair, 0)
        fresh = 1 - met / (1 + min(self.matches[one], self.matches[other]))
        return _misplaced(apart, SOFTNESS * spread) * spread * openness * fresh


def _misplaced(apart: float, spread: float) -> float:
    """Return the probability that two are in the wrong order, given the difference of their means and its σ."""
    return erfc(abs(apart) / spread * _SQRT_HALF) / 2
