"""Who surely beats whom, by the matches of each pair alone, and circles of such claims.

Ratings and fits put every entry on one scale, so they can't say that rock beats scissors, scissors beats paper and
paper beats rock. Claims can: "a beats b" means that a finishes above b in more of the matches that both play than
below, and only those matches count. A set of claims that goes round in a circle fits no scale.

**Error rate.** Each claim is a bet on one entry of a pair: a bettor with stake λ multiplies their wealth by 1 + λ
after a match in which it finishes above the other, and by 1 − λ after one in which it finishes below. If it doesn't
finish above more often than below, no such bet gains on average, so the wealth ever exceeds 1 / α with a probability
of at most α (Ville's inequality). The wealth is the mean over the stakes of `ordering.STAKES`. With n entries there
are n (n − 1) claims, and each gets that part of the error rate. So all claims of a league are true together, however
often somebody looks and whoever chose the matches, as on a ladder. If entries have an order at all, one claim of a
circle is false, so a circle is told wrongly no more often than that either.

The wealth depends only on how often each finished above the other, so claims need no single match.
Source: Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting" (2024).
"""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from math import exp, fsum, log, log1p

from msgspec import Struct

from results.analysis.ordering import STAKES, claim_error_rate

ERROR_RATE = 0.05
"""Probability that any claim of a league is false."""


class Claim(Struct, frozen=True):
    """One entry surely beats another."""

    entry_no: int
    beaten_no: int
    matches: int
    """Matches at the same table."""
    above: int
    """Those in which it finished above the other."""
    tied: int


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


def claims(meetings: Iterable[Meetings], entries: int, error_rate: float = ERROR_RATE) -> tuple[Claim, ...]:
    """Return the claims that hold together at an error rate, in the order of `meetings`, which has each pair once.

    `entries`: number of all entries of the league, whether they met or not.
    """
    if entries < 2:
        return ()
    enough = -log(claim_error_rate(error_rate, entries))
    found = []
    for one in meetings:
        below = one.matches - one.above - one.tied
        if one.above > below and evidence(one.above, below) >= enough:
            found.append(Claim(one.entry_no, one.opponent_no, one.matches, one.above, one.tied))
        elif below > one.above and evidence(below, one.above) >= enough:
            found.append(Claim(one.opponent_no, one.entry_no, one.matches, below, one.tied))
    return tuple(found)


def circles(found: Sequence[Claim]) -> tuple[tuple[int, ...], ...]:
    """Return circles of claims, in each of which every entry beats the next, and the last the first.

    For every entry that is part of a circle, there is a shortest one with it; shorter circles come first.
    """
    beaten: dict[int, list[int]] = {}
    for claim in found:
        beaten.setdefault(claim.entry_no, []).append(claim.beaten_no)
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
