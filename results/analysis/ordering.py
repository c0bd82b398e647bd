"""When the order of a league's entries is settled: a test that may be looked at after every match.

For every two entries the unit is a match that both played, and its result the
difference of their mean shares of a game, from −1 to 1. Bets are placed on who
is better: a bettor with stake λ has his wealth multiplied by 1 + λ·d after a
result d. If the first is in truth not better, no such bet gains on average,
whatever was played before and whoever chose the matches; so the wealth passes
1 / α with a probability of at most α, ever (Ville's inequality). Looking often
costs nothing, and matchmaking that follows the results does no harm. The wealth
counted is the mean over a row of stakes, so none has to be guessed. Source of
the method: Waudby-Smith and Ramdas, "Estimating means of bounded random
variables by betting" (2024).

The claims of one league are wrong somewhere with a probability of at most the
error rate: of every two entries at most two claims can be false, and each gets
its part (Bonferroni).
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from itertools import combinations
from math import exp, fsum, log, log1p

from msgspec import Struct

from results.scoring import UNIT

STAKES = tuple(0.95 * 2 ** (-k / 2) for k in range(13))
"""From nearly all that can be staked, good where one always wins, down to 1.5 %, good for differences of 1 %."""

_LOG_STAKES = log(len(STAKES))


class Order(Struct, frozen=True):
    """An order of entries that is sure at the error rate."""

    entries: tuple[int, ...]
    """The best first: all of them, or the top ones that were asked for."""
    level: tuple[tuple[int, int], ...]
    """Those two of the entries, the earlier first, that differ by less than the indifference, and in no sure order."""


class Sureness:
    """Gathers evidence match by match, and says when it suffices."""

    def __init__(
        self, entries: Iterable[int], error_rate: float, *, top: int | None = None, indifference: float = 0.0
    ) -> None:
        """Begin without evidence.

        `error_rate`, above 0 and below 1: the probability that anything claimed, at any time, is false ·
        `top`: only who the best so many are, and in which order · `indifference`, from 0 to below 1: two
        entries whose mean shares differ by less need not be told apart, and are shown to be that close
        instead; 0: all have to be told apart.

        Raises ValueError for anything out of range, or fewer than two entries.
        """
        self._entries = tuple(sorted(set(entries)))
        count = len(self._entries)
        if count < 2:
            raise ValueError(f"{count} entries; it takes two to have an order")
        if not 0 < error_rate < 1 or not 0 <= indifference < 1:
            raise ValueError(f"error rate {error_rate}, indifference {indifference}")
        if top is not None and not 1 <= top <= count:
            raise ValueError(f"the top {top} of {count} entries")
        self._top = count if top is None else top
        self._place = {entry: place for place, entry in enumerate(self._entries)}
        self._indifference = indifference
        self._enough = log(count * (count - 1) / error_rate)
        """Logarithm of the wealth at which a claim is made."""
        self._above: dict[tuple[int, int], _Bets] = {}
        """By entry and another that it met: evidence that the first has the higher mean share."""
        self._closer: dict[tuple[int, int], _Bets] = {}
        """By entry and another that it met: evidence that the first is not ahead by the indifference."""

    def add(self, entries: Sequence[int], shares: Sequence[int], games: int) -> None:
        """Take in a finished match: sums of shares over its games, in units of 1 / `scoring.UNIT`."""
        for a, b in combinations(range(len(entries)), 2):
            ahead = (shares[a] - shares[b]) / (games * UNIT)
            for one, other, difference in (
                (entries[a], entries[b], ahead),
                (entries[b], entries[a], -ahead),
            ):
                self._above.setdefault((one, other), _Bets()).take(difference, self._enough)
                if self._indifference:
                    # how far below X, so scaled that no result falls below −1
                    room = (self._indifference - difference) / (1 - self._indifference)
                    self._closer.setdefault((one, other), _Bets()).take(room, self._enough)

    def is_above(self, one: int, other: int) -> bool:
        """Return whether it is claimed, from their own matches, that the first is the better one."""
        bets = self._above.get((one, other))
        return bets is not None and bets.sure

    def is_level(self, one: int, other: int) -> bool:
        """Return whether it is claimed that the two differ by less than the indifference."""
        both = self._closer.get((one, other)), self._closer.get((other, one))
        return all(bets is not None and bets.sure for bets in both)

    def order(self) -> Order | None:
        """Return the order that was asked for, or None as long as it is not sure.

        It is sure when every two entries that matter are in order, by a claim or a chain of claims, or are
        claimed to be level. Claims that contradict each other, as those of three that beat each other in a
        circle, leave it open for ever.
        """
        below = self._below()
        if below is None:
            return None
        above = dict.fromkeys(self._entries, 0)
        for lower in below.values():
            for entry in lower:
                above[entry] += 1
        ranked = sorted(self._entries, key=lambda entry: (above[entry] - len(below[entry]), entry))
        best = ranked[: self._top]
        level = []
        for place, one in enumerate(best):
            for other in ranked[place + 1 :]:
                if other in below[one]:
                    continue
                if one in below[other] or not self.is_level(one, other):
                    return None
                if other in best:
                    level.append((one, other))
        return Order(tuple(best), tuple(level))

    def _below(self) -> dict[int, set[int]] | None:
        """Return who is below each entry by a chain of claims; None where claims go round in a circle."""
        claimed: dict[int, list[int]] = {entry: [] for entry in self._entries}
        for (one, other), bets in self._above.items():
            if bets.sure:
                claimed[one].append(other)
        bits: dict[int, int] = {}  # of every entry: those below it, the entry of place i as 2**i
        try:
            lowest_first = tuple(TopologicalSorter(claimed).static_order())
        except CycleError:
            return None
        for entry in lowest_first:
            bits[entry] = 0
            for other in claimed[entry]:
                bits[entry] |= bits[other] | 1 << self._place[other]
        return {
            entry: {other for other in self._entries if found >> self._place[other] & 1}
            for entry, found in bits.items()
        }


class _Bets:
    """The wealth of bettors who stake on a mean above 0."""

    __slots__ = ("_wealth", "sure")

    def __init__(self) -> None:
        self._wealth: list[float] | None = None
        """Logarithms, by stake; None: nothing was bet on."""
        self.sure = False

    def take(self, result: float, enough: float) -> None:
        """Settle the bets on a result, −1 or more; once the wealth was enough, the claim stands."""
        gains = _gains(result)
        self._wealth = (
            list(gains)
            if self._wealth is None
            else [wealth + gain for wealth, gain in zip(self._wealth, gains, strict=True)]
        )
        if not self.sure:
            most = max(self._wealth)
            if most >= enough:  # the mean is no higher than the highest
                mean = most + log(fsum(exp(wealth - most) for wealth in self._wealth)) - _LOG_STAKES
                self.sure = mean >= enough


@lru_cache(maxsize=4096)
def _gains(result: float) -> tuple[float, ...]:
    """Return the logarithm of what each stake is multiplied by."""
    return tuple(log1p(stake * result) for stake in STAKES)
