"""Ends of a league before its schedule is complete: a rule that judges at fixed match numbers.

Where a league ends must not depend on how many workers it has. So a rule judges
the results of the first e matches, for fixed numbers e, and what it says binds
from match number e + `LAG` on: these are planned only once the first e results
are in.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from arena.config.league_file import LeagueFile
from arena.league.setting import Setting
from arena.league.settling import Settling
from arena.schedules.base import Finished

LAG = 32
"""So many matches after an evaluation point are planned without waiting for it, so that workers have work."""

ENDED = "ended"
"""Kind of the league event by which a rule has ended a league from a match on; its data is `{"why": text}`."""


class Ending(Protocol):
    """A rule that ends a league early. One object judges one run of a league, point by point in order."""

    def next_point(self, after: int) -> int:
        """Return the first evaluation point above `after`: a number of matches. Depends on nothing else."""

    def judge(self, results: Sequence[Finished]) -> str:
        """Take in the matches between the point before (at first 0) and this one, in order, void ones among them.

        Return why the league is over, in words for people; empty: it goes on. Depends on these results and on
        those taken in before alone.
        """


def ending_of(file: LeagueFile, setting: Setting, labels: Mapping[int, str]) -> Ending | None:
    """Return the rule by which a league of that file ends early, or None where it has none.

    `labels`, by entry number, are for the words in which the rule says why. A budget is no such rule: it needs
    no results.
    """
    return Settling(file.stop, setting.field.entries, labels) if file.stop.until == "settled" else None
