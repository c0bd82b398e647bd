"""Games that bots of a league forfeited, and games that failed."""

from arena.web.page import Page
from arena.web.pages.league_tabs import league_named, path_of, tabs
from results.store import Store


def faults(store: Store, name: str) -> Page:
    """Return the page. Raises NoPage."""
    league = league_named(store, name)
    return Page(
        path_of(league, "faults"),
        f"Faults · {league.name}",
        "faults.html",
        {"league": league},
        tabs=tabs(league),
    )
