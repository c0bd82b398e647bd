"""How the ratings of a league's bots have changed."""

from arena.web.page import Page
from arena.web.pages.league_tabs import league_named, path_of, tabs
from results.store import Store


def history(store: Store, name: str) -> Page:
    """Return the page. Raises NoPage."""
    league = league_named(store, name)
    return Page(
        path_of(league, "history"),
        f"Ratings over time · {league.name}",
        "history.html",
        {"league": league},
        tabs=tabs(league),
    )
