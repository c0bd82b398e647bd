"""End rules: they end a league before its schedule is complete, or a run before its league is complete.

The end of a league must not depend on its number of workers. So a rule judges the results of the first e matches, for
fixed numbers e, and its decision applies from match number e + `stop.ahead` on: those matches are planned only once
the first e results are in. A rule that ends a run instead judges results one by one as they come in.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

from arena.config.league_file import StopTable
from arena.schedules.base import Finished, Pairing

LAG = StopTable().ahead
"""Number of matches planned ahead of the judged ones, so that workers don't wait, unless the league sets another."""


class EndRule(Protocol):
    """A rule that ends a league early. Use one object per run. This base class never ends anything.

    It gets the matches to be planned, and as many results as `sees` allows.
    """

    why: str = ""
    """Why it is over, in words for people; empty while it goes on."""
    by: str = ""
    """Which rule it is, if reports tell leagues that it has ended: `SETTLED`."""
    ends_run: bool = False
    """False: the league ends once all planned matches are played, and the ledger records it. True: this run ends after
    the games being played; nothing is recorded, and a later run with another rule may continue."""

    def sees(self, planned: int) -> int:
        """Return how many results the rule must have before the match with number `planned` may be planned.

        The number depends on `planned` alone, is at most `planned`, and never falls. The rule gets no more results
        than that, so that the same results give the same league. A rule that ends the run gets all results, because
        no match waits for it.
        """
        del planned
        return 0

    def take(self, match: Finished) -> None:
        """Judge the next match. Matches come in order, without gaps, including void ones, until the rule ends it."""
        del match

    def within(
        self, pairings: Sequence[Pairing], matches: int, games: int, games_of: Callable[[int], int]
    ) -> Sequence[Pairing]:
        """Return the first pairings, as many as may be planned; if it returns none, the league is over.

        `matches` and `games` are planned already; `games_of` returns how many games a match has at a table of
        that size.
        """
        del matches, games, games_of
        return pairings
