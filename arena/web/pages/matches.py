"""The matches of a league, the newest first."""

from arena.web.page import Page
from arena.web.pages.league_tabs import league_named, path_of, tabs
from results.store import Store

A_PAGE = 50


def matches(store: Store, name: str) -> Page:
    """Return a part of the matches of a league. Raises NoPage."""
    league = league_named(store, name)
    planned = store.leagues.progress(league.uuid).matches_planned
    found = store.matches.all(league.uuid, first=max(0, planned - A_PAGE))
    return Page(
        path_of(league, "matches"),
        f"Matches of {league.name}",
        "matches.html",
        {"league": league, "matches": found[::-1]},
        tabs=tabs(league),
        polls_s=5,
    )
