"""The end rule: what ends a league before its schedule is complete, or a run before the league is.

Where a league ends must not depend on how many workers it has. So a rule judges the results of the first e matches,
for fixed numbers e, and what it says binds from match number e + `LAG` on: these are planned only once the first e
results are in. A rule that ends a run instead judges results as they come in, one by one.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

from arena.schedules.base import Finished, Pairing

LAG = 32
"""So many matches after those judged are planned without waiting for the judgement, so that workers have work."""

ENDED = "ended"
"""Kind of the league event by which a rule has ended a league from a match on; its data is `{"why": text}`."""


class EndRule(Protocol):
    """A rule that ends a league early. One object serves one run; as it stands here it never ends anything.

    The matches that are to be planned are shown to it, and results, as many as it is to see.
    """

    why: str = ""
    """Why it is over, in words for people; empty while it goes on."""
    ends_run: bool = False
    """False: the league is over, once what is planned is played, and that is recorded. True: this run is over with the
    games being played; nothing is recorded, and a later run with another rule may go on."""

    def sees(self, planned: int) -> int:
        """Return how many matches it must have taken in before the match of number `planned` may be planned.

        Depends on nothing else; at most `planned`; never falls. It takes in no more than these, so that the same
        results give the same league; a rule that ends the run, which nothing waits for, takes in all there are.
        """
        del planned
        return 0

    def take(self, match: Finished) -> None:
        """Take in the next match, void ones among them: from the first on, in order, without gaps, until it is over."""
        del match

    def within(
        self, pairings: Sequence[Pairing], matches: int, games: int, games_of: Callable[[int], int]
    ) -> Sequence[Pairing]:
        """Return as many of the pairings, from the first on, as may be planned; with none of them it is over.

        `matches` and `games` are planned already; `games_of` tells how many games a match has at a table of
        that size.
        """
        del matches, games, games_of
        return pairings
