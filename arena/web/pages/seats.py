"""Seats, table sizes, luck and times of a league."""

from arena.web.page import Page
from arena.web.pages.league_tabs import league_named, path_of, tabs
from results.store import Store


def seats(store: Store, name: str) -> Page:
    """Return the page. Raises NoPage."""
    league = league_named(store, name)
    return Page(
        path_of(league, "seats"),
        f"Seats and luck · {league.name}",
        "seats.html",
        {"league": league},
        tabs=tabs(league),
    )
