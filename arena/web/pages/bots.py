"""A bot with all its versions, its author, and an entry of a league with all that is known of it."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from math import inf
from operator import attrgetter, itemgetter
from typing import Any

from msgspec import structs

from arena.web.html.links import asking
from arena.web.html.page_model import Crumb, NoPage, Page
from arena.web.html.paging import A_PAGE, listed
from arena.web.http.page_threads import takes_long
from arena.web.pages import FEED, feeds_of, league_named, path_of, some, tabs
from arena.web.pages.league_format import format_places
from arena.web.pages.rankings import UNIT_WORDS, strength_in_words
from arena.web.play_tables.setup import begin_against
from results.base.text import json_text, one_line
from results.records import EntryRecord, LeagueRecord, VersionRecord
from results.reports.charts import chart_of
from results.reports.fits import UNITS
from results.reports.league_bot import PLACINGS_OF
from results.reports.league_bot import league_bot as report_of
from results.reports.matches import MatchRow, match_rows
from results.reports.queue import queue_rows
from results.reports.versions import (
    Place,
    by_league,
    changes,
    places_of,
    version_lines,
    version_page,
    with_parents,
)
from results.store import Store
from results.store.bot_versions import BotRow
from results.store.database import object_from_text

MOST_LEAGUES = 20
"""Places of a bot in whose leagues its latest results are looked for."""
LEAGUES_LOOKED_AT = 6
MOST_RESULTS = 6
"""Latest matches on the page of a bot, and the leagues in which they are looked for."""
SORTS = ("bot", "place", "versions", "added")


def bots(store: Store, page: str = "", **asked: tuple[str, ...]) -> Page:
    """Return the page of all bots: of few, the best first, of many, the newest. Raises NoPage, TakesLong."""
    every = store.versions.bots()
    is_long = len(every) > A_PAGE
    best: dict[BotRow, Place | None] = {}

    def rank(row: BotRow) -> tuple[int, int] | None:
        if not best:
            if is_long:
                takes_long("ordering all bots by their places")
            best.update(_best_of(store, every, store.versions.all()))
        place = best[row]
        return (place.row.rank or 0, -(place.of or 0)) if place and place.row else None

    every = (
        sorted(every, key=attrgetter("added_at"), reverse=True)
        if is_long
        else sorted(every, key=lambda row: rank(row) or (inf, 0))
    )
    listing = listed(
        every,
        ("bots",),
        asked,
        lambda row: f"{row.author}/{row.bot}",
        page=page,
        sorts={
            "bot": attrgetter("author", "bot"),
            "place": rank,
            "versions": attrgetter("versions"),
            "added": attrgetter("added_at"),
        },
        ups=("bot", "place"),
    )
    if not best:
        of_rows = (store.versions.all(author=row.author, bot=row.bot) for row in listing.rows)
        best.update(_best_of(store, listing.rows, list(chain.from_iterable(of_rows))))
    return Page(
        listing.part.path(listing.part.number),
        "Bots",
        "bots.html",
        {"bots": [(row, object_from_text(row.manifest), best[row]) for row in listing.rows]},
        polls_s=30,
        scripts=("tables.js",),
        part=listing.part,
        description="All bots of this site, with their authors and versions.",
    )


def _best_of(
    store: Store, bots: Sequence[BotRow], versions: Sequence[VersionRecord]
) -> dict[BotRow, Place | None]:
    """Return the best place of each bot, of whose versions all are among `versions`."""
    places = places_of(store, versions, format_places)
    of_bot: dict[tuple[str, str], list[Place]] = {}
    for one in versions:
        of_bot.setdefault((one.author, one.bot), []).extend(places[one.id])
    return {row: _best(of_bot.get((row.author, row.bot), ())) for row in bots}


def bot(store: Store, author: str, name: str, page: str = "", **asked: tuple[str, ...]) -> Page:
    """Return the page of a bot. Raises NoPage."""
    versions = store.versions.all(author=author, bot=name)
    if not versions:
        raise NoPage(f"There is no bot called {author}/{name}.")
    lines = version_lines(store, versions, format_places)
    places = sorted(
        (place for line in lines for place in line.places),
        key=lambda place: _ranked_first(place.row.rank if place.row else None, place.league),
    )
    here = ("bots", author, name)
    listing = listed(lines, here, asked, lambda line: f"@{line.version.number}", page=page)
    return Page(
        listing.part.path(listing.part.number),
        f"{author}/{name}",
        "bot.html",
        {
            "author": author,
            "name": name,
            "lines": listing.rows,
            "places": places,
            "all_lines": lines,
            "newest": versions[-1],
            "results": _latest(store, places),
            "against": asking(begin_against(versions[-1])),
        },
        crumbs=(Crumb(author, ("authors", author)),),
        polls_s=30,
        part=listing.part,
        description=_described(versions[-1], f"{author}/{name}"),
        feeds=(Crumb(f"Results and new versions of {author}/{name}", ("bots", author, name, FEED)),),
    )


def _latest(store: Store, places: Sequence[Place]) -> list[tuple[str, MatchRow]]:
    """Return the latest finished matches in the leagues where a bot stands best, each with the league, newest first."""
    entries = by_league((place.league, place.entry_no) for place in places[:MOST_LEAGUES])
    found = [
        (name, row)
        for name, numbers in [*entries.items()][:LEAGUES_LOOKED_AT]
        for row in match_rows(store, store.leagues.get(name), MOST_RESULTS, entries=[numbers], state="done")
    ]
    return sorted(found, key=lambda one: one[1].ended_at or "", reverse=True)[:MOST_RESULTS]


def _best(places: Iterable[Place]) -> Place | None:
    """Return the best of the places of a bot; None without any."""
    ranked = ((one.row.rank, one.league, one) for one in places if one.row and one.row.rank)
    return min(ranked, key=itemgetter(0, 1), default=(0, "", None))[2]


def _ranked_first(rank: int | None, league: str) -> tuple[bool, int, str]:
    """Return the key that sorts places: the best first, those without a rank last."""
    return rank is None, rank or 0, league


def _described(newest: VersionRecord, name: str) -> str:
    """Return what its author says of a bot, or what it is."""
    said = one_line(str(newest.manifest.get("description", "")))
    return f"{name}: {said}" if said else f"{name}, a bot with its versions, leagues and places."


def author(store: Store, name: str, page: str = "", **asked: tuple[str, ...]) -> Page:
    """Return the page of an author. Raises NoPage."""
    versions = store.versions.all(author=name)
    if not versions:
        raise NoPage(f"There is no author called {name}.")
    latest = {one.bot: one for one in versions}  # by number, so the last one stays
    places = places_of(store, versions, format_places)
    rows = [(one, place) for one in versions for place in places[one.id]]
    rows.sort(key=lambda row: (row[1].league, row[1].row is None, (row[1].row and row[1].row.rank) or 2**31))
    number_of = Counter(one.bot for one in versions)
    here = ("authors", name)
    listing = listed(rows, here, asked, lambda row: f"{row[1].league} {row[1].label}", page=page)
    return Page(
        listing.part.path(listing.part.number),
        name,
        "author.html",
        {
            "author": name,
            "latest": listed(
                [
                    (one, number_of[one.bot], _best(place for of, place in rows if of.bot == one.bot))
                    for one in latest.values()
                ],
                here,
                asked,
                lambda row: row[0].bot,
                name="bots",
            ),
            "places": listing.rows,
            "jobs": [structs.replace(one, most_minutes=None) for one in queue_rows(store, name)],
            "bots": len(latest),
            "versions": len(versions),
            "all_places": [place for _, place in rows],
        },
        polls_s=30,
        part=listing.part,
        description=f"The bots of {name}: {some([*latest])}.",
    )


def version(
    store: Store, author: str, name: str, number: str, page: str = "", **asked: tuple[str, ...]
) -> Page:
    """Return the page of a version. Raises NoPage."""
    of_bot = store.versions.all(author=author, bot=name)
    record = version_numbered(of_bot, author, name, number)
    parent = with_parents(store, of_bot).get(record.parent)
    found = version_page(store, record, format_places)
    here = ("bots", author, name, number)
    places = sorted(found.places, key=lambda place: _ranked_first(place.rank, place.league))
    listing = listed(places, here, asked, lambda place: f"{place.league} {place.label}", page=page)
    return Page(
        listing.part.path(listing.part.number),
        record.reference,
        "version.html",
        {
            "version": found,
            "places": listing.rows,
            "all_places": places,
            "author": author,
            "name": name,
            "parent": parent,
            "changes": [(one.key, _shown(one.before), _shown(one.after)) for one in changes(parent, record)]
            if parent
            else [],
            "manifest": json_text(record.manifest, indent=2),
        },
        crumbs=(Crumb(author, ("authors", author)), Crumb(f"{author}/{name}", ("bots", author, name))),
        polls_s=30,
        part=listing.part,
        description=_described(record, record.reference),
    )


def version_numbered(versions: Sequence[VersionRecord], author: str, name: str, number: str) -> VersionRecord:
    """Return a version of a bot. Raises NoPage."""
    for one in versions:
        if str(one.number) == number:
            return one
    raise NoPage(f"There is no version {author}/{name}@{number}.")


def _shown(value: Any) -> str:
    """Return a value of a manifest in one line; empty if the key is missing."""
    return "" if value is None else json_text(value)


def league_bot(store: Store, name: str, label: str, number: str = "") -> Page:
    """Return the page of an entry: the one of that number, or the newest of that label. Raises NoPage.

    In `casual`, several players may have the same label, such as a person and a bot.
    """
    league = league_named(store, name)
    same = entries_labelled(store, league, label)
    entry = next((one for one in same if not number or str(one.entry_no) == number), None)
    if entry is None:
        raise NoPage(f"League {league.name} has no bot called {label} with the number {number}.")
    found = report_of(store, league, entry, format_places(store, league))
    progress = store.leagues.progress(league.uuid)
    return Page(
        path_of(league, "bots", label, number) if number else path_of(league, "bots", label),
        f"{label} · {league.name}",
        "league_bot.html",
        {
            "league": league,
            "entry": entry,
            "others": [one for one in same if one is not entry],
            "bot": found,
            "chart": chart_of(league, progress, [found.course])
            if found.course and progress.matches_counted
            else None,
            "strength": strength_in_words(found.row) if found.row else None,
            "fit_unit": UNIT_WORDS[UNITS[found.fit_by]],
            "placings_of": PLACINGS_OF,
        },
        crumbs=(Crumb(league.name, path_of(league)),),
        tabs=tabs(store, league),
        polls_s=10,
        heading=label,
        description=f"{label} in {league.name}: its rating over the matches, opponents, seats, times and latest games.",
        feeds=feeds_of(league),
    )


def entries_labelled(store: Store, league: LeagueRecord, label: str) -> list[EntryRecord]:
    """Return the entries of a league with a label, the newest first. Raises NoPage if there are none."""
    found = [entry for entry in reversed(store.entries.all(league.uuid)) if entry.label == label]
    if not found:
        raise NoPage(f"League {league.name} has no bot called {label}.")
    return found
