"""What is being played in a league now."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from arena.web.html.page import Page
from arena.web.pages.league_tabs import league_named, path_of, tabs
from results.records import LeagueRecord
from results.records.query_rows import Standing, ranked
from results.reports.history import places
from results.reports.matches import labels_of
from results.reports.rankings import least_matches_of
from results.reports.status import StatusReader
from results.reports.status_rows import PlayingRow, StatusRow
from results.store import Store, runner_of

MOST_STANDINGS = 40
MOST_GAMES = 8
KEPT_S = 1.0
"""For how long the page is served to others: it also shows the runner's notes, which aren't in the store."""


@dataclass(slots=True)
class _Readers:
    """Readers of the status of leagues, which remember what can't have changed; each is of one open store."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    of_store: "WeakKeyDictionary[Store, dict[str, StatusReader]]" = field(default_factory=WeakKeyDictionary)

    def get(self, store: Store, league: str) -> StatusReader:
        """Return the reader of a league."""
        with self.lock:
            readers = self.of_store.setdefault(store, {})
            if league not in readers:
                readers[league] = StatusReader(store, league)
            return readers[league]


_READERS = _Readers()


def live(store: Store, name: str) -> Page:
    """Return what is being played in a league. Raises NoPage."""
    league = league_named(store, name)
    status = _READERS.get(store, league.uuid).read(runner_of(store.path), (), 0)
    row = next((one for one in status.leagues if one.name == league.name), None)
    found = store.ratings.standings(league.uuid)
    labels = {one.entry_no: one.label for one in found} if league.rated else labels_of(store, league)
    standings = _standings(league, found)
    latest = store.games.all(league.uuid, newest_first=True, limit=MOST_GAMES)
    return Page(
        path_of(league, "live"),
        f"{league.name}, live",
        "live.html",
        {
            "league": league,
            "row": row,
            "runner": status.runner,
            "workers": _workers(status),
            "standings": standings[:MOST_STANDINGS],
            "more": max(0, len(standings) - MOST_STANDINGS),
            "games": [(game, [(labels[seat.entry_no], seat) for seat in game.seats]) for game in latest],
            "at": status.at,
        },
        tabs=tabs(league),
        polls_s=2,
        scripts=("standings.js",),
    )


def _standings(league: LeagueRecord, rows: Sequence[Standing]) -> list[tuple[int | None, Standing]]:
    """Return the bots that play, with their ranks, as on the ladder but without what takes longer to find out."""
    playing = [row for row in rows if not row.retired]
    playing = [row for row in playing if row.matches] or playing  # newcomers come with their first match
    least = least_matches_of(league, rows)
    ranks = places(playing, least)
    ordered = ranked(playing, max(1, least))
    return [(ranks[row.entry_no].rank if row.entry_no in ranks else None, row) for row in ordered]


def _workers(status: StatusRow) -> list[PlayingRow | None]:
    """Return the game of each worker by its number; None for one that is between two games."""
    playing = {game.worker: game for game in reversed(status.playing)}
    return [playing.get(worker) for worker in range(max(playing, default=-1) + 1)]
