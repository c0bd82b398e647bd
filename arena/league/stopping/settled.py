"""Ends a league before its schedule is complete, because the order of its entries is certain."""

from collections.abc import Callable, Mapping, Sequence

from arena.config.league_file import StopTable
from arena.league.stopping.judge import EndRule
from arena.schedules.base import Finished
from results.analysis.ordering import Order, Sureness
from results.records import LeagueEvent
from results.records.roster import SETTLED, arrivals, roster_at

POINT_MATCHES = 16
"""The rule checks the order after every this many matches."""


def no_events(first: int) -> Sequence[LeagueEvent]:
    """Return the events of a league whose field never changes."""
    del first
    return ()


class Settled(EndRule):
    """Ends a league once its order is settled: the order of the entries that play then.

    After e matches, these are the entries of match e + `stop.ahead` − 1. That match is planned by then, so all events
    up to it are known, in the run in which they happen and in every repetition.
    """

    by = SETTLED

    def __init__(
        self,
        table: StopTable,
        entries: Sequence[int],
        labels: Callable[[], Mapping[int, str]],
        events: Callable[[int], Sequence[LeagueEvent]] = no_events,
        *,
        benched_play: bool = True,
    ) -> None:
        """Begin. `entries`: the league's, also those that have left; with or without those that joined later.

        `labels` returns the names for the message, by entry number; `events` the league's events so far
        from a number on, in order.
        `benched_play`: the schedule has matches for benched entries, which forfeit them.
        """
        self._table = table
        self._labels = labels
        self._events = events
        self._benched_play = benched_play
        self._joined: set[int] = set()
        self._known = list(events(0))
        later = arrivals(self._known)
        self._sureness = Sureness(
            (entry for entry in entries if entry not in later),
            table.error_rate,
            top=table.top,
            indifference=table.indifference,
            reserve=table.arrivals,
        )
        self._initial = frozenset(entries) - later.keys()
        self._field: frozenset[int] | None = None
        self._taken = 0

    def sees(self, planned: int) -> int:
        """Return the last multiple of `POINT_MATCHES` that lies at least `stop.ahead` matches back."""
        return max(0, planned - self._table.ahead) // POINT_MATCHES * POINT_MATCHES

    def take(self, match: Finished) -> None:
        """Count a match; at every multiple of `POINT_MATCHES`, check whether the order is settled."""
        if self._field is None:
            self._field = self._field_after(0)
        if match.shares is not None and match.rated:
            self._sureness.add(match.entries, match.shares, match.games)
        self._taken += 1
        if self._taken % POINT_MATCHES == 0:
            self._field = self._field_after(self._taken)
            if (order := self._sureness.order(self._field)) is not None:
                self.why = self._words(order)

    def _field_after(self, matches: int) -> frozenset[int]:
        """Return the entries that are to be ordered after so many matches; let those join that are new."""
        self._known += self._events(len(self._known))  # they are only ever added, and there may be thousands
        events, last = self._known, matches + self._table.ahead - 1
        for entry, match_no in arrivals(events).items():
            if match_no <= last and entry not in self._joined:
                self._joined.add(entry)
                self._sureness.join(entry)
        roster = roster_at(events, last)
        gone = () if self._benched_play else roster.benched
        return frozenset(
            entry for entry in self._initial | self._joined if roster.plays(entry) and entry not in gone
        )

    def _words(self, order: Order) -> str:
        what = "the whole order is" if self._table.top is None else f"the top {self._table.top} are"
        labels = self._labels()
        names = ", ".join(labels.get(entry, f"#{entry}") for entry in order.entries)
        words = f"{what} settled at an error rate of {self._table.error_rate:g}: {names}"
        if order.level:
            pairs = "; ".join(
                " and ".join(labels.get(entry, f"#{entry}") for entry in pair) for pair in order.level
            )
            words += f"; closer than {self._table.indifference:g} in mean share, and not told apart: {pairs}"
        return words
