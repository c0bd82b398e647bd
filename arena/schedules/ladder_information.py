"""What results tell a ladder about its entries, and what another match would reveal about their order. For the ladder.

The value of a match between two entries is the product of three factors: the
probability that the ratings have the two in the wrong order, the uncertainty of the
two ratings, and how open the match is. The first approaches zero for entries that are
clearly ordered, the second as both ratings become certain, and the third if the
outcome is certain.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import accumulate, islice, repeat
from math import erfc, exp, inf, sqrt

from arena.core.chance import Stream
from arena.schedules.base import Field, Summary

RIVALS = 24
"""How many entries above and below in the ratings are considered; those further away are clearly ordered."""
SOFTNESS = 2.0
"""Opponents are chosen as if ratings were less certain by this factor, since one number doesn't tell who beats whom."""
FEW = 48
"""So many entries are compared one by one; the neediest of more is looked for among those that may be it."""
LOOKED_AT = 1024
"""So many entries are looked at for a candidate that is as good as any."""
SAMPLE = 256
"""How many variances are looked at to tell the large ones."""
LISTED_FIRST = 8
"""One in so many entries, those with the largest variances, are looked at first for the neediest."""

_SEED = b"arena/schedules/ladder"
_SQRT_HALF = sqrt(0.5)
_NOTHING = (0, 0.0)
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
        self._learnt = 3 * unit**2  # roughly the inverse of what a match of two equals reveals
        self.matches = dict(zip(entries, map(summary.matches.get, entries, repeat(0)), strict=True))
        """By entry: its planned matches."""
        playing = self.matches.keys()
        self.unseen = Counter({e: unseen for e, unseen in summary.unseen.items() if unseen and e in playing})
        """By entry: how many of these have no result yet that may be used."""
        self._pairs = summary.pairs
        self._new_pairs: dict[tuple[int, int], int] = {}
        rating, start = summary.ratings.get, field.scale.start
        ratings = [rating(entry, start) for entry in entries]
        self.mu = dict(zip(entries, [rating.mu for rating in ratings], strict=True))
        variances = [
            sigma * sigma if (sigma := rating.sigma or self._counted_sigma(entry)) else 0.0
            for entry, rating in zip(entries, ratings, strict=True)
        ]
        self._most_expected = 1 / (1 / max(variances, default=1.0))
        self._variance = dict(zip(entries, variances, strict=True))
        """As seen; without σ in the rating system, from the number of matches."""
        self._expected: dict[int, float] = {}
        """The expected variance once the unseen matches have results, as far as computed."""
        order = list(entries)
        Stream(_SEED, f"order/{block}").shuffle(order)
        self.chance = dict(zip(order, range(len(order)), strict=True))
        """Decides between entries that are otherwise equal."""
        order.sort(key=self.mu.__getitem__)  # those with equal μ stay in random order
        self._order = order
        self._place = dict(zip(order, range(len(order)), strict=True))
        self._mus = [self.mu[entry] for entry in order]
        self._variances = [self._variance[entry] for entry in order]
        self._table: list[int] = []
        self._worth_to_table: dict[int, tuple[int, float]] = {}
        """By entry: what matches with the first so many of that table would reveal, as far as computed."""
        self._need: dict[int, float] = {}
        """As far as computed."""
        self._neediest: list[tuple[float, int, int]] = []
        """A heap: minus the need of an entry, or minus a bound of it; minus its chance; and the entry."""
        self._unlisted_below = inf
        """Entries with a smaller variance are not in the heap yet."""
        self._most_unlisted = inf
        """A bound of what they would learn; 0 if there are none."""

    def rivals(self, entry: int) -> list[int]:
        """Return the neighbours of an entry in the ratings."""
        order, place = self._order, self._place[entry]
        return order[max(0, place - RIVALS) : place] + order[place + 1 : place + 1 + RIVALS]

    def sigma(self, entry: int) -> float:
        """Return the σ of an entry as seen."""
        return sqrt(self._variance[entry])

    def expected_sigma(self, entry: int) -> float:
        """Return the σ that an entry is expected to have once its unseen matches have results."""
        return sqrt(self._expected_of(entry))

    def neediest(self, entries: Collection[int]) -> int | None:
        """Return the entry that would learn most from a match; None if there are no entries."""
        if len(entries) <= FEW:
            return max(entries, key=lambda entry: (self._need_of(entry), self.chance[entry]), default=None)
        heap, need = self._neediest, self._need
        passed = []
        found = None
        while heap or self._most_unlisted:
            if self._most_unlisted and (not heap or -heap[0][0] <= self._most_unlisted):
                self._list_more()
                continue
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

    def best_joining(
        self, table: Sequence[int], candidates: Collection[int], may_join: Callable[[int], bool]
    ) -> int | None:
        """Return the candidate that may join and from which the table learns most; None if none may join.

        If all are out of reach, it is the nearest to the first of the table.
        """
        if (
            len(candidates) > FEW
            and (found := self._first_of_equals(table, candidates, may_join)) is not None
        ):
            return found
        joining = [entry for entry in candidates if may_join(entry)]
        if not joining:
            return None
        worths = self._worths(table, joining)
        most, mu, chance = max(worths), self.mu, self.chance
        best = [entry for entry, worth in zip(joining, worths, strict=True) if worth == most]
        first = mu[table[0]]
        return max(best, key=lambda entry: (-abs(mu[entry] - first), chance[entry])) if best[1:] else best[0]

    def _first_of_equals(
        self, table: Sequence[int], candidates: Collection[int], may_join: Callable[[int], bool]
    ) -> int | None:
        """Return the candidate that decides between equals if no other can be worth more; None if that isn't sure.

        When a league begins, its entries are equal: then this finds the best of thousands by looking at a few.
        """
        first, mu = table[0], self.mu
        most = sum(sqrt(self._expected_of(member) + self._most_expected) * 0.5 for member in table)
        looked = 0
        for entry in islice(reversed(self.chance), LOOKED_AT):  # the last has the highest chance
            if entry in candidates and may_join(entry):
                if mu[entry] == mu[first] and self._worths(table, (entry,))[0] == most:
                    return entry
                looked += 1
                if looked == FEW:
                    break
        return None

    def count(self, table: Sequence[int]) -> None:
        """Count a match that has been planned."""
        for place, one in enumerate(table):
            self.matches[one] += 1
            self.unseen[one] += 1
            self._expected.pop(one, None)
            self._need.pop(one, None)  # in the heap, it stays as a bound: it only falls
            for other in table[:place]:
                pair = (one, other) if one < other else (other, one)
                self._new_pairs[pair] = self._new_pairs.get(pair, 0) + 1
        self._table, self._worth_to_table = [], {}

    def _expected_of(self, entry: int) -> float:
        """Return the expected variance of an entry once its unseen matches have results."""
        if (known := self._expected.get(entry)) is not None:
            return known
        self._expected[entry] = found = 1 / (1 / self._variance[entry] + self.unseen[entry] / self._learnt)
        return found

    def _counted_sigma(self, entry: int) -> float:
        """Return the σ of an entry from its number of matches, like after unseen ones, for systems without σ."""
        unit = self._unit
        seen = self.matches[entry] - self.unseen[entry]
        return sqrt(1 / (1 / (2 * unit) ** 2 + seen / (3 * unit**2)))

    def _need_of(self, entry: int) -> float:
        """Return what an entry would learn: its variance times the chances that its rivals are misplaced."""
        if (known := self._need.get(entry)) is not None:
            return known
        own, mu, place = self._expected_of(entry), self.mu[entry], self._place[entry]
        found = 0.0
        for among in (slice(max(0, place - RIVALS), place), slice(place + 1, place + 1 + RIVALS)):
            for rival_mu, variance in zip(self._mus[among], self._variances[among], strict=True):
                spread = sqrt(own + variance)
                found += (
                    erfc(abs(mu - rival_mu) / spread * _SQRT_HALF) / 2 / spread
                )  # the chance that the two are in the wrong order
        self._need[entry] = need = own * found
        return need

    def _list_more(self) -> None:
        """Add entries to the heap: those with large variances first, all others if these don't suffice.

        Each comes with a bound of what it would learn: as if all its rivals had its μ, hence with chances of 1/2.
        """
        low = min(self._variances)
        listed_from = self._unlisted_below
        if listed_from == inf:
            sample = sorted(self._variances[:: len(self._variances) // SAMPLE + 1])
            least = self._unlisted_below = sample[-1 - len(sample) // LISTED_FIRST]
            self._most_unlisted = RIVALS * _ROUNDED_UP * least / sqrt(least + low)
        else:
            least, self._most_unlisted = 0.0, 0.0
        chance, expected = self.chance, self._expected_of
        owns = {e: expected(e) for e, variance in self._variance.items() if least <= variance < listed_from}
        different = set(owns.values())
        if len(different) <= FEW:  # as when a league begins: bounds that many entries reach exactly
            bounds = {own: _most_learnt(own, low) for own in different}
            self._neediest += [(-bounds[own], -chance[entry], entry) for entry, own in owns.items()]
        else:
            self._neediest += self._bounds(owns, low)
        heapify(self._neediest)

    def _bounds(self, owns: Mapping[int, float], low: float) -> list[tuple[float, int, int]]:
        """Return items of the heap for entries with these expected variances. `low`: the least variance as seen.

        What an entry learns from a rival is a convex function of the rival's variance, so it is at most on the chord
        between the least and the largest variance. There, the sum over all rivals follows from that of their variances.
        """
        high, places, chance, variance = max(self._variances), self._place, self.chance, self._variance
        width, last = high - low or 1.0, len(self._order)
        sums = list(accumulate(self._variances, initial=0.0))
        found = []
        for entry, own in owns.items():
            place = places[entry]
            first, end = max(0, place - RIVALS), min(last, place + 1 + RIVALS)
            rivals = end - first - 1
            at_low = 1 / sqrt(own + low)
            above = sums[end] - sums[first] - variance[entry] - rivals * low
            most = rivals * at_low - (at_low - 1 / sqrt(own + high)) / width * above
            found.append((-own * most * 0.5 * _ROUNDED_UP, -chance[entry], entry))
        return found

    def _worths(self, table: Sequence[int], entries: Sequence[int]) -> list[float]:
        """Return what matches of each entry with all at the table would reveal; less with those it meets all the time.

        A table grows seat by seat, so what is known of those who sat there before is kept.
        """
        known = self._worth_to_table
        if self._table != table[: len(self._table)]:
            known.clear()
        self._table = list(table)
        mus, matches, expected_of = self.mu, self.matches, self._expected_of
        expected, pairs, new_pairs = self._expected, self._pairs, self._new_pairs
        open_from, soft, seats = 2 * self._unit**2, SOFTNESS, len(table)
        members = [(member, mus[member], expected_of(member), matches[member]) for member in table]
        worths = []
        for entry in entries:
            done, found = known.get(entry, _NOTHING)
            mu = mus[entry]
            own = expected.get(entry) or expected_of(entry)
            for member, member_mu, member_own, played in members[done:]:
                apart = member_mu - mu
                variance = member_own + own
                spread = sqrt(variance)
                openness = exp(-apart * apart / (2 * (open_from + variance)))
                misplaced = erfc(abs(apart) / (soft * spread) * _SQRT_HALF) / 2
                worth = misplaced * spread * openness
                pair = (member, entry) if member < entry else (entry, member)
                if met := pairs.get(pair, 0) + new_pairs.get(pair, 0):
                    worth *= 1 - met / (1 + min(played, matches[entry]))
                found += worth
            known[entry] = seats, found
            worths.append(found)
        return worths


def _most_learnt(own: float, low: float) -> float:
    """Return the bound of what an entry would learn, to the last bit as `_need_of` adds it up."""
    spread = sqrt(own + low)
    found = 0.0
    for _ in range(2 * RIVALS):
        found += 0.5 / spread
    return own * found
