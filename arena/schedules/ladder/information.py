"""What results tell a ladder about its entries, and what another match would reveal about their order. For the ladder.

The value of a match between two entries is the product of three factors: the
probability that the ratings have the two in the wrong order, the uncertainty of the
two ratings, and how open the match is. The first approaches zero for entries that are
clearly ordered, the second as both ratings become certain, and the third if the
outcome is certain.
"""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from itertools import islice, repeat
from math import erfc, exp, inf, sqrt
from typing import Any

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

_SEED = b"arena/schedules/ladder"
_SQRT_HALF = sqrt(0.5)
_NOTHING = (0, 0.0)
_ROUNDED_UP = 1 + 1e-9
"""Keeps a bound above the value that it bounds, however that is rounded."""


class Information:
    """A ladder within a block: results seen, and matches planned since. In large fields, few needs are computed."""

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
        self._bounds: Any = None

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
            return max(entries, key=lambda entry: (self.need(entry), self.chance[entry]), default=None)
        if self._needs is None:
            self._needs = Needs(self, self.mu)
        found = self._needs.first(entries)
        return None if found is None else found[-1]

    def bounds(self) -> Any:
        """Return an array of bounds of what entries would learn, the one with the highest chance first.

        Each is as if all rivals had the same μ, hence with a chance of 1/2 to be misplaced. It is added up in the order
        of `need`, so it is the need itself, to the last bit, where that is so, as when a league begins.
        """
        import numpy as np

        if self._bounds is None:
            places = [self._place[entry] for entry in sorted(self.chance, key=self.chance.__getitem__)]
            unseen = np.zeros(len(places))
            for entry, matches in self.unseen.items():
                unseen[self._place[entry]] = matches
            own = 1 / (1 / np.array(self._variances) + unseen / self._learnt)
            rivals = np.pad(self._variances, RIVALS, constant_values=inf)
            found = np.zeros(len(places))
            for shift in (*range(RIVALS), *range(RIVALS + 1, 2 * RIVALS + 1)):
                found += 0.5 / np.sqrt(own + rivals[shift : shift + len(places)])
            self._bounds = (own * found)[places[::-1]]
        return self._bounds

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

    def need(self, entry: int) -> float:
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


class Needs:
    """Finds the neediest of some entries, and computes what each would learn only for those that may be it."""

    def __init__(self, information: Information, entries: Collection[int]) -> None:
        """Choose from `entries`, which are among those of the field."""
        import numpy as np  # takes 0.1 s, and leagues of a few bots do without

        self._information = information
        self._by_chance = sorted(information.chance, key=information.chance.__getitem__, reverse=True)
        bounds, last = information.bounds(), len(self._by_chance) - 1
        chosen = [last - information.chance[entry] for entry in entries]
        self._most = np.full(len(bounds), -inf)
        """By chance, the highest first: the need of each entry or a bound of it; minus infinity: not to choose from.

        A need only falls, so one from before the entry was counted is a bound, too.
        """
        self._most[chosen] = bounds[chosen]

    def add(self, entry: int) -> None:
        """Take one more entry in."""
        self._most[-1 - self._information.chance[entry]] = self._information.need(entry)

    def first(self, entries: Collection[int]) -> tuple[float, int, int] | None:
        """Return the neediest that is among some entries: minus its need, minus its chance, and itself."""
        most, information, passed, found = self._most, self._information, [], None
        while (bound := most[place := int(most.argmax())]) > -inf:
            entry = self._by_chance[place]
            need = information.need(entry)
            if need != bound:
                most[place] = need
                continue
            if entry in entries:
                found = (-need, -information.chance[entry], entry)
                break
            passed.append((place, need))
            most[place] = -inf
        for place, need in passed:
            most[place] = need
        return found
