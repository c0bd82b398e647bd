"""Which pages and files an exported site has."""

from collections import Counter
from collections.abc import Iterator

from arena import registry
from arena.web.downloads import FORMS, REPORTS
from arena.web.html import links
from results.records import LeagueRecord
from results.store import Store

OF_A_LEAGUE = ("live", "matches", "history", "head-to-head", "seats", "faults")
LATEST_MATCHES = 200
"""So many matches of each league have pages, unless told otherwise."""


def pages(store: Store, most_matches: int) -> Iterator[links.Path]:
    """Yield the paths of all pages. `most_matches`: of each league, only the latest have pages; 0 for all."""
    yield ()
    yield ("rules",)
    yield from (("rules", game) for game in registry.games())
    yield from _of_bots(store)
    for league in store.leagues.all():
        here = ("leagues", league.name)
        yield here
        yield from ((*here, page) for page in OF_A_LEAGUE)
        entries = store.entries.all(league.uuid)
        labels = Counter(entry.label for entry in entries)
        yield from ((*here, "bots", label) for label in labels)
        shared = [entry for entry in entries if labels[entry.label] > 1]
        yield from ((*here, "bots", entry.label, str(entry.entry_no)) for entry in shared)
        yield from _of_matches(store, league, most_matches)


def _of_bots(store: Store) -> Iterator[links.Path]:
    versions = store.versions.all()
    yield from dict.fromkeys(("authors", one.author) for one in versions)
    yield from dict.fromkeys(("bots", one.author, one.bot) for one in versions)
    yield from (("bots", one.author, one.bot, str(one.number)) for one in versions)


def _of_matches(store: Store, league: LeagueRecord, most: int) -> Iterator[links.Path]:
    """Yield the paths of the latest matches, and of those of their games that can be watched."""
    planned = store.leagues.progress(league.uuid).matches_planned
    found = store.matches.all(league.uuid, first=max(0, planned - most) if most else 0)
    for match in found:
        yield ("leagues", league.name, "matches", str(match.match_no))
    seats = {match.match_no: len(match.entries) for match in found if match.state != "planned"}
    first = found[0].match_no if found else 0
    for match_no, rotation in sorted(store.games.keys(league.uuid, first)):
        if match_no not in seats:
            continue
        game = ("leagues", league.name, "games", f"{match_no}.{rotation}")
        yield game
        yield from ((*game, f"seat-{seat}") for seat in range(seats[match_no]))


def is_game(path: links.Path) -> bool:
    """Return whether this is the open view of a game."""
    return len(path) == 4 and path[0] == "leagues" and path[2] == "games"


def is_seat(path: links.Path) -> bool:
    """Return whether this is a game as a seat saw it."""
    return len(path) == 5 and is_game(path[:4])


def files(store: Store) -> Iterator[links.Path]:
    """Yield the paths of all tables to download."""
    for league in store.leagues.all():
        yield from (("leagues", league.name, f"{report}.{form}") for report in REPORTS for form in FORMS)
