"""How a league ends before its schedule is complete because the order of its entries is sure."""

from collections.abc import Mapping, Sequence

from arena.config.league_file import StopTable
from arena.core.errors import UsageError
from arena.schedules.base import Finished
from results.analysis.ordering import Order, Sureness

POINT_MATCHES = 16
"""Whether the order is settled is judged after every so many matches."""


def check(table: StopTable, entries: int, *, endless: bool) -> None:
    """Raise UsageError for a `[stop]` table that makes no sense for so many entries.

    `endless`: the schedule has no end of its own.
    """
    if table.until is None:
        for key in ("top", "indifference"):
            if getattr(table, key) != getattr(StopTable(), key):
                raise UsageError(
                    f"stop.{key}: it says what is to be settled, but the league does not wait for that",
                    'add until = "settled" to [stop]',
                )
        return
    if table.top is not None and table.top > entries:
        raise UsageError(f"stop.top: the top {table.top} of {entries} bots")
    if entries < 2:
        raise UsageError("stop.until: one bot alone has no order to be settled")
    if endless and table.matches is None and table.games is None and table.minutes is None:
        raise UsageError(
            "stop: the order of equals is never settled, and the schedule has no end",
            "add a budget to [stop]: matches, games or minutes",
        )


class Settling:
    """Ends a league once its order is settled. An `Ending`."""

    def __init__(self, table: StopTable, entries: Sequence[int], labels: Mapping[int, str]) -> None:
        """Begin; `labels`, by entry number, are for the words."""
        self._table = table
        self._labels = labels
        self._sureness = Sureness(entries, table.error_rate, top=table.top, indifference=table.indifference)

    def next_point(self, after: int) -> int:
        """Return the next multiple of `POINT_MATCHES`."""
        return after - after % POINT_MATCHES + POINT_MATCHES

    def judge(self, results: Sequence[Finished]) -> str:
        """Take the results in; return the order in words where it is settled, else nothing."""
        for match in results:
            if match.shares is not None:
                self._sureness.add(match.entries, match.shares, match.games)
        order = self._sureness.order()
        return "" if order is None else self._told(order)

    def _told(self, order: Order) -> str:
        what = "the whole order is" if self._table.top is None else f"the top {self._table.top} are"
        names = ", ".join(self._labels.get(entry, f"#{entry}") for entry in order.entries)
        told = f"{what} settled at an error rate of {self._table.error_rate:g}: {names}"
        if order.level:
            pairs = "; ".join(
                " and ".join(self._labels.get(entry, f"#{entry}") for entry in pair) for pair in order.level
            )
            told += f"; closer than {self._table.indifference:g} in mean share, and not told apart: {pairs}"
        return told
