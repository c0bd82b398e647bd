"""What the format of a league says of it, for all pages that show places, and what the league is, in short."""

import sys
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple
from weakref import WeakKeyDictionary

from arena.league.definition import stored
from arena.web.html.game_art import art_of
from arena.web.html.links import asking
from arena.web.html.rendering import number, percent
from arena.web.pages import has_standings
from results.records import LeagueRecord, MatchRecord
from results.records.bracket import BracketRound
from results.records.roster import Roster
from results.reports.columns import in_percent
from results.reports.matches import MatchRow, match_rows
from results.reports.ranking_columns import Placing, first_places
from results.reports.rankings import Ranked, first_entries, is_by_share
from results.store import Store
from results.store.status_queries import LeagueActivity


class Format(NamedTuple):
    """What a format with standings of its own says of its league."""

    places: Mapping[int, Placing] = MappingProxyType({})
    """By entry number."""
    bracket: tuple[BracketRound, ...] = ()
    """Of a knock-out."""
    matches: Mapping[tuple[int, frozenset[int]], Sequence[MatchRecord]] = MappingProxyType({})
    """The matches of a knock-out, by round, from 0, and entries."""


_KNOWN: WeakKeyDictionary[Store, dict[str, tuple[LeagueActivity, Format]]] = WeakKeyDictionary()
"""By open store and uuid, until something happens in the league: the results of all its matches are read for it."""


def format_of(store: Store, league: LeagueRecord) -> Format:
    """Return what the format of a league says; nothing if the rankings decide who has won."""
    if league.ruleset is None or not league.traits.places:
        return Format()
    known = _KNOWN.setdefault(store, {})
    now = next((one for one in store.activity.now().leagues if one.uuid == league.uuid), None)
    before = known.get(league.uuid)
    if now is not None and before is not None and before[0] == now:
        return before[1]
    bracket = stored.bracket_of(store, league)
    matches: dict[tuple[int, frozenset[int]], list[MatchRecord]] = {}
    for match in store.matches.all(league.uuid) if bracket else ():
        matches.setdefault((match.round_no, frozenset(match.entries)), []).append(match)
    found = Format(stored.format_places(store, league), bracket, matches)
    if now is not None:
        known[league.uuid] = now, found
    return found


def format_places(store: Store, league: LeagueRecord) -> Mapping[int, Placing]:
    """Return where every entry stands by its league's format, by number; empty if the rankings decide."""
    return format_of(store, league).places


def points(value: float) -> str:
    """Return points with at most two decimals: 2, 1.5, 0.33."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def round_count(store: Store, league: LeagueRecord) -> int:
    """Return how many rounds of a league have pages: those of its bracket, or those planned so far."""
    if not league.traits.places:
        return 0
    if bracket := format_of(store, league).bracket:
        return len(bracket)
    planned = store.leagues.progress(league.uuid).matches_planned
    return (
        store.matches.get(league.uuid, planned - 1).round_no + 1 if planned and league.traits.in_rounds else 0
    )


def round_title(store: Store, league: LeagueRecord, match: MatchRecord) -> str:
    """Return what the round of a match is called; rounds count from 1."""
    bracket = format_of(store, league).bracket
    if match.round_no >= len(bracket):
        return f"Round {match.round_no + 1}"
    found = bracket[match.round_no]
    place = found.table_of(frozenset(match.entries))
    return (found.tables[place].name.capitalize() if place is not None else "") or found.title


class About(NamedTuple):
    """What a league is, beside its standings."""

    name: str
    game: str | None
    art: str
    """The static file with the picture of the game; may be empty."""
    ruleset: str
    kind: str
    """Of its schedule, in words."""
    bots: int
    rating: str
    results: Sequence[tuple[str, MatchRow]]
    """Its latest finished matches, each with the name of the league."""
    channel: str
    """What follows the path of the channel to watch its games."""


LATEST = 5
_RATINGS = {"trueskill": "TrueSkill", "elo": "Elo"}
"""Rating systems whose titles aren't their names."""


def about(store: Store, league: LeagueRecord) -> About:
    """Return what a league is, with its latest games."""
    schedule = league.config.get("schedule")
    labels = store.entries.labels(league.uuid)
    rules = league.ruleset
    return About(
        league.name,
        rules.game if rules else None,
        art_of(rules.game) if rules else "",
        rules.name if rules else "",
        str(schedule.get("kind", "")).replace("-", " ") if isinstance(schedule, dict) else "",
        len(labels),
        _RATINGS.get(league.rating, league.rating) if league.rated else "",
        latest_results(store, league, LATEST),
        asking({"league": league.name}),
    )


def latest_results(store: Store, league: LeagueRecord, most: int) -> Sequence[tuple[str, MatchRow]]:
    """Return the latest finished matches of a league, as its list of matches has them."""
    return [(league.name, row) for row in match_rows(store, league, most, state="done")]


MOST_LEADERS = 10


def leaders(
    store: Store, league: LeagueRecord, shown: int = MOST_LEADERS, roster: Roster | None = None
) -> tuple[list[tuple[int | None, str, str]], tuple[str, ...]]:
    """Return the first entries of a league, with ranks and what orders them; and who has won, if it is over."""
    of_format = format_of(store, league)
    is_won = league.state == "finished" and has_standings(store, league)
    most = sys.maxsize if is_won else shown  # many may share the first place
    found = first_entries(store, league, most, roster or store.entries.roster(league.uuid), of_format.places)
    _, text = ordered_by(store, league)
    first = [
        # Places of a knock-out say it all.
        (row.rank, row.entry.label, "" if of_format.bracket else text(row))
        for row in found[:shown]
    ]
    return first, first_places((row.rank, row.entry.label) for row in found) if is_won else ()


def ordered_by(store: Store, league: LeagueRecord) -> tuple[str, Callable[[Ranked], str]]:
    """Return what the entries of a league are ordered by, in a word, and the function that tells it of each."""
    found = format_of(store, league)
    if found.places:
        title, decimals = ("Rounds won", 0) if found.bracket else ("Points", 2)
        return title, lambda row: number(found.places[row.entry.entry_no].points, decimals)
    if is_by_share(store, league):
        return "Share", lambda row: percent(row.entry.share and in_percent(row.entry.share))
    title = league.scale.title.capitalize()
    return title, lambda row: number(row.entry.mu, league.scale.decimals)
