"""Claims about pairs of entries that hold together: whether an order is settled, and circles that no order fits.

"a beats b" means that a finishes above b more often than below in the matches that both play; only those count.

**A claim is a bet.** A bettor with stake λ multiplies their wealth by 1 + λ·d after a result d from −1 to 1: for a
settled order the difference of the two entries' mean shares in a match (`Sureness`), for circles 1 or −1 for who
finished above (`claims`). If the first entry is not better, the probability that the wealth, a mean over several
stakes, ever passes 1 / α is at most α (Ville's inequality), whoever chose the matches and however often one looks.

**Error rate.** Of each pair of entries at most two claims can be false, and each gets its part of the error rate
(Bonferroni), also of pairs with entries that join later (`claim_error_rate`). See docs/statistics.md and ADR 0011.

Sources: Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting" (2024); Foster and Stine,
"α-investing: a procedure for sequential control of expected false discoveries" (2008).
"""

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from itertools import combinations
from math import exp, fsum, inf, log, log1p, pi

from msgspec import Struct

from results.base.scoring import UNIT

STAKES = tuple(0.95 * 2 ** (-k / 2) for k in range(13))
"""From nearly everything, best if one side always wins, down to 1.5 %, best for differences of 1 %."""

_LOG_STAKES = log(len(STAKES))


class Order(Struct, frozen=True):
    """An order of entries that is certain at the error rate."""

    entries: tuple[int, ...]
    """Best first: all entries, or the requested number from the top."""
    level: tuple[tuple[int, int], ...]
    """Pairs of these entries, the earlier first, that differ by less than the indifference, without a certain order."""


def claim_error_rate(error_rate: float, initial: int, arrival: int = 0, reserve: float = 0.0) -> float:
    """Return the part of an error rate that each of the two claims about a pair of entries gets.

    `initial`: number of entries there from the start, 2 or more · `arrival`: 0 for a pair of these; k, from 1, for a
    pair of the k-th entry to join later and one that came before it · `reserve`, from 0 to below 1: the fraction of the
    error rate for pairs of the second kind. All pairs together get `error_rate` at most: the sum of 1 / k² is π² / 6.
    """
    if not arrival:
        return (1 - reserve) * error_rate / (initial * (initial - 1))
    earlier = initial + arrival - 1
    return reserve * error_rate * 6 / (pi * arrival) ** 2 / (2 * earlier)


class Sureness:
    """Collects evidence match by match and reports when it is enough."""

    def __init__(
        self,
        entries: Iterable[int],
        error_rate: float,
        *,
        top: int | None = None,
        indifference: float = 0.0,
        reserve: float = 0.0,
    ) -> None:
        """Start without evidence.

        `error_rate`, above 0 and below 1: the probability that any claim, at any time, is false ·
        `top`: settle only which entries are the best this many, and in which order · `indifference`, from 0 to
        below 1: two entries whose mean shares differ by less are shown to be that close instead of ordered ·
        `reserve`: as for `claim_error_rate`. Raises ValueError for anything out of range, or fewer than two entries.
        """
        self._entries = tuple(sorted(set(entries)))
        count = len(self._entries)
        if count < 2:
            raise ValueError(f"{count} entries; it takes two to have an order")
        if not 0 < error_rate < 1 or not 0 <= indifference < 1 or not 0 <= reserve < 1:
            raise ValueError(f"error rate {error_rate}, indifference {indifference}, reserve {reserve}")
        if top is not None and not 1 <= top <= count:
            raise ValueError(f"the top {top} of {count} entries")
        self._top = top
        self._indifference = indifference
        self._error_rate, self._reserve, self._initial = error_rate, reserve, count
        self._arrival = dict.fromkeys(self._entries, 0)
        """By entry: 0 if it was there from the start, k for the k-th to join later."""
        self._enough = [log(count * (count - 1) / ((1 - reserve) * error_rate))]
        """By the later arrival of a pair: logarithm of the wealth that a claim requires."""
        self._above: dict[tuple[int, int], _Bets] = {}
        """By entry and opponent: evidence that the entry has the higher mean share."""
        self._closer: dict[tuple[int, int], _Bets] = {}
        """By entry and opponent: evidence that the entry is ahead by less than the indifference."""

    def join(self, entry: int) -> None:
        """Let an entry join. The number of those that joined before decides how much error rate its claims get."""
        if entry in self._arrival:
            raise ValueError(f"entry {entry} is there already")
        self._entries += (entry,)
        self._arrival[entry] = len(self._enough)
        part = claim_error_rate(self._error_rate, self._initial, self._arrival[entry], self._reserve)
        self._enough.append(-log(part) if part else inf)

    def add(self, entries: Sequence[int], shares: Sequence[int], games: int) -> None:
        """Add a finished match: sums of shares over its games, in units of 1 / `scoring.UNIT`."""
        self.add_deal([(entries, shares, games)])

    def add_deal(self, tables: Iterable[tuple[Sequence[int], Sequence[int], int]]) -> None:
        """Add the matches that share a deal: two entries have one result in them, their mean."""
        ahead: dict[tuple[int, int], list[float]] = {}
        for entries, shares, games in tables:
            for a, b in combinations(range(len(entries)), 2):
                difference = (shares[a] - shares[b]) / (games * UNIT)
                one, other = entries[a], entries[b]
                if (other, one) in ahead:
                    one, other, difference = other, one, -difference
                ahead.setdefault((one, other), []).append(difference)
        for (first, second), differences in ahead.items():
            mean = differences[0] if len(differences) == 1 else fsum(differences) / len(differences)
            enough = self._enough[max(self._arrival[first], self._arrival[second])]
            for one, other, difference in ((first, second, mean), (second, first, -mean)):
                self._above.setdefault((one, other), _Bets()).take(difference, enough)
                if self._indifference:
                    # distance below X, scaled so that no result falls below −1
                    room = (self._indifference - difference) / (1 - self._indifference)
                    self._closer.setdefault((one, other), _Bets()).take(room, enough)

    def is_above(self, one: int, other: int) -> bool:
        """Return whether `one` is certainly better, judged by their own matches."""
        bets = self._above.get((one, other))
        return bets is not None and bets.sure

    def is_level(self, one: int, other: int) -> bool:
        """Return whether the two certainly differ by less than the indifference."""
        both = self._closer.get((one, other)), self._closer.get((other, one))
        return all(bets is not None and bets.sure for bets in both)

    def order(self, field: Collection[int] | None = None) -> Order | None:
        """Return the requested order, or None while it is uncertain.

        `field`: only the order of these entries, as if the others had never played; None: of all. It is uncertain for
        fewer than two.

        The order is certain when every relevant pair of entries is ordered, by a claim or a chain of claims, or is
        claimed to be level. Contradictory claims, such as three entries that beat each other in a circle, leave
        it uncertain for ever.
        """
        entries = tuple(entry for entry in self._entries if field is None or entry in field)
        below = self._below(entries)
        if below is None or len(entries) < 2:
            return None
        above = dict.fromkeys(entries, 0)
        for lower in below.values():
            for entry in lower:
                above[entry] += 1
        ranked = sorted(entries, key=lambda entry: (above[entry] - len(below[entry]), entry))
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

    def _below(self, entries: Sequence[int]) -> dict[int, set[int]] | None:
        """Return the entries below each of these by a chain of claims among them; None if claims form a circle."""
        claimed: dict[int, list[int]] = {entry: [] for entry in entries}
        for (one, other), bets in self._above.items():
            if bets.sure and one in claimed and other in claimed:
                claimed[one].append(other)
        place = {entry: place for place, entry in enumerate(entries)}
        bits: dict[int, int] = {}  # for each entry, those below it; entry at place i counts 2**i
        try:
            lowest_first = tuple(TopologicalSorter(claimed).static_order())
        except CycleError:
            return None
        for entry in lowest_first:
            bits[entry] = 0
            for other in claimed[entry]:
                bits[entry] |= bits[other] | 1 << place[other]
        return {
            entry: {other for other in entries if found >> place[other] & 1} for entry, found in bits.items()
        }


class _Bets:
    """The wealth of bettors who bet on a mean above 0."""

    __slots__ = ("_wealth", "sure")

    def __init__(self) -> None:
        self._wealth: list[float] | None = None
        """Logarithms, by stake; None: no bets yet."""
        self.sure = False

    def take(self, result: float, enough: float) -> None:
        """Settle the bets on a result of −1 or more; once the wealth has been enough, the claim stands."""
        gains = _gains(result)
        self._wealth = (
            list(gains)
            if self._wealth is None
            else [wealth + gain for wealth, gain in zip(self._wealth, gains, strict=True)]
        )
        if not self.sure:
            most = max(self._wealth)
            if most >= enough:  # the mean is never above the maximum
                mean = most + log(fsum(exp(wealth - most) for wealth in self._wealth)) - _LOG_STAKES
                self.sure = mean >= enough


@lru_cache(maxsize=4096)
def _gains(result: float) -> tuple[float, ...]:
    """Return the logarithm of the factor for each stake."""
    return tuple(log1p(stake * result) for stake in STAKES)


ERROR_RATE = 0.05
"""Probability that any claim of a league is false."""


class Meetings(Struct, frozen=True):
    """How two entries did in the matches that both played."""

    entry_no: int
    opponent_no: int
    matches: int
    above: int
    """Matches in which the first finished above the other."""
    tied: int


def evidence(above: int, below: int) -> float:
    """Return the logarithm of the wealth after so many matches above and below the other."""
    logs = [above * log1p(stake) + below * log1p(-stake) for stake in STAKES]
    most = max(logs)
    return most + log(fsum(exp(one - most) for one in logs) / len(logs))


def claims(
    meetings: Iterable[Meetings], entries: int, error_rate: float = ERROR_RATE
) -> tuple[Meetings, ...]:
    """Return the claims that hold together at an error rate: pairs of which the first entry surely beats the second.

    They are in the order of `meetings`, which has each pair once. `entries`: number of all entries of the league,
    whether they met or not.
    """
    if entries < 2:
        return ()
    enough = -log(claim_error_rate(error_rate, entries))
    found = []
    for one in meetings:
        below = one.matches - one.above - one.tied
        if one.above > below and evidence(one.above, below) >= enough:
            found.append(one)
        elif below > one.above and evidence(below, one.above) >= enough:
            found.append(Meetings(one.opponent_no, one.entry_no, one.matches, below, one.tied))
    return tuple(found)


def circles(found: Sequence[Meetings]) -> tuple[tuple[int, ...], ...]:
    """Return circles of claims, in each of which every entry beats the next, and the last the first.

    For every entry that is part of a circle, there is a shortest one with it; shorter circles come first.
    """
    beaten: dict[int, list[int]] = {}
    for claim in found:
        beaten.setdefault(claim.entry_no, []).append(claim.opponent_no)
    for others in beaten.values():
        others.sort()
    kept: dict[tuple[int, ...], None] = {}
    for entry in sorted(beaten):
        if (circle := _shortest(entry, beaten)) is not None:
            first = circle.index(min(circle))
            kept[circle[first:] + circle[:first]] = None
    return tuple(sorted(kept, key=lambda circle: (len(circle), circle)))


def _shortest(start: int, beaten: Mapping[int, Sequence[int]]) -> tuple[int, ...] | None:
    """Return a shortest circle that begins with an entry; None if it is in none."""
    before: dict[int, int] = {}
    waiting = deque([start])
    while waiting:
        entry = waiting.popleft()
        for other in beaten.get(entry, ()):
            if other == start:
                path = [entry]
                while path[-1] != start:
                    path.append(before[path[-1]])
                return tuple(reversed(path))
            if other not in before:
                before[other] = entry
                waiting.append(other)
    return None
