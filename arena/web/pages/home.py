"""The home page, with all leagues, what is being played in one of them now, and the queue."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

from msgspec import structs

from arena.web.html.page_model import Page
from arena.web.html.paging import listed
from arena.web.pages import home_top, league_named, path_of, some, tabs
from arena.web.pages.league_format import format_of, latest_results, leaders, ordered_by
from results.base.runner_notes import GameInPlay
from results.records.roster import COMPARISON, TUNE, Roster
from results.reports.league_states import state_of_league
from results.reports.leagues import LeagueRow, league_row
from results.reports.matches import MatchRow
from results.reports.queue import queue_rows
from results.reports.rankings import ranked_entries
from results.reports.status import StatusReader
from results.reports.status_rows import PlayingRow, StatusRow
from results.store import Store
from results.store.beside_store import runner_of
from results.store.status_queries import LeagueActivity

WHAT = "Leagues of bots that play cards."
LEADERS = 3
MOST_RESULTS = 6
_ORDER: Mapping[str | None, int] = {
    "running": 0,
    "resting": 1,
    "waiting": 1,
    "interrupted": 1,
    "paused": 1,
    "stopped": 2,
    "finished": 2,
    "created": 3,
    None: 4,
}
"""What is played comes first, single games last; of each kind the one first in which a match ended last."""


class _Kept(NamedTuple):
    """What is known of a league, until something happens in it."""

    activity: LeagueActivity
    row: LeagueRow
    roster: Roster
    leaders: Sequence[tuple[int | None, str, str]]
    """The rank, label and rating of each, or what else orders them; as long as nobody has a rank, None."""
    winners: Sequence[str]
    """Labels of those who are first in a tournament that is over."""
    has_end: bool
    """Whether planned matches say how much is still to come."""
    results: Sequence[tuple[str, MatchRow]]
    """Its latest finished matches."""
    is_job: bool
    """Whether it is a comparison, a race or a tune, which the page of the queue has."""


class _Card(NamedTuple):
    """What the page shows of a league."""

    row: LeagueRow
    planned: int
    """Matches, finished or not."""
    playing: Sequence[GameInPlay]
    leaders: Sequence[tuple[int | None, str, str]]
    winners: Sequence[str]
    played_at: str
    """When its latest match ended; empty if none has."""


_KNOWN: WeakKeyDictionary[Store, dict[str, _Kept]] = WeakKeyDictionary()
"""What is known of leagues, by open store and uuid: reading the standings of all for every reader would take long."""


def home(store: Store, page: str = "", **asked: tuple[str, ...]) -> Page:
    """Return the home page, or a further page of its leagues. Raises NoPage."""
    runner = runner_of(store.path)
    notes = runner.notes if runner.is_running else None
    playing: dict[str, list[GameInPlay]] = {}
    for game in notes.playing if notes else ():
        playing.setdefault(game.league, []).append(game)
    every = _kept(store)
    leagues = [kept for kept in every if not kept.is_job]
    cards = []
    for kept in reversed(leagues):
        state = state_of_league(kept.activity, kept.roster, runner).state
        row = structs.replace(kept.row, state=state)
        planned = kept.activity.matches_planned if kept.has_end else row.matches
        played_at = kept.results[0][1].ended_at or "" if kept.results else ""
        cards.append(_Card(row, planned, playing.get(row.name, ()), kept.leaders, kept.winners, played_at))
    # Of each league its latest first, so that a busy one doesn't hide the others.
    results = [(no, one) for kept in leagues for no, one in enumerate(kept.results)]
    for uuid in set(store.leagues.uuids()) - {kept.activity.uuid for kept in every}:  # of single games
        row = league_row(store, store.leagues.get(uuid))
        if row.games:
            cards.append(_Card(row, row.matches, playing.get(row.name, ()), (), (), ""))
    cards.sort(key=lambda card: card.played_at, reverse=True)
    cards.sort(key=lambda card: (not card.playing, _ORDER[card.row.state]))
    results.sort(key=lambda one: (-one[0], one[1][1].ended_at or ""), reverse=True)
    listing = listed(cards, (), asked, lambda card: card.row.name, page=page)
    is_front = listing.part.number == 1 and not listing.part.find
    values = {
        "cards": listing.rows,
        "results": [one for _, one in results[:MOST_RESULTS]] if is_front else (),
        **(home_top.front(store, store.leagues.all()) if is_front else home_top.NOTHING),
    }
    shown = some([card.row.name for card in listing.rows])
    return Page(
        listing.part.path(listing.part.number),
        home_top.TITLE if is_front else "Leagues",
        "home.html",
        values | {"is_front": is_front},
        polls_s=10,
        scripts=game.scripts if (game := values["game"]) else (),
        part=listing.part,
        description=f"Leagues of bots that play cards: {shown}." if cards else WHAT,
    )


def _kept(store: Store) -> list[_Kept]:
    """Return what is known of all leagues, the oldest first; only those in which something has happened are read."""
    known = _KNOWN.setdefault(store, {})
    activities = store.activity.now().leagues
    for uuid in known.keys() - {one.uuid for one in activities}:
        del known[uuid]
    for activity in activities:
        before = known.get(activity.uuid)
        if before is None or before.activity != activity:
            league = store.leagues.get(activity.uuid)
            roster = store.entries.roster(league.uuid)
            known[activity.uuid] = _Kept(
                activity,
                league_row(store, league, roster),
                roster,
                *leaders(store, league, LEADERS, roster),
                not league.traits.chooses_each,
                latest_results(store, league, MOST_RESULTS),
                any(event.kind in (COMPARISON, TUNE) for event in store.leagues.events(league.uuid)),
            )
    return [known[one.uuid] for one in activities]


MOST_GAMES = 8
KEPT_S = 1.0
"""For how long the page is served to others: it also shows the runner's notes, which aren't in the store."""


_READERS: WeakKeyDictionary[Store, dict[str, StatusReader]] = WeakKeyDictionary()
"""Readers of the status of leagues, by open store and uuid, which remember what can't have changed."""


def live(store: Store, name: str) -> Page:
    """Return what is being played in a league. Raises NoPage."""
    league = league_named(store, name)
    reader = _READERS.setdefault(store, {}).setdefault(league.uuid, StatusReader(store, league.uuid))
    status = reader.read(runner_of(store.path), (), 0)
    row = next((one for one in status.leagues if one.name == league.name), None)
    labels = store.entries.labels(league.uuid)
    title, text = ordered_by(store, league)
    standings = (
        [
            (row.rank, row.entry, text(row))
            for row in ranked_entries(store, league, format_of(store, league).places)
            if not row.entry.retired
        ]
        if league.rated
        else []
    )
    latest = store.games.all(league.uuid, newest_first=True, limit=MOST_GAMES)
    workers = _workers(status)
    return Page(
        path_of(league, "live"),
        f"{league.name}, live",
        "live.html",
        {
            "league": league,
            "row": row,
            "runner": status.runner,
            "workers": workers,
            "standings": standings,
            "ordered_by": title,
            "has_end": not league.traits.chooses_each,
            "games": [(game, [(labels[seat.entry_no], seat) for seat in game.seats]) for game in latest],
            "at": status.at,
        },
        tabs=tabs(store, league),
        polls_s=2,
        description=f"What is being played in {league.name} now, and the latest games.",
    )


def _workers(status: StatusRow) -> list[PlayingRow | None]:
    """Return the game of each worker by its number; None for one that is between two games."""
    playing = {game.worker: game for game in reversed(status.playing)}
    return [playing.get(worker) for worker in range(max(playing, default=-1) + 1)]


def queue(store: Store, page: str = "", **asked: tuple[str, ...]) -> Page:
    """Return the page of the queue: what waits, what plays, what the latest jobs found, and all. Raises NoPage."""
    every = [kept.row for kept in reversed(_kept(store)) if kept.is_job]
    listing = listed(every, ("queue",), asked, lambda row: row.name, page=page)
    return Page(
        listing.part.path(listing.part.number),
        "Comparisons",
        "queue.html",
        {"jobs": queue_rows(store), "earlier": listing.rows},
        polls_s=10,
        part=listing.part,
        heading="Is your new version better?",
        description="Comparisons, races and tunes that are played beside leagues.",
    )
