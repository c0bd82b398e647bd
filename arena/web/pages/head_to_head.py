"""Who finished above whom."""

from arena.web.page import Page
from arena.web.pages.league_tabs import league_named, path_of, tabs
from results.store import Store


def head_to_head(store: Store, name: str) -> Page:
    """Return the page. Raises NoPage."""
    league = league_named(store, name)
    return Page(
        path_of(league, "head-to-head"),
        f"Head to head · {league.name}",
        "head_to_head.html",
        {"league": league},
        tabs=tabs(league),
    )
