"""A match: its games side by side, and why it was played."""

from arena.league.definition.known_results import known_results
from arena.web.page import Crumb, NoPage, Page
from arena.web.pages.league_tabs import league_named, path_of, tabs
from results.errors import UnknownGame
from results.reports.leagues import kind_of
from results.reports.matches import match_page
from results.store import Store

IN_ROUNDS = frozenset({"round-robin", "swiss"})
"""Schedules in which it means something that a bot doesn't play in a round."""
FIXED = frozenset({"round-robin", "gauntlet"})
"""Schedules that don't look at results."""


def match(store: Store, name: str, number: str) -> Page:
    """Return the page of a match. Raises NoPage."""
    league = league_named(store, name)
    if not (number.isascii() and number.isdecimal() and len(number) <= 15 and str(int(number)) == number):
        raise NoPage(f"{number} isn't the number of a match.")
    try:
        found = store.matches.get(league.uuid, int(number))
    except UnknownGame:
        raise NoPage(f"League {league.name} has no match {number}.") from None
    planned = store.leagues.progress(league.uuid).matches_planned
    kind = kind_of(league)
    seen = known_results(league, found.match_no)
    return Page(
        path_of(league, "matches", number),
        f"Match {number} of {league.name}",
        "match.html",
        {
            "league": league,
            "match": match_page(store, league, found, seen),
            "seen": seen,
            "kind": kind,
            "in_rounds": kind in IN_ROUNDS,
            "is_fixed": kind in FIXED,
            "older": found.match_no - 1 if found.match_no else None,
            "newer": found.match_no + 1 if found.match_no + 1 < planned else None,
        },
        crumbs=(Crumb("Matches", path_of(league, "matches")),),
        tabs=tabs(league),
        polls_s=5 if found.state == "planned" else 0,
    )
