"""The pages: functions that read a store and return a `Page`, without HTML and without a request."""

from collections.abc import Sequence

from arena.web.html.links import Path
from arena.web.html.page_model import Crumb, NoPage
from results.base.errors import UnknownLeague
from results.records import LeagueRecord
from results.reports.rankings import is_by_share
from results.store import Store

FEED = "feed.atom"
"""The name of the file with the news of a league or a bot."""
PREVIEW = "preview.png"
"""The name of the picture of a league or a game, for previews of other programs."""


def league_named(store: Store, name: str) -> LeagueRecord:
    """Return a league. Raises NoPage if there is none of this name."""
    try:
        return store.leagues.get(name)
    except UnknownLeague:
        raise NoPage(f"There is no league called {name}.") from None


def league_by_places(store: Store, name: str) -> LeagueRecord:
    """Return a league in which bots finish above others. Raises NoPage if there is none of this name."""
    league = league_named(store, name)
    if league.counts_scores:
        raise NoPage(
            f"In {name} nobody finishes above another: its standings compare scores on the same deals."
        )
    return league


def path_of(league: LeagueRecord, *more: str) -> Path:
    """Return the path of a page of a league."""
    return ("leagues", league.name, *more)


def has_standings(store: Store, league: LeagueRecord) -> bool:
    """Return whether something else than ratings decides who has won, so that ratings have a page of their own."""
    return bool(league.traits.places) or is_by_share(store, league)


def tabs(store: Store, league: LeagueRecord, faults: int | None = None) -> tuple[Crumb, ...]:
    """Return the pages of a league, for the bar at its top.

    `faults`: how many, from the page of faults; other pages name that page only if there are any.
    """
    faulty = sum(store.games.faults_by_verdict(league.uuid).values()) if faults is None else faults
    standings, ratings = Crumb("Standings", path_of(league)), Crumb("Ratings", path_of(league, "ratings"))
    own = (standings,) if league.counts_scores else (standings, ratings)
    is_own = league.counts_scores or has_standings(store, league)
    by_places = (
        Crumb("Head to head", path_of(league, "head-to-head")),
        Crumb("Seats and luck", path_of(league, "seats")),
    )
    return (
        *(own if is_own else (Crumb("Ladder", path_of(league)),)),
        *(() if league.state == "finished" else (Crumb("Live", path_of(league, "live")),)),
        Crumb("Matches", path_of(league, "matches")),
        Crumb("History", path_of(league, "history")),
        *(() if league.counts_scores else by_places),
        *((Crumb("Faults", path_of(league, "faults"), faulty),) if faulty or faults is not None else ()),
    )


MOST_NAMED = 6


def some(names: Sequence[str]) -> str:
    """Return names for a title or a description: `a, b, c`, the first of them if there are many."""
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


def feeds_of(league: LeagueRecord) -> tuple[Crumb, ...]:
    """Return the news of a league."""
    return (Crumb(f"Results and new versions in {league.name}", path_of(league, FEED)),)
