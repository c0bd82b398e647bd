"""The ladder of a league: its rankings."""

from arena.web.page import Page
from arena.web.pages.league_tabs import league_named, path_of, tabs
from results.reports.fit_cache import kept_fit
from results.reports.rankings import rankings
from results.store import Store


def ladder(store: Store, name: str) -> Page:
    """Return the ladder of a league. Raises NoPage."""
    league = league_named(store, name)
    found = rankings(store, league, kept_fit(store, league.uuid))
    return Page(
        path_of(league),
        league.name,
        "ladder.html",
        {"rankings": found, "league": found.league},
        tabs=tabs(league),
        polls_s=5,
    )
