"""What results tell a ladder about its entries, and what another match would reveal about their order. For the ladder.

The value of a match between two entries is the product of three factors: the
probability that the ratings have the two in the wrong order, the uncertainty of the
two ratings, and how open the match is. The first approaches zero for entries that are
clearly ordered, the second as both ratings become certain, and the third if the
outcome is certain.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from heapq import heapify, heappop, heappush, heapreplace
from itertools import accumulate, islice, repeat
from math import erfc, exp, inf, sqrt
from operator import sub

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
LISTED_FIRST = 4
"""One in so many entries, those with the largest variances, are looked at first for the neediest."""
KNOTS = 3
"""The sums for bounds are computed for so many variances and one more."""

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
        self._by_chance = order.copy()
        """The last has the highest chance; without those at the end that will never again be as uncertain as any."""
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
        self._needs: Needs | None = None
        self._bounds: Bounds | None = None

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
        if self._needs is None:
            self._needs = self.needs_of(self._variance)
        found = self._needs.first(entries)
        return None if found is None else found[-1]

    def needs_of(self, entries: Collection[int]) -> "Needs":
        """Return what finds the neediest among these entries, again and again."""
        bounds = self._bounds = self._bounds or Bounds(self._variances)
        variances = self._variance if entries is self._variance else {e: self._variance[e] for e in entries}
        return Needs(
            variances, self._expected_of, self._need_of, self._known_need, self.chance, self._place, bounds
        )

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
        joining.sort(key=self._expected_of, reverse=True)
        members = self._members(table)
        most = -inf
        best: list[int] = []
        for entry in joining:
            if self._most_worth(members, entry) < most:
                break  # those after it are more certain, so they are worth even less
            worth = self._worth(members, entry)
            if worth > most:
                most, best = worth, []
            if worth == most:
                best.append(entry)
        mu, chance, first = self.mu, self.chance, self.mu[table[0]]
        return max(best, key=lambda entry: (-abs(mu[entry] - first), chance[entry]), default=None)

    def _first_of_equals(
        self, table: Sequence[int], candidates: Collection[int], may_join: Callable[[int], bool]
    ) -> int | None:
        """Return the candidate that decides between equals if no other can be worth more; None if that isn't sure.

        When a league begins, its entries are equal: then this finds the best of thousands by looking at a few.
        """
        first, mu = table[0], self.mu
        most = sum(sqrt(self._expected_of(member) + self._most_expected) * 0.5 for member in table)
        members = self._members(table)
        looked, by_chance, as_uncertain = 0, self._by_chance, self._most_expected / _ROUNDED_UP
        while by_chance and self._expected_of(by_chance[-1]) < as_uncertain:
            by_chance.pop()
        for entry in islice(reversed(by_chance), LOOKED_AT):
            if entry in candidates and may_join(entry):
                if mu[entry] == mu[first] and self._worth(members, entry) == most:
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
            self._need.pop(one, None)
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

    def _known_need(self, entry: int) -> float | None:
        return self._need.get(entry)

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

    def _members(self, table: Sequence[int]) -> list[tuple[int, float, float, int]]:
        """Return what `_worth` needs of those at a table: entry, μ, expected variance, matches."""
        if self._table != table[: len(self._table)]:
            self._worth_to_table.clear()
        self._table = list(table)
        return [
            (member, self.mu[member], self._expected_of(member), self.matches[member]) for member in table
        ]

    def _most_worth(self, members: Sequence[tuple[int, float, float, int]], entry: int) -> float:
        """Return a bound of `_worth`, as if all had the same μ and had never met. It grows with the variance."""
        own = self._expected_of(entry)
        found = 0.0
        for member in members:
            found += sqrt(member[2] + own)
        return found * 0.5 * _ROUNDED_UP

    def _worth(self, members: Sequence[tuple[int, float, float, int]], entry: int) -> float:
        """Return what matches of an entry with all at the table would reveal; less with those it meets all the time.

        A table grows seat by seat, so what is known of those who sat there before is kept.
        """
        done, found = self._worth_to_table.get(entry, _NOTHING)
        mu, own, matches = self.mu[entry], self._expected_of(entry), self.matches[entry]
        open_from = 2 * self._unit**2
        for member, member_mu, member_own, played in members[done:]:
            apart = member_mu - mu
            variance = member_own + own
            spread = sqrt(variance)
            openness = exp(-apart * apart / (2 * (open_from + variance)))
            misplaced = erfc(abs(apart) / (SOFTNESS * spread) * _SQRT_HALF) / 2
            worth = misplaced * spread * openness
            pair = (member, entry) if member < entry else (entry, member)
            if met := self._pairs.get(pair, 0) + self._new_pairs.get(pair, 0):
                worth *= 1 - met / (1 + min(played, matches))
            found += worth
        self._worth_to_table[entry] = len(members), found
        return found


class Bounds:
    """Bounds of what entries would learn, as if all rivals had the same μ, hence with chances of 1/2 to be misplaced.

    Then an entry with the expected variance v learns v times a sum over its rivals, which is a convex function of v. It
    is at most on the chord between two variances for which the sums are known, and it falls.
    """

    def __init__(self, variances: Sequence[float]) -> None:
        """Take the variances in the order of the ratings."""
        self._variances = variances
        self.low = min(variances)
        self._sums: dict[float, list[float]] = {}

    def is_at_end(self, place: int) -> bool:
        """Return whether an entry has fewer rivals than others."""
        return not RIVALS <= place < len(self._variances) - RIVALS

    def of(self, places: Sequence[int], owns: Sequence[float]) -> list[float]:
        """Return the bounds of entries by their places and expected variances."""
        in_order = sorted(owns)
        knots = sorted({in_order[(len(owns) - 1) * part // KNOTS] for part in range(KNOTS + 1)})
        sums, variances, last = list(map(self._sums_at, knots)), self._variances, len(self._variances)
        found = []
        for place, own in zip(places, owns, strict=True):
            first, end, variance = max(0, place - RIVALS), min(last, place + 1 + RIVALS), variances[place]
            upper = max(1, bisect_left(knots, own))
            low, high = knots[upper - 1], knots[min(upper, len(knots) - 1)]
            below, above = sums[upper - 1], sums[min(upper, len(knots) - 1)]
            at_low = below[end] - below[first] - 1 / sqrt(low + variance)
            at_high = above[end] - above[first] - 1 / sqrt(high + variance)
            part = (own - low) / (high - low) if high > low else 0.0
            found.append(own * (at_low + part * (at_high - at_low)) * 0.5 * _ROUNDED_UP)
        return found

    def below(self, variance: float) -> float:
        """Return a bound of all entries with a smaller variance, but for those at the ends."""
        sums, across = self._sums_at(variance), 2 * RIVALS + 1
        return variance * max(map(sub, sums[across:], sums), default=0.0) * 0.5 * _ROUNDED_UP

    def _sums_at(self, own: float) -> list[float]:
        if own not in self._sums:
            self._sums[own] = list(accumulate([1 / sqrt(own + v) for v in self._variances], initial=0.0))
        return self._sums[own]


class Needs:
    """Finds the neediest of some entries, and computes what each would learn only for those that may be it."""

    def __init__(
        self,
        variances: Mapping[int, float],
        expected_of: Callable[[int], float],
        need_of: Callable[[int], float],
        known_need: Callable[[int], float | None],
        chance: Mapping[int, int],
        places: Mapping[int, int],
        bounds: Bounds,
    ) -> None:
        """`variances`, as seen, are those of the entries to choose from; the rest is that of the whole field."""
        self._variances = variances
        self._expected_of, self._need_of, self._known_need = expected_of, need_of, known_need
        self._chance, self._places, self._bounds = chance, places, bounds
        self._heap: list[tuple[float, int, int]] = []
        """Minus the need of an entry, or minus a bound of it; minus its chance; and the entry.

        A need only falls, so one from before the entry was counted is a bound, too.
        """
        self._unlisted_below = inf
        """Entries with a smaller variance are not in the heap yet, except those at the ends of the field."""
        self._most_unlisted = inf if variances else 0.0
        """A bound of what they would learn; 0 if there are none."""

    def add(self, entry: int) -> None:
        """Take one more entry in."""
        heappush(self._heap, (-self._need_of(entry), -self._chance[entry], entry))

    def first(self, entries: Collection[int]) -> tuple[float, int, int] | None:
        """Return the neediest that is among some entries: minus its need, minus its chance, and itself."""
        heap, known_need = self._heap, self._known_need
        passed = []
        found = None
        while heap or self._most_unlisted:
            if self._most_unlisted and (not heap or -heap[0][0] <= self._most_unlisted):
                self._list_more()
                continue
            entry = heap[0][2]
            known = known_need(entry)
            if known is None or -known != heap[0][0]:
                heapreplace(heap, (-self._need_of(entry), heap[0][1], entry))
                continue
            if entry in entries:
                found = heap[0]
                break
            passed.append(heappop(heap))
        for top in passed:
            heappush(heap, top)
        return found

    def _list_more(self) -> None:
        """Add entries to the heap: those with large variances first, all others if these don't suffice."""
        listed_from, bounds, places = self._unlisted_below, self._bounds, self._places
        if listed_from == inf:
            every = list(self._variances.values())
            sample = sorted(every[:: len(every) // SAMPLE + 1])
            least = self._unlisted_below = sample[-1 - len(sample) // LISTED_FIRST]
            self._most_unlisted = bounds.below(least)
            listed = [
                e
                for e, variance in self._variances.items()
                if variance >= least or bounds.is_at_end(places[e])
            ]
        else:
            self._most_unlisted = 0.0
            listed = [
                e
                for e, variance in self._variances.items()
                if variance < listed_from and not bounds.is_at_end(places[e])
            ]
        chance, owns = self._chance, list(map(self._expected_of, listed))
        different = set(owns)
        if len(different) <= FEW:  # as when a league begins: bounds that many entries reach exactly
            most = {own: _most_learnt(own, bounds.low) for own in different}
            self._heap += [(-most[own], -chance[e], e) for e, own in zip(listed, owns, strict=True)]
        else:
            found = bounds.of([places[e] for e in listed], owns)
            self._heap += [(-bound, -chance[e], e) for e, bound in zip(listed, found, strict=True)]
        heapify(self._heap)


def _most_learnt(own: float, low: float) -> float:
    """Return the bound of what an entry would learn, to the last bit as `_need_of` adds it up."""
    spread = sqrt(own + low)
    found = 0.0
    for _ in range(2 * RIVALS):
        found += 0.5 / spread
    return own * found
