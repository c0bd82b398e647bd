"""The home page: all leagues, and what is being played."""

from arena.web.page import Page
from results.reports.leagues import league_row
from results.store import Store


def home(store: Store) -> Page:
    """Return the home page."""
    leagues = [league_row(store, league) for league in store.leagues.all()]
    return Page((), "Leagues", "home.html", {"leagues": leagues}, polls_s=10)
