"""Ends a league before its schedule is complete, because the order of its entries is certain."""

from collections.abc import Mapping, Sequence

from arena.config.league_file import StopTable
from arena.league.stopping.base import LAG, EndRule
from arena.schedules.base import Finished
from results.analysis.ordering import Order, Sureness

POINT_MATCHES = 16
"""The rule checks the order after every this many matches."""


class Settled(EndRule):
    """Ends a league once its order is settled."""

    def __init__(self, table: StopTable, entries: Sequence[int], labels: Mapping[int, str]) -> None:
        """Begin; `labels`, by entry number, are for the message."""
        self._table = table
        self._labels = labels
        self._sureness = Sureness(entries, table.error_rate, top=table.top, indifference=table.indifference)
        self._taken = 0

    def sees(self, planned: int) -> int:
        """Return the last multiple of `POINT_MATCHES` that lies at least `LAG` matches back."""
        return max(0, planned - LAG) // POINT_MATCHES * POINT_MATCHES

    def take(self, match: Finished) -> None:
        """Count a match; at every multiple of `POINT_MATCHES`, check whether the order is settled."""
        if match.shares is not None:
            self._sureness.add(match.entries, match.shares, match.games)
        self._taken += 1
        if self._taken % POINT_MATCHES == 0 and (order := self._sureness.order()) is not None:
            self.why = self._words(order)

    def _words(self, order: Order) -> str:
        what = "the whole order is" if self._table.top is None else f"the top {self._table.top} are"
        names = ", ".join(self._labels.get(entry, f"#{entry}") for entry in order.entries)
        words = f"{what} settled at an error rate of {self._table.error_rate:g}: {names}"
        if order.level:
            pairs = "; ".join(
                " and ".join(self._labels.get(entry, f"#{entry}") for entry in pair) for pair in order.level
            )
            words += f"; closer than {self._table.indifference:g} in mean share, and not told apart: {pairs}"
        return words
