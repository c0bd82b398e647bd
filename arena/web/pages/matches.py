"""The matches of a league, the newest first."""

from collections.abc import Mapping
from typing import get_args

from arena.league.definition.stored import known_results
from arena.web.html.links import Texts, choice, whole_number
from arena.web.html.page_model import Crumb, NoPage, Page
from arena.web.html.paging import A_PAGE, part_of
from arena.web.pages import feeds_of, league_named, path_of, some, tabs
from arena.web.pages.league_format import format_of, round_title
from results.base.errors import UnknownGame
from results.records import LeagueRecord, MatchState
from results.reports.matches import match_page, match_rows
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


EXPORTED = 500
"""Matches that are listed in an exported folder: the latest."""
ASKS = ("bot", "state", "latest")
_MOST_MEANT = 64
"""Entries that the name of one bot may mean: those with this label, or with it in theirs."""


def matches(store: Store, name: str, page: str = "", **asked: Texts) -> Page:
    """Return a part of the matches of a league. Raises NoPage, NotUnderstood.

    Asked may be: `bot`: only those in which all these bots play · `state`: planned, done or void · `latest`: only so
    many, the latest.
    """
    league = league_named(store, name)
    labels = store.entries.labels(league.uuid)
    bots = tuple(dict.fromkeys(filter(None, map(str.strip, asked.get("bot", ())))))
    numbers = [_meant(league, labels, label) for label in bots]
    wanted = _state(asked.get("state", ()))
    planned = store.leagues.progress(league.uuid).matches_planned
    is_filtered = bool(bots or wanted)
    there = store.matches.count(league.uuid, entries=numbers, state=wanted) if is_filtered else planned
    most = whole_number("latest", asked.get("latest", ()), 1, _MOST_NUMBER)
    part = part_of(min(there, most or there), page, path_of(league, "matches"), asked)
    limit = part.last - part.first + 1
    rows = match_rows(store, league, limit, skip=part.first - 1, entries=numbers, state=wanted)
    return Page(
        part.path(part.number),
        f"Matches of {league.name}",
        "matches.html",
        {
            "league": league,
            "matches": rows,
            "round_names": [one.title for one in format_of(store, league).bracket],
            "bots": bots,
            "state": wanted or "",
            "labels": sorted(set(labels.values())) if len(labels) <= A_PAGE else (),
            "has_bots": bool(labels),
            "planned": planned,
            "is_filtered": is_filtered,
        },
        tabs=tabs(store, league),
        polls_s=5 if part.number == 1 else 0,
        part=part,
        description=f"All matches of {league.name}, the newest first, each with its games to watch.",
        feeds=feeds_of(league),
    )


_MOST_NUMBER = 10**12


def _meant(league: LeagueRecord, labels: Mapping[int, str], text: str) -> list[int]:
    """Return the entries with a label; without any, those that have the text in theirs. Raises NoPage."""
    found = [no for no, label in labels.items() if label == text] or [
        no for no, label in labels.items() if text.casefold() in label.casefold()
    ]
    if not found:
        raise NoPage(f"League {league.name} has no bot called {text}.")
    return found[-_MOST_MEANT:]


def _state(given: Texts) -> MatchState | None:
    states: tuple[MatchState, ...] = get_args(MatchState)
    wanted = choice("state", given, states)
    return next((state for state in states if state == wanted), None)
