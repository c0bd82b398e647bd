"""Rates a selection of matches again within limits, so that nobody can keep the server busy with it."""

import time
from datetime import datetime

from arena.web.page_threads import takes_long
from results.records import LeagueRecord
from results.reports.fits import CachedFit
from results.reports.ranking_table import Rankings
from results.reports.rankings import rankings
from results.reports.selection import EVERY_MATCH, Selection
from results.store import Store

LIMIT_S = 3.0
"""Measured: about 4000 matches at tables of four, each of two games. It is looked at every 512 matches."""


class TooLarge(Exception):
    """The selection takes longer than readers may ask of the server."""


def recounted(
    store: Store,
    league: LeagueRecord,
    fit: CachedFit | None,
    selection: Selection,
    since: datetime | None,
    limit_s: float = LIMIT_S,
) -> Rankings:
    """Return the rankings of a selection of matches. Raises TooLarge, TakesLong, and what `rankings` raises."""
    if selection.is_everything:
        return rankings(store, league, fit, since=since)
    takes_long("counting all matches" if selection is EVERY_MATCH else "rating chosen matches")
    stop = time.monotonic() + limit_s

    def look(_read: int, _of: int) -> None:
        if time.monotonic() > stop:
            raise TooLarge

    return rankings(store, league, fit, selection=selection, since=since, report=look)
