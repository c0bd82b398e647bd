"""Ends a comparison's run when it has an answer, or has spent its budget."""

from collections.abc import Sequence

from arena.league.stopping.judge import EndRule
from arena.schedules.base import Finished
from results.analysis.comparison import Answer, Question, SequentialTest
from results.base.scoring import UNIT

OLD, NEW = 0, 1
"""Entry numbers of the two versions to compare; the others at the table follow."""


class Answered(EndRule):
    """Ends a run once a question about OLD and NEW has its answer, or after a number of matches without one."""

    ends_run = True

    def __init__(self, question: Question, most_matches: int | None = None) -> None:
        """Begin; judge `most_matches` at most, including void ones."""
        self.test = SequentialTest(question)
        self.answer: Answer | None = None
        self.judged = 0
        """Number of matches judged, including void ones: those with lower numbers than this."""
        self._most_matches = most_matches

    def take(self, match: Finished) -> None:
        """Judge the next match."""
        self.judged += 1
        if match.shares is not None:
            self.test.add(difference(match.entries, match.shares, match.games))
            self.answer = self.test.answer()
        if self.answer is not None:
            self.why = f"the answer is {self.answer}"
        elif self.judged == self._most_matches:
            self.why = "the budget is spent"


def difference(entries: Sequence[int], shares: Sequence[int], games: int) -> float:
    """Return NEW's mean share of a match's games minus OLD's, −1 to 1; `shares` are sums in 1 / `scoring.UNIT`."""
    by_entry = dict(zip(entries, shares, strict=True))
    return (by_entry[NEW] - by_entry[OLD]) / (UNIT * games)
