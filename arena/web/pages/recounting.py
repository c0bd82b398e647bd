"""Rates a selection of matches again within limits, so that nobody can keep the server busy with it."""

import threading
import time
from datetime import datetime

from results.records import LeagueRecord
from results.reports.fit_cache import AnyFit
from results.reports.ranking_table import Rankings
from results.reports.rankings import rankings
from results.reports.selection import Selection
from results.store import Store

LIMIT_S = 3.0
"""Measured: about 4000 matches at tables of four, each of two games. It is looked at every 512 matches."""
WAIT_S = 3.0
"""How long one recount waits for another to end."""
MOST_WAITING = 3
"""More are refused at once: each waits in one of the server's threads, which other pages need."""

_ONE_AT_A_TIME = threading.BoundedSemaphore(1)
_WAITING = threading.BoundedSemaphore(MOST_WAITING)


class TooLarge(Exception):
    """The selection takes longer than readers may ask of the server."""


class Busy(Exception):
    """The server is counting for somebody else."""


def recounted(
    store: Store,
    league: LeagueRecord,
    fit: AnyFit | None,
    selection: Selection,
    since: datetime | None,
    limit_s: float = LIMIT_S,
) -> Rankings:
    """Return the rankings of a selection of matches. Raises TooLarge, Busy, and what `rankings` raises."""
    if selection.is_everything:
        return rankings(store, league, fit, since=since)
    if not _ONE_AT_A_TIME.acquire(blocking=False):
        if not _WAITING.acquire(blocking=False):
            raise Busy
        try:
            if not _ONE_AT_A_TIME.acquire(timeout=WAIT_S):
                raise Busy
        finally:
            _WAITING.release()
    try:
        stop = time.monotonic() + limit_s

        def look(_read: int, _of: int) -> None:
            if time.monotonic() > stop:
                raise TooLarge

        return rankings(store, league, fit, selection=selection, since=since, report=look)
    finally:
        _ONE_AT_A_TIME.release()
