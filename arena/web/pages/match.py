"""A match: its games side by side, and why it was played."""

from arena.web.page import Crumb, NoPage, Page
from arena.web.pages.league_tabs import league_named, path_of, tabs
from results.errors import UnknownGame
from results.store import Store


def match(store: Store, name: str, number: str) -> Page:
    """Return the page of a match. Raises NoPage."""
    league = league_named(store, name)
    if not (number.isascii() and number.isdecimal() and str(int(number)) == number and len(number) < 16):
        raise NoPage(f"{number} isn't the number of a match.")
    try:
        found = store.matches.get(league.uuid, int(number))
    except UnknownGame:
        raise NoPage(f"League {league.name} has no match {number}.") from None
    return Page(
        path_of(league, "matches", number),
        f"Match {number} of {league.name}",
        "match.html",
        {"league": league, "match": found},
        crumbs=(Crumb("Matches", path_of(league, "matches")),),
        tabs=tabs(league),
    )
