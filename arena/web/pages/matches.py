"""The matches of a league, the newest first."""

from collections.abc import Sequence
from itertools import islice, product
from typing import get_args

from arena.league.definition.stored import known_results
from arena.web.html.links import Texts, choice, whole_number
from arena.web.html.page import Crumb, NoPage, Page
from arena.web.pages import feeds_of, league_named, path_of, some, tabs
from arena.web.pages.formats import format_of, round_title
from results.base.errors import UnknownGame
from results.records import LeagueRecord, MatchState
from results.reports.matches import MatchRow, labels_of, match_page, match_rows
from results.store import Store


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
    schedule = league.config.get("schedule")
    seen = known_results(store, league, found)
    shown = match_page(store, league, found, seen)
    return Page(
        path_of(league, "matches", number),
        f"{some([*dict.fromkeys(shown.labels)])} · Match {number} of {league.name}",
        "match.html",
        {
            "league": league,
            "round": round_title(store, league, found),
            "match": shown,
            "seen": seen,
            "kind": str(schedule.get("kind", "")) if isinstance(schedule, dict) else "",
            "traits": league.traits,
            "older": found.match_no - 1 if found.match_no else None,
            "newer": found.match_no + 1 if found.match_no + 1 < planned else None,
        },
        crumbs=(Crumb("Matches", path_of(league, "matches")),),
        tabs=tabs(store, league),
        polls_s=5 if found.state == "planned" else 0,
        heading=f"Match {number} of {league.name}",
        description=f"A match between {some([*dict.fromkeys(shown.labels)])} in {league.name}: "
        "games on the same deal, with the bots in other seats.",
        feeds=feeds_of(league),
    )


A_PAGE = 50
MOST = 500
"""Matches on a page; an exported site has one page with the most."""

_MOST_NUMBER = 10**12
_MOST_CHOICES = 64
"""Of entries with the same labels."""


def matches(
    store: Store, name: str, *, before: Texts = (), bot: Texts = (), state: Texts = (), show: Texts = ()
) -> Page:
    """Return a part of the matches of a league. Raises NoPage, NotUnderstood.

    `before`: only matches below this number · `bot`: only those in which all these bots play · `state`: planned, done
    or void · `show`: how many on a page.
    """
    league = league_named(store, name)
    labels = labels_of(store, league)
    bots = tuple(dict.fromkeys(filter(None, bot)))
    numbers: list[list[int]] = []
    for label in bots:
        found = [no for no, other in labels.items() if other == label]
        if not found:
            raise NoPage(f"League {league.name} has no bot called {label}.")
        numbers.append(found)
    wanted = _state(state)
    limit = whole_number("show", show, 1, MOST) or A_PAGE
    first = whole_number("before", before, 0, _MOST_NUMBER)
    rows = _rows(store, league, limit + 1, first, numbers, wanted)
    return Page(
        path_of(league, "matches"),
        f"Matches of {league.name}",
        "matches.html",
        {
            "league": league,
            "matches": rows[:limit],
            "round_names": [one.title for one in format_of(store, league).bracket],
            "older": rows[limit - 1].match_no if len(rows) > limit else None,
            "before": first,
            "bots": bots,
            "state": wanted or "",
            "labels": sorted(set(labels.values())),
            "planned": store.leagues.progress(league.uuid).matches_planned,
            "is_filtered": bool(bots or wanted),
            "query": [*(("bot", label) for label in bots), *([("state", wanted)] if wanted else [])],
        },
        tabs=tabs(store, league),
        polls_s=0 if first is not None else 5,
        description=f"All matches of {league.name}, the newest first, each with its games to watch.",
        feeds=feeds_of(league),
    )


def _rows(
    store: Store,
    league: LeagueRecord,
    limit: int,
    before: int | None,
    bots: Sequence[Sequence[int]],
    state: MatchState | None,
) -> list[MatchRow]:
    """Return the latest matches with each of some bots; `bots`: the numbers of the entries that each may be."""
    found = {
        row.match_no: row
        for entries in islice(product(*bots), _MOST_CHOICES)
        for row in match_rows(store, league, limit, before=before, entries=entries, state=state)
    }
    return [found[number] for number in sorted(found, reverse=True)][:limit]


def _state(given: Texts) -> MatchState | None:
    states: tuple[MatchState, ...] = get_args(MatchState)
    wanted = choice("state", given, states)
    return next((state for state in states if state == wanted), None)
