"""The pages: functions that read a store and return a `Page`, without HTML and without a request."""

from arena.web.html.links import Path
from arena.web.html.page import Crumb, NoPage
from results.base.errors import UnknownLeague
from results.records import LeagueRecord
from results.store import Store


def league_named(store: Store, name: str) -> LeagueRecord:
    """Return a league. Raises NoPage if there is none of this name."""
    try:
        return store.leagues.get(name)
    except UnknownLeague:
        raise NoPage(f"There is no league called {name}.") from None


def path_of(league: LeagueRecord, *more: str) -> Path:
    """Return the path of a page of a league."""
    return ("leagues", league.name, *more)


def tabs(league: LeagueRecord) -> tuple[Crumb, ...]:
    """Return the pages of a league, for the bar at its top."""
    return (
        Crumb("Ladder", path_of(league)),
        Crumb("Live", path_of(league, "live")),
        Crumb("Matches", path_of(league, "matches")),
        Crumb("History", path_of(league, "history")),
        Crumb("Head to head", path_of(league, "head-to-head")),
        Crumb("Seats and luck", path_of(league, "seats")),
        Crumb("Faults", path_of(league, "faults")),
    )
