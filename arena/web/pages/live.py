"""What is being played in a league now."""

from arena.web.page import Page
from arena.web.pages.league_tabs import league_named, path_of, tabs
from results.store import Store


def live(store: Store, name: str) -> Page:
    """Return what is being played in a league. Raises NoPage."""
    league = league_named(store, name)
    return Page(
        path_of(league, "live"),
        f"{league.name}, live",
        "live.html",
        {"league": league},
        tabs=tabs(league),
        polls_s=2,
    )
