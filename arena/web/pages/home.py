"""The home page: all leagues, and what is being played."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from weakref import WeakKeyDictionary

from msgspec import structs

from arena.web.html.page import Page
from results.base.runner_notes import GameInPlay
from results.records import LeagueRecord
from results.records.query_rows import Standing
from results.records.roster import Roster
from results.reports.history import places
from results.reports.leagues import LeagueRow, league_row
from results.reports.rankings import deciding_strengths, least_matches_of
from results.reports.states import FieldStates, state_of_league
from results.store import Store
from results.store.activity import LeagueActivity
from results.store.store_folder import runner_of

LEADERS = 3
MOST_PLAYING = 3
"""Games that are named with each league."""
_ORDER: Mapping[str | None, int] = {
    "running": 0,
    "resting": 1,
    "waiting": 1,
    "interrupted": 1,
    "paused": 1,
    "stopped": 2,
    "created": 3,
    "finished": 4,
    None: 5,
}
"""What is played comes first, single games last."""


class Leader(NamedTuple):
    """One of the first bots of a league."""

    rank: int
    label: str
    rating: float


class Card(NamedTuple):
    """What the home page shows of a league."""

    row: LeagueRow
    planned: int
    """Matches, finished or not."""
    leaders: Sequence[Leader]
    decimals: int
    playing: Sequence[GameInPlay]
    more_playing: int
    """Games that are being played besides these."""


class _Kept(NamedTuple):
    """What is known of a league, until something happens in it."""

    activity: LeagueActivity
    row: LeagueRow
    roster: Roster
    leaders: Sequence[Leader]
    decimals: int


@dataclass(slots=True)
class _Memory:
    """What open stores have shown: reading the standings of every league for every reader would take long."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    of_store: "WeakKeyDictionary[Store, dict[str, _Kept]]" = field(default_factory=WeakKeyDictionary)

    def known(self, store: Store) -> dict[str, _Kept]:
        """Return what is known of a store's leagues, by uuid. A store is used by one thread at a time."""
        with self.lock:
            return self.of_store.setdefault(store, {})


_MEMORY = _Memory()


def home(store: Store) -> Page:
    """Return the home page."""
    runner = runner_of(store.path)
    notes = runner.notes if runner.is_running else None
    playing: dict[str, list[GameInPlay]] = {}
    for game in notes.playing if notes else ():
        playing.setdefault(game.league, []).append(game)
    leagues = _kept(store)
    cards = []
    for kept in reversed(leagues):
        state = state_of_league(store, kept.activity, kept.roster, runner).state
        row = structs.replace(kept.row, state=state)
        cards.append(
            _card(row, kept.activity.matches_planned, playing.get(row.name, ()), kept.leaders, kept.decimals)
        )
    for uuid in set(store.leagues.uuids()) - {kept.activity.uuid for kept in leagues}:  # of single games
        row = league_row(store, store.leagues.get(uuid))
        cards.append(_card(row, row.matches, playing.get(row.name, ())))
    cards.sort(key=lambda card: (not card.playing, _ORDER[card.row.state]))
    return Page((), "Leagues", "home.html", {"cards": cards}, polls_s=10)


def _kept(store: Store) -> list[_Kept]:
    """Return what is known of all leagues, the oldest first; only those in which something has happened are read."""
    known = _MEMORY.known(store)
    activities = store.activity.now().leagues
    for uuid in known.keys() - {one.uuid for one in activities}:
        del known[uuid]
    for activity in activities:
        before = known.get(activity.uuid)
        if before is None or before.activity != activity:
            league = store.leagues.get(activity.uuid)
            known[activity.uuid] = _Kept(
                activity,
                league_row(store, league),
                store.entries.roster(league.uuid),
                _leaders(store, league),
                league.scale.decimals,
            )
    return [known[one.uuid] for one in activities]


def _card(
    row: LeagueRow,
    planned: int,
    playing: Sequence[GameInPlay],
    leaders: Sequence[Leader] = (),
    decimals: int = 0,
) -> Card:
    return Card(
        row=row,
        planned=planned,
        leaders=leaders,
        decimals=decimals,
        playing=playing[:MOST_PLAYING],
        more_playing=max(0, len(playing) - MOST_PLAYING),
    )


def _leaders(store: Store, league: LeagueRecord) -> list[Leader]:
    standings = store.ratings.standings(league.uuid)
    if not any(row.matches for row in standings):
        return []
    states = FieldStates(store, league, standings)
    able: list[Standing] = [
        row for row in standings if states.is_shown(row.entry_no) and states.of(row.entry_no).is_ranked
    ]
    order = deciding_strengths(store, league)
    found = places(able, least_matches_of(league, standings), order)
    return [
        Leader(found[row.entry_no].rank, row.label, row.mu)
        for row in sorted(
            (row for row in able if row.entry_no in found), key=lambda row: found[row.entry_no].rank
        )[:LEADERS]
    ]
