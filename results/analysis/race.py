"""Which of several variants is the best, and is it better than the base? A sequential test of all of them at once.

Each deal gives every variant that plays it a result: its mean share less that of the base, −1 to 1. δ is a variant's
expectation, and X the smallest difference that matters.

**Losers are dropped.** A variant is out once the results refute that it is better than the base by X, or that it is
better than the leading variant; after the leader is proven, also that it is better than the leader by X. These bets are
at `DROP_RATE` each. A variant that is dropped by mistake is overlooked; it never makes another one a false winner.

**The winner is proven** at the error rate divided by the number of variants (Bonferroni), by a bet that δ > 0. So all
variants together have a false winner with at most the error rate, however many there are and however often you look.

All bets are those of `sequential_test`. Two variants are compared on the deals that both played, by half of the
difference of their results, which is from −1 to 1 again.

Sources: as there; Holm, "A simple sequentially rejective multiple test procedure" (1979), for dividing an error rate.
"""

import math
from collections.abc import Mapping
from enum import StrEnum
from itertools import combinations

from msgspec import Struct

from results.analysis.sequential_test import LEAST_MATCHES, Question, SequentialTest

DROP_RATE = 0.1
"""How often, at most, a variant that is better than the base by X is dropped."""


class Why(StrEnum):
    """Why a variant is out."""

    NOT_BETTER = "not better than the base by X"
    BEHIND = "behind another variant"
    NOT_BETTER_THAN_BEST = "not better than the best by X"


class Dropped(Struct, frozen=True):
    """A variant that is out."""

    why: Why
    behind: int | None
    """The variant that it was compared with; None: the base."""
    deals: int
    """How many deals the race had then."""


class Race:
    """The results so far of variants, numbered from 1, and what they imply. Pure: the same results give the same."""

    def __init__(self, variants: int, question: Question) -> None:
        """Begin; raise ValueError without variants."""
        if variants < 1:
            raise ValueError("a race needs a variant")
        self.question = question
        self.deals = 0
        self.tests = {one: SequentialTest(question) for one in range(1, variants + 1)}
        """By variant: its results against the base."""
        self.dropped: dict[int, Dropped] = {}
        self.proven: list[int] = []
        """Variants that are better than the base, in the order in which they were proven."""
        self.is_closed = False
        """Whether there are no more deals to wait for."""
        halves = Question(question.difference / 2, question.error_rate)
        self._pairs = {pair: SequentialTest(halves) for pair in combinations(self.tests, 2)}
        """By two variants: half of what the second has more than the first."""
        self._enough = math.log(variants / question.error_rate)
        self._enough_to_drop = -math.log(DROP_RATE)

    @property
    def running(self) -> list[int]:
        """The variants that aren't out."""
        return [one for one in self.tests if one not in self.dropped]

    @property
    def leader(self) -> int:
        """The running variant with the largest mean result, a proven one if there is any; the first of equals."""
        running = [one for one in self.running if one in self.proven] or self.running or list(self.tests)
        return max(running, key=lambda one: (self.tests[one].estimate or 0.0, -one))

    @property
    def open_tests(self) -> list[SequentialTest]:
        """What decides the race: the leader against the base, and against each of the others that run."""
        leader = self.leader
        pairs = ((min(one, leader), max(one, leader)) for one in self.running if one != leader)
        return [self.tests[leader], *(self._pairs[pair] for pair in pairs)]

    @property
    def best(self) -> int | None:
        """The winner: proven to be better than the base, with all others out. None if there is none, or none yet.

        It waits as a better version does in a comparison, unless there are no more deals: see `sequential_test`.
        """
        running = self.running
        if len(running) != 1 or running[0] not in self.proven:
            return None
        leads = self.tests[running[0]].leads(1, self._enough, is_last=self.is_closed)
        return running[0] if leads else None

    @property
    def is_over(self) -> bool:
        """Whether there is an answer: `best`, or that no variant is better than the base by X."""
        return not self.running or self.best is not None

    def add(self, results: Mapping[int, float]) -> None:
        """Add a deal: the result of each variant that played it. Raises ValueError if one isn't from −1 to 1."""
        if self.is_over:
            return
        self.deals += 1
        counted = {one: result for one, result in results.items() if one not in self.dropped}
        for one, result in counted.items():
            self.tests[one].add(result)
        for pair in combinations(sorted(counted), 2):
            self._pairs[pair].add((counted[pair[1]] - counted[pair[0]]) / 2)
        for one in counted:
            test = self.tests[one]
            if test.matches < LEAST_MATCHES:
                continue
            if one not in self.proven and test.is_beyond(0.0, 1, self._enough):
                self.proven.append(one)
            if one not in self.proven and test.is_beyond(self.question.difference, -1, self._enough_to_drop):
                self.dropped[one] = Dropped(Why.NOT_BETTER, None, self.deals)
        if not self.running:
            return
        leader = self.leader
        for one in self.running:
            if one != leader and (why := self._behind(one, leader)) is not None:
                self.dropped[one] = Dropped(why, leader, self.deals)

    def _behind(self, one: int, leader: int) -> Why | None:
        """Return why a variant is out because of the leader; None if it isn't."""
        pair = (min(one, leader), max(one, leader))
        test, side = self._pairs[pair], 1 if one == pair[1] else -1
        if test.matches < LEAST_MATCHES:
            return None
        if test.is_beyond(0.0, -side, self._enough_to_drop):
            return Why.BEHIND
        x = self.question.difference / 2
        if leader in self.proven and test.is_beyond(side * x, -side, self._enough_to_drop):
            return Why.NOT_BETTER_THAN_BEST
        return None
