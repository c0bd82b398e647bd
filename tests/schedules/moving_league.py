"""A ladder in miniature whose entries come and go, with strengths that are known.

`python -m tests.schedules.moving_league` prints the figures of docs/schedules-measured.md: how soon newcomers are
placed, and how long entries wait.
"""

import sys
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import inf
from random import Random
from statistics import mean, median
from types import MappingProxyType
from typing import Any

from arena.schedules import ladder
from arena.schedules.base import Field, Final, Pairing, Summary
from arena.schedules.ladder.turns import BLOCK_MATCHES
from results.ratings import rater
from results.ratings.base import Rating

BETA = 25 / 6
SETTLED_BLOCKS = 10
"""A newcomer is placed once its place has been right at the ends of this many blocks in a row."""


@dataclass(frozen=True)
class Span:
    """A stretch of a league in which the field was the same."""

    first: int
    end: int
    active: tuple[int, ...]


class MovingLeague:
    """It plans what may be planned, sees the results that the ladder asks for, and changes when told."""

    def __init__(
        self,
        strengths: dict[int, float],
        seats: tuple[int, ...] = (2,),
        *,
        seed: int = 1,
        lag: int = 32,
        schedule: Any = ladder.SCHEDULE,
        authors: dict[int, str] | None = None,
    ) -> None:
        """`strengths` are on the scale of the ratings, by entry; these entries are there from the start."""
        self.schedule, self.given, self.seed = schedule, ladder.LadderSettings(lag), seed
        self.strengths, self.seats, self.authors = dict(strengths), seats, authors or {}
        self.active = sorted(strengths)
        self.joined: dict[int, int] = {}
        self.from_match = 0
        self.final: Final | None = None
        self.matches: list[Pairing] = []
        self.spans: list[Span] = []
        self.seen = 0
        self._system = rater("trueskill")
        self.ratings = dict.fromkeys(strengths, self._system.scale.start)
        self._counts: Counter[int] = Counter()
        self._latest: dict[int, int] = {}
        self._pairs: Counter[tuple[int, int]] = Counter()
        self._seated: Counter[tuple[int, int]] = Counter()
        self._unseen: Counter[int] = Counter()
        self._in_final: Counter[int] = Counter()
        self._later: deque[tuple[int, ...]] = deque()
        self.places: list[tuple[int, tuple[int, ...]]] = []
        """At the end of each block: the number of matches, and the active entries by μ, lowest first."""

    @property
    def field(self) -> Field:
        """The field of the next match."""
        return Field(
            tuple(self.active),
            self.seats,
            {entry: self.authors[entry] for entry in self.active if entry in self.authors},
            from_match=self.from_match,
            from_round=self.from_match // BLOCK_MATCHES,
            joined={entry: at for entry, at in self.joined.items() if entry in self.active},
            final=self.final,
        )

    def summary(self) -> Summary:
        """Return what the ladder may know now."""
        return Summary(
            planned=len(self.matches),
            seen=self.seen,
            matches=MappingProxyType(self._counts),
            unseen=MappingProxyType(self._unseen),
            pairs=MappingProxyType(self._pairs),
            seated=MappingProxyType(self._seated),
            ratings=MappingProxyType(self.ratings),
            latest=MappingProxyType(self._latest),
            in_final=MappingProxyType(self._in_final),
        )

    def season(self, matches: int, sigma: float) -> None:
        """Make as if every entry had played that many matches: its rating is right within about `sigma`."""
        chance = Random(f"season/{self.seed}")
        for place, entry in enumerate(self.active):
            self._counts[entry] = matches
            self._latest[entry] = -1 - place % len(self.active)
            self.ratings[entry] = Rating(self.strengths[entry] + chance.gauss(0, sigma), sigma)
        for pair in combinations(self.active, 2):
            self._pairs[pair] = matches // len(self.active)

    def join(self, entry: int, strength: float | None = None, rating: Rating | None = None) -> None:
        """Let an entry in: a new one with its strength, or a paused one again."""
        if strength is not None:
            self.strengths[entry] = strength
            self.ratings[entry] = rating or self._system.scale.start
        self.joined[entry] = len(self.matches)
        self.active = sorted([*self.active, entry])
        self.from_match = len(self.matches)

    def leave(self, *entries: int) -> None:
        """Let entries leave, for good or for a while."""
        self.active = [entry for entry in self.active if entry not in entries]
        self.from_match = len(self.matches)

    def begin_final(self, matches: int) -> None:
        """Begin a final in which every entry plays at least that many matches."""
        self.final = Final(len(self.matches), matches)
        self.from_match = len(self.matches)

    def play(self, matches: int, keep: int = BLOCK_MATCHES) -> bool:
        """Plan up to that many matches more, keeping `keep` of each block; return False if the ladder ends before."""
        end = len(self.matches) + matches
        while len(self.matches) < end:
            first = len(self.matches)
            self._see(self.schedule.sees(self.field, self.given, first))
            more = self.schedule.next_matches(self.field, self.given, self.summary())
            if more is None:
                return False
            for pairing in more[: min(keep, end - first)]:
                self._count(pairing)
            self.spans.append(Span(first, len(self.matches), tuple(self.active)))
            order = sorted(self.active, key=lambda entry: self.ratings[entry].mu)
            self.places.append((len(self.matches), tuple(order)))
        return True

    def _see(self, sees: int) -> None:
        while self.seen < sees:
            table = self._later.popleft()
            chance = Random(f"{self.seed}/{self.seen}")
            played = [self.strengths[entry] + chance.gauss(0, BETA) for entry in table]
            ranks = [1 + sum(other > own for other in played) for own in played]
            new = self._system.rate([self.ratings[entry] for entry in table], ranks)
            self.ratings.update(zip(table, new, strict=True))
            self._unseen.subtract(table)
            self.seen += 1

    def _count(self, pairing: Pairing) -> None:
        table = pairing.entries
        self._latest.update(dict.fromkeys(table, len(self.matches)))
        self.matches.append(pairing)
        self._later.append(table)
        self._counts.update(table)
        self._unseen.update(table)
        self._pairs.update(combinations(sorted(table), 2))
        self._seated.update((entry, len(table)) for entry in table)
        if self.final:
            self._in_final.update(table)

    def counts(self, first: int = 0, end: int | None = None) -> Counter[int]:
        """Return how many of the matches `first` to `end` each entry has played."""
        return Counter(entry for match in self.matches[first:end] for entry in match.entries)

    def placed_after(self, entry: int, within: int = 2) -> int | None:
        """Return how many matches of the league it took until an entry's place was right, and stayed so for a while."""
        joined, run, began = self.joined[entry], 0, 0
        for played, order in self.places:
            if played <= joined or entry not in order:
                run = 0
                continue
            true = sorted(order, key=lambda other: self.strengths[other])
            if abs(order.index(entry) - true.index(entry)) > within:
                run = 0
                continue
            began = began if run else played
            run += 1
            if run == SETTLED_BLOCKS:
                return began - joined
        return None

    def longest_wait(self) -> float:
        """Return the longest that any entry waited for a match, in mean intervals.

        If the field changed meanwhile, in the longest of these intervals.
        """
        longest = 0.0
        waits: dict[int, tuple[int, float]] = {}
        for span in self.spans:
            interval = len(span.active) * len(self.seats) / sum(self.seats)
            waits = {entry: waits.get(entry, (0, 0.0)) for entry in span.active}
            for match in self.matches[span.first : span.end]:
                for entry, (wait, most) in waits.items():
                    waits[entry] = (0, 0.0) if entry in match.entries else (wait + 1, max(most, interval))
                longest = max([longest, *(wait / most for wait, most in waits.values() if wait)])
        return longest

    def least_share(self, intervals: float = 10) -> float:
        """Return the smallest share of an entry in a window of so many mean intervals in which it was active.

        1 is the mean share.
        """
        deserved: list[dict[int, float]] = []
        for span in self.spans:
            each = sum(self.seats) / len(self.seats) / len(span.active)
            deserved += [dict.fromkeys(span.active, each)] * (span.end - span.first)
        least = 1.0
        for entry in self.strengths:
            window: deque[tuple[float, int]] = deque()
            due, got = 0.0, 0
            for match, of in zip(self.matches, deserved, strict=True):
                if entry not in of:
                    window.clear()
                    due, got = 0.0, 0
                    continue
                window.append((of[entry], int(entry in match.entries)))
                due, got = due + window[-1][0], got + window[-1][1]
                while due - window[0][0] >= intervals:
                    one, played = window.popleft()
                    due, got = due - one, got - played
                if due >= intervals:
                    least = min(least, got / due)
        return least

    def share_of(self, entries: Iterable[int], first: int, end: int) -> float:
        """Return the fraction of the tables from one match to another at which one of the entries sat."""
        wanted = set(entries)
        return mean(not wanted.isdisjoint(match.entries) for match in self.matches[first:end])


def evenly(entries: Sequence[int], gap: float = BETA / 4) -> dict[int, float]:
    """Return strengths that are evenly spaced, in a mixed order of numbers."""
    order = list(range(len(entries)))
    Random(len(entries)).shuffle(order)
    return {entry: 25 + gap * (place - len(entries) / 2) for entry, place in zip(entries, order, strict=True)}


def arrivals(league: MovingLeague, every: int, newcomers: int, replacing: bool = False) -> list[int]:
    """Let newcomers join at intervals, while some entries retire or pause; return the newcomers."""
    chance = Random(f"arrivals/{league.seed}")
    strengths = sorted(league.strengths.values())
    first, paused = max(league.strengths) + 1, deque[int]()
    new = list(range(first, first + newcomers))
    for number, entry in enumerate(new):
        rating = None
        if replacing:
            old = chance.choice([other for other in league.active if other < first])
            rating = Rating(league.ratings[old].mu, (league.ratings[old].sigma ** 2 + BETA**2) ** 0.5)
            strength = league.strengths[old] + chance.gauss(0, BETA / 4)
            league.leave(old)
        else:
            strength = chance.uniform(strengths[0], strengths[-1])
        league.join(entry, strength, rating)
        league.play(every // 2)
        if number % 4 == 1 and not replacing:
            league.leave(min(league.active))
        elif number % 4 == 3:
            paused.append(league.active[number % len(league.active)])
            league.leave(paused[-1])
        if number % 8 == 7:
            league.join(paused.popleft())
        league.play(every - every // 2)
    return new


def figures(
    seats: int, schedule: Any = ladder.SCHEDULE, leagues: int = 4, played: int = 500
) -> Iterator[str]:
    """Yield lines about leagues of 20 entries, with 500 matches each, which 20 others join at intervals."""
    for what, every, replacing in (
        ("one every 400 matches", 400, False),
        ("one every 40 matches", 40, False),
        ("twenty at once", 0, False),
        ("new versions, one every 400 matches", 400, True),
    ):
        took: list[float] = []
        waits, shares, tables = [], [], []
        for seed in range(leagues):
            league = MovingLeague(evenly(range(20)), (seats,), seed=seed, schedule=schedule)
            league.season(played, BETA * (3 / played) ** 0.5)
            new = arrivals(league, every, 20, replacing)
            league.play(1200)
            took += [league.placed_after(entry) or inf for entry in new]
            waits.append(league.longest_wait())
            shares.append(league.least_share())
            tables.append(league.share_of(new, 0, 400))
        took.sort()
        yield (
            f"tables of {seats}, {what}: placed after {median(took):.0f} matches, nine in ten after "
            f"{took[len(took) * 9 // 10]:.0f}; longest wait {max(waits):.1f}, least share {min(shares):.2f}; at "
            f"{mean(tables):.0%} of the first 400 tables"
        )


if __name__ == "__main__":
    for size in (2, 4):
        for line in figures(size):
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()
