"""The matches of a league, the newest first."""

from typing import get_args

from arena.web.page import NoPage, Page
from arena.web.pages.league_tabs import league_named, path_of, tabs
from results.records import MatchState
from results.reports.matches import labels_of, match_rows
from results.store import Store

A_PAGE = 50
MOST = 500
"""Matches on a page; an exported site has one page with the most."""

Texts = tuple[str, ...]


def matches(
    store: Store, name: str, *, before: Texts = (), bot: Texts = (), state: Texts = (), show: Texts = ()
) -> Page:
    """Return a part of the matches of a league. Raises NoPage.

    `before`: only matches below this number · `bot`: only those in which all these bots play · `state`: planned, done
    or void · `show`: how many on a page.
    """
    league = league_named(store, name)
    labels = labels_of(store, league)
    bots = tuple(dict.fromkeys(filter(None, bot)))
    numbers = []
    for label in bots:
        found = [no for no, other in labels.items() if other == label]
        if not found:
            raise NoPage(f"League {league.name} has no bot called {label}.")
        numbers.append(found[-1])
    wanted = _state(state)
    limit = min(MOST, max(1, number_of(show) or A_PAGE))
    rows = match_rows(
        store, league, limit + 1, before=(first := number_of(before)), entries=numbers, state=wanted
    )
    return Page(
        path_of(league, "matches"),
        f"Matches of {league.name}",
        "matches.html",
        {
            "league": league,
            "matches": rows[:limit],
            "older": rows[limit - 1].match_no if len(rows) > limit else None,
            "before": first,
            "bots": bots,
            "state": wanted or "",
            "labels": sorted(set(labels.values())),
            "planned": store.leagues.progress(league.uuid).matches_planned,
            "is_filtered": bool(bots or wanted),
            "query": [*(("bot", label) for label in bots), *([("state", wanted)] if wanted else [])],
        },
        tabs=tabs(league),
        polls_s=0 if first is not None else 5,
    )


def number_of(given: Texts) -> int | None:
    """Return the number that was asked for; None if none was. Raises NoPage for anything else."""
    if not given or not given[0]:
        return None
    if not (given[0].isascii() and given[0].isdecimal() and len(given[0]) <= 15):
        raise NoPage(f"{given[0]} isn't the number of a match.")
    return int(given[0])


def _state(given: Texts) -> MatchState | None:
    for state in get_args(MatchState):
        if given and given[0] == state:
            found: MatchState = state
            return found
    if given and given[0]:
        raise NoPage(f"{given[0]} isn't a state of a match: it is planned, done or void.")
    return None
