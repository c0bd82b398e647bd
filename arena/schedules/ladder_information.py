"""What results tell a ladder about its entries, and what another match would reveal about their order. For the ladder.

The value of a match between two entries is the product of three factors: the
probability that the ratings have the two in the wrong order, the uncertainty of the
two ratings, and how open the match is. The first approaches zero for entries that are
clearly ordered, the second as both ratings become certain, and the third if the
outcome is certain.
"""

from collections.abc import Collection, Iterable, Sequence
from math import erfc, exp, sqrt

from arena.core.chance import Stream
from arena.schedules.base import Field, Summary
from results.ratings.base import Rating

RIVALS = 24
"""How many entries above and below in the ratings are considered; those further away are clearly ordered."""
SOFTNESS = 2.0
"""Opponents are chosen as if ratings were less certain by this factor, since one number doesn't tell who beats whom."""

_SEED = b"arena/schedules/ladder"
_SQRT_HALF = sqrt(0.5)


class Information:
    """The state of a ladder within a block: the results seen, and the matches planned since, which it counts."""

    def __init__(self, field: Field, summary: Summary, block: int) -> None:
        """Take the state from the summary; `block` names the random order of entries that are otherwise equal."""
        self._unit = field.scale.unit
        self.matches = {entry: summary.matches.get(entry, 0) for entry in field.entries}
        """By entry: its planned matches."""
        self.unseen = {entry: summary.unseen.get(entry, 0) for entry in field.entries}
        """By entry: how many of these have no result yet that may be used."""
        self._pairs = summary.pairs
        self._new_pairs: dict[tuple[int, int], int] = {}
        start = field.scale.start
        rated = {entry: self._belief(entry, summary.ratings.get(entry, start)) for entry in field.entries}
        self.mu = {entry: mu for entry, (mu, _) in rated.items()}
        self.sigma = {entry: sigma for entry, (_, sigma) in rated.items()}
        """As seen; without σ in the rating system, from the number of matches."""
        self._variance = {entry: sigma * sigma for entry, (_, sigma) in rated.items()}
        self._expected = {entry: self._after_unseen(entry) for entry in field.entries}
        """The expected variance once the unseen matches have results."""
        order = list(field.entries)
        Stream(_SEED, f"order/{block}").shuffle(order)
        self.chance = {entry: place for place, entry in enumerate(order)}
        """Decides between entries that are otherwise equal."""
        self._order = sorted(field.entries, key=lambda entry: (self.mu[entry], self.chance[entry]))
        self.rivals = {
            entry: self._order[max(0, place - RIVALS) : place] + self._order[place + 1 : place + 1 + RIVALS]
            for place, entry in enumerate(self._order)
        }
        """By entry: its neighbours in the ratings."""
        self._need = {entry: self._need_of(entry) for entry in field.entries}

    def expected_sigma(self, entry: int) -> float:
        """Return the σ that an entry is expected to have once its unseen matches have results."""
        return sqrt(self._expected[entry])

    def neediest(self, entries: Iterable[int]) -> int | None:
        """Return the entry that would learn most from a match; None if there are no entries."""
        return max(entries, key=lambda entry: (self._need[entry], self.chance[entry]), default=None)

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
            self._expected[one] = self._after_unseen(one)
            self._need[one] = self._need_of(one)
            for other in table[:place]:
                pair = (one, other) if one < other else (other, one)
                self._new_pairs[pair] = self._new_pairs.get(pair, 0) + 1

    def _belief(self, entry: int, rating: Rating) -> tuple[float, float]:
        """Return μ and σ of an entry as seen; without σ, use the number of matches, like after unseen ones."""
        if rating.sigma > 0:
            return rating.mu, rating.sigma
        unit = self._unit
        seen = self.matches[entry] - self.unseen[entry]
        return rating.mu, sqrt(1 / (1 / (2 * unit) ** 2 + seen / (3 * unit**2)))

    def _after_unseen(self, entry: int) -> float:
        """Return the expected variance of an entry's rating once its unseen matches have results."""
        learnt = self.unseen[entry] / (3 * self._unit**2)  # roughly what a match of two equals reveals
        return 1 / (1 / self._variance[entry] + learnt)

    def _need_of(self, entry: int) -> float:
        """Return what an entry would learn: its variance times the chances that its rivals are misplaced."""
        own = self._expected[entry]
        found = 0.0
        for rival in self.rivals[entry]:
            spread = sqrt(own + self._variance[rival])
            found += _misplaced(self.mu[entry] - self.mu[rival], spread) / spread
        return own * found

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
