"""What ends a comparison or a race: a question that has its answer; variants that are ruled out leave before."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from itertools import groupby
from math import fsum

from arena.league.comparison_plans import NEW, OLD
from arena.league.end_rules import EndRule
from arena.league.tune import lead
from arena.schedules.base import Finished, Pairing
from results.analysis.race import Race
from results.analysis.sequential_test import Answer, Question, SequentialTest


class Answered(EndRule):
    """Ends a run once a question about OLD and NEW has its answer, or after a number of matches without one."""

    ends_run = True

    def __init__(self, question: Question, most_matches: int | None = None, *, alone: bool = False) -> None:
        """Begin; judge `most_matches` at most, including void ones. `alone`: each version plays a deal by itself."""
        self.test = SequentialTest(question)
        self._alone = alone
        self._scores: dict[int, float] = {}
        """By version: its score on the latest deal."""
        self._round_no = 0
        self.answer: Answer | None = None
        self.judged = 0
        """Number of matches judged, including void ones: those with lower numbers than this."""
        self._most_matches = most_matches

    def take(self, match: Finished) -> None:
        """Judge the next match."""
        self.judged += 1
        if match.round_no != self._round_no:
            self._scores.clear()
            self._round_no = match.round_no
        if self._alone and match.scores is not None:
            self._scores[match.entries[0]] = match.scores[0]
            if len(self._scores) == 2:
                self.test.add(ahead(self._scores))
        elif match.shares is not None:
            self.test.add(lead(match.entries, match.shares, match.games, NEW, OLD))
        self.answer = self.test.answer(is_last=self.judged == self._most_matches)
        if self.answer is not None:
            self.why = f"the answer is {self.answer}"
        elif self.judged == self._most_matches:
            self.why = "the budget is spent"


def ahead(scores: Mapping[int, float], new: int = NEW) -> float:
    """Return 1 if NEW has the higher score on a deal that each plays alone, −1 if OLD has, 0 if they are equal."""
    return float((scores[new] > scores[OLD]) - (scores[new] < scores[OLD]))


class RaceAnswer(StrEnum):
    """The possible answers of a race."""

    BEST = "best"
    NONE_BETTER = "none better"


BATCH_MATCHES = 16
"""Largest batch of matches: what is still being played when the answer comes is wasted."""
BATCH_ROUNDS = 8
"""The same of a race, in rounds of all variants: in a batch, bots start anew for each table of a round, not of a deal.

So many are planned at a time, and so many ahead of the results by which variants leave."""


class Racing(EndRule):
    """Lets variants leave that the results rule out, and ends a run once the race is over."""

    ends_run = True

    def __init__(
        self, question: Question, variants: int, seats: int, budget_games: int | None = None
    ) -> None:
        """Begin; plan rounds as long as they are within the budget."""
        self.race = Race(variants, question)
        self.answer: RaceAnswer | None = None
        self.judged = 0
        """Number of matches judged, including void ones: those with lower numbers than this."""
        self._seats = seats
        a_round = variants + 1 if seats == 1 else max(1, variants // (seats - 1))
        self.batch_matches = max(BATCH_MATCHES, BATCH_ROUNDS * a_round)
        self._scores: dict[int, float] = {}
        """Where each plays alone: the scores on the deal of the latest round."""
        self._budget_games = budget_games
        self._round_no = 0
        self._on_deal: dict[int, list[float]] = {}
        """By variant: its results on the deal of the latest round."""
        self._left: list[tuple[int, int]] = []
        """Variants that are out, each after how many matches."""

    def sees(self, planned: int) -> int:
        """Return how many results decide who has left before match `planned`."""
        return max(0, planned - self.batch_matches)

    def take(self, match: Finished) -> None:
        """Judge the next match; a round counts once it is over."""
        if match.round_no != self._round_no:
            self._end_round()
            self._round_no = match.round_no
        self.judged += 1
        if self._seats == 1 and match.scores is not None:
            self._scores[match.entries[0]] = match.scores[0]
        for entry in match.entries if self._seats > 1 else ():
            if entry != OLD and match.shares is not None:
                result = lead(match.entries, match.shares, match.games, entry, OLD)
                self._on_deal.setdefault(entry, []).append(result)

    def leaving(self, planned: int) -> list[int]:
        """Return the variants that are out by then; as many stay as fill a table."""
        most = len(self.race.tests) - max(1, self._seats - 1)
        return [entry for after, entry in self._left if after <= self.sees(planned)][:most]

    def within(
        self, pairings: Sequence[Pairing], matches: int, games: int, games_of: Callable[[int], int]
    ) -> Sequence[Pairing]:
        """Return the next rounds, in which nobody leaves; none beyond the budget."""
        del matches
        allowed: list[Pairing] = []
        for _, tables in groupby(pairings, key=lambda one: one.round_no):
            a_round = list(tables)
            games += sum(games_of(len(one.entries)) for one in a_round)
            is_enough = allowed and len(allowed) + len(a_round) > self.batch_matches
            if is_enough or (self._budget_games is not None and games > self._budget_games):
                break
            allowed += a_round
        return allowed

    def _end_round(self) -> None:
        known = len(self.race.dropped)
        if OLD in self._scores:
            self._on_deal = {entry: [ahead(self._scores, entry)] for entry in self._scores if entry != OLD}
        self._scores.clear()
        self.race.add({entry: fsum(results) / len(results) for entry, results in self._on_deal.items()})
        self._on_deal.clear()
        # It is the next match that shows that the round is over.
        self._left += [(self.judged + 1, entry) for entry in [*self.race.dropped][known:]]
        self._answer()

    def close(self) -> None:
        """Answer as far as possible with the last round, once the budget or the suite is spent and all is played."""
        if self.answer is None:
            self.race.is_closed = True
            self._end_round()

    def _answer(self) -> None:
        if self.race.is_over:
            self.answer = RaceAnswer.BEST if self.race.best else RaceAnswer.NONE_BETTER
            self.why = f"the answer is {self.answer}"
