"""What results tell a ladder about its entries, and what another match would reveal about their order. For the ladder.

A match is worth the information that its result is expected to have about the sign of each difference in strength. With
strengths that are independent and normal, as the ratings say, and z the difference of two in units of its standard
deviation, a result that takes the part r of the difference's variance reveals in proportion to

    r phi(z)² / (Phi(z) Phi(−z))                                                                (probit)

The fraction is about (2 / π) exp(−0.39 z²). With z in units of the luck of both, the same fraction is what a result
says about the difference at all. A match of two entries concerns the differences of both from all their rivals.

Which differences count depends on the aim of the ladder: all, those across a cut, or those of one entry.

Only +, −, ×, / and square roots are used, which give the same on every machine, and no library that adds up in an order
of its own. The covariance of the strengths isn't used: it saved no games (docs/matchmakers.md).

Source: Houlsby, Huszar, Ghahramani and Lengyel, "Bayesian active learning for classification and preference learning"
(2011), for the information of a result.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import repeat
from math import fsum, inf, pi, sqrt

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from arena.core.chance import Stream
from arena.schedules.base import Field, Summary

RIVALS = 24
"""How many entries above and below in the ratings are considered; those further away are clearly ordered."""
FEW = 48
"""The neediest of so many entries is looked for one by one; of more, among all at once."""

DIVERSE = 0.8
"""With each match whose result is awaited, an entry needs this part of it, so that others come to play; but not once
the field has changed, when newcomers come first."""

_SEED = b"arena/schedules/ladder"

Floats = NDArray[np.float64]


class Aim(Struct, frozen=True):
    """Which differences count: by default, all of near entries."""

    top: int = 0
    """If not 0: those between the best this many and all others."""
    entry: int | None = None
    """If any: those of this entry."""


EVERYBODY = Aim()


def _told(squared: Floats) -> Floats:
    """Return (2 / π) exp(−0.39 z²), given z²: as (1 + x / 32)³², which is close and the same on every machine."""
    root = 1 + squared * (0.39 / 32)
    for _ in range(5):
        root = root * root
    return 2 / pi / root


class Information:
    """A ladder within a block: results seen, and matches planned since. Arrays are by place in the ratings."""

    def __init__(self, field: Field, summary: Summary, block: int, aim: Aim = EVERYBODY) -> None:
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
        self._sigma = {
            entry: rating.sigma or self._counted_sigma(entry)
            for entry, rating in zip(entries, ratings, strict=True)
        }
        order = list(entries)
        Stream(_SEED, f"order/{block}").shuffle(order)
        order.sort(key=self.mu.__getitem__, reverse=True)  # those with equal μ stay in random order
        self.order = order
        """The best first."""
        self.place: Mapping[int, int] = dict(zip(order, range(len(order)), strict=True))
        """By entry; of two that need the same, the one with the lower place comes first."""
        self._place_of = np.zeros(1 + max(order), dtype=np.intp)
        self._place_of[order] = np.arange(len(order))
        self._mu = np.array([self.mu[entry] for entry in order], dtype=np.float64)
        sigma = np.array([self._sigma[entry] for entry in order], dtype=np.float64)
        self._variance = sigma * sigma
        """As seen: what is planned meanwhile changes nothing, so that a block goes on the same if it is interrupted."""
        self._aim = aim
        self._cut = aim.top if aim.top < len(order) else 0
        self._of = None if aim.entry is None else self.place.get(aim.entry)
        self._open = self._open_questions()
        self.needs = self._open * self._variance * self._variance
        """What entries would learn from a match."""
        self._diverse = 1.0 if field.joined or field.from_match else DIVERSE
        self._expected = self._variance.copy()
        """The variances expected once the unseen matches have results."""
        for entry in self.unseen:
            self._await(entry)
        self._everybody: Needs | None = None

    def _open_questions(self) -> Floats:
        """Return for each entry how unsure its differences that count are, by their variances, summed."""
        size, found = len(self.order), np.zeros(len(self.order))
        if self._of is not None:
            found = self._unsure_of(self._of, slice(None))
            found[self._of] = 0
            found[self._of] = fsum(found.tolist())
        elif self._cut:
            for one in range(max(0, self._cut - RIVALS), min(size, self._cut + RIVALS)):
                across = slice(self._cut, None) if one < self._cut else slice(0, self._cut)
                found[across] += self._unsure_of(one, across)
        else:
            for apart in range(1, min(RIVALS + 1, size)):
                upper, lower = slice(0, size - apart), slice(apart, None)
                unsure = self._unsure_of(upper, lower)
                found[upper] += unsure
                found[lower] += unsure
        return found

    def _unsure_of(self, one: int | slice, others: slice) -> Floats:
        variance = self._variance[one] + self._variance[others]
        apart = self._mu[one] - self._mu[others]
        return _told(apart * apart / variance) / variance

    def rivals(self, entry: int) -> list[int]:
        """Return the neighbours of an entry in the ratings."""
        order, place = self.order, self.place[entry]
        return order[max(0, place - RIVALS) : place] + order[place + 1 : place + 1 + RIVALS]

    def sigma(self, entry: int) -> float:
        """Return the σ of an entry as seen; without σ in the rating system, from its number of matches."""
        return self._sigma[entry]

    def expected_sigma(self, entry: int) -> float:
        """Return the σ that an entry is expected to have once its unseen matches have results."""
        return sqrt(self._expected[self.place[entry]])

    def neediest(self, entries: Collection[int]) -> int:
        """Return the entry that would learn most from a match, of some; there must be one."""
        if len(entries) <= FEW:
            return min(entries, key=lambda e: (-self.needs[self.place[e]], self.place[e]))
        self._everybody = self._everybody or Needs(self, self.order)
        found = self._everybody.first(entries)
        assert found is not None  # noqa: S101 - there are more than a few
        return found[-1]

    def best_joining(
        self, table: Sequence[int], candidates: Collection[int], barred: Collection[int]
    ) -> int | None:
        """Return the candidate, of those not barred, with which the table's matches reveal most; None if there is none.

        Of several, it is the nearest to the first of the table.
        """
        joining = np.fromiter(candidates, np.intp, len(candidates))
        for entry in barred:
            joining = joining[joining != entry]
        if not len(joining):
            return None
        members = np.array([self.place[member] for member in table])[:, None]
        places = self._place_of[joining]
        own, other = self._expected[members], self._expected[places]
        variance, apart = own + other, self._mu[members] - self._mu[places]
        squared = apart * apart
        both = 2 * self._unit**2
        said = _told(squared / both) / both
        """By the result of a match of the two, about their difference."""
        direct = 2 * own * other * _told(squared / variance) / variance
        if self._of is not None:
            direct *= (members == self._of) | (places == self._of)
        elif self._cut:
            direct *= (members < self._cut) != (places < self._cut)
        worth = said / (1 + said * variance) * (self.needs[members] + self.needs[places] + direct)
        if len(joining) <= FEW:
            worth *= [[self._not_met(member, entry) for entry in joining.tolist()] for member in table]
        total = worth[0]
        for more in worth[1:]:
            total = total + more
        best = np.flatnonzero(total == total.max())
        nearest = np.abs(places[best] - self.place[table[0]]) * len(self.order) + places[best]
        return int(joining[best[nearest.argmin()]])

    def _not_met(self, one: int, other: int) -> float:
        """Return which part of its matches one of the two with fewer played without the other, nearly."""
        pair = (one, other) if one < other else (other, one)
        met = self._pairs.get(pair, 0) + self._new_pairs.get(pair, 0)
        return 1 - met / (1 + min(self.matches[one], self.matches[other])) if met else 1.0

    def count(self, table: Sequence[int]) -> None:
        """Count a match that has been planned."""
        for number, one in enumerate(table):
            self.matches[one] += 1
            self.unseen[one] += 1
            self._await(one)
            for other in table[:number]:
                pair = (one, other) if one < other else (other, one)
                self._new_pairs[pair] = self._new_pairs.get(pair, 0) + 1

    def _await(self, entry: int) -> None:
        """Take into account how many matches of an entry have no result yet."""
        place, unseen = self.place[entry], self.unseen[entry]
        expected = 1 / (1 / float(self._variance[place]) + unseen / self._learnt)
        self._expected[place] = expected
        need = float(self._open[place]) * expected * expected
        for _ in range(unseen):
            need *= self._diverse
        self.needs[place] = need

    def _counted_sigma(self, entry: int) -> float:
        """Return the σ of an entry from its number of matches, like after unseen ones, for systems without σ."""
        unit = self._unit
        seen = self.matches[entry] - self.unseen[entry]
        return sqrt(1 / (1 / (2 * unit) ** 2 + seen / (3 * unit**2)))


class Needs:
    """Finds the neediest of many entries."""

    def __init__(self, information: Information, entries: Collection[int]) -> None:
        """Choose from `entries`, which are among those of the field."""
        self._information = information
        self._left_out = np.full(len(information.order), -inf)
        self._left_out[[information.place[entry] for entry in entries]] = 0

    def add(self, entry: int) -> None:
        """Take one more entry in."""
        self._left_out[self._information.place[entry]] = 0

    def first(self, entries: Collection[int]) -> tuple[float, int, int] | None:
        """Return the neediest that is among some entries: minus its need, its place, and itself."""
        needs = self._information.needs + self._left_out
        while (need := needs[place := int(needs.argmax())]) > -inf:
            if (entry := self._information.order[place]) in entries:
                return -float(need), place, entry
            needs[place] = -inf
        return None
