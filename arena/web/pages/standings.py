"""The standings of a league by its own format: a bracket, points with tie-breaks, a table of all pairs; its rounds."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from arena.web.html.page import Crumb, NoPage, Page, part_of
from arena.web.html.rendering import number as number_text
from arena.web.html.rendering import percent
from arena.web.pages import feeds_of, has_standings, league_named, path_of, tabs
from arena.web.pages.bracket import Box, Drawing, drawing
from arena.web.pages.formats import Format, about, format_of, points, round_count
from arena.web.pages.head_to_head import cell_of
from arena.web.pages.ladder import described, entitled, ladder, recounted
from results.base.scoring import UNIT
from results.records import LeagueRecord, MatchRecord
from results.reports.fits import cached_fit, fit_by_of
from results.reports.head_to_head import CountedBy, pair_rows
from results.reports.matches import MOST_OF_ROUND, labels_of
from results.reports.ranking_table import TIE_BREAKS, RankingRow, Rankings, first_places
from results.reports.rankings import ranked_entries
from results.reports.selection import Selection
from results.store import Store

MOST_CROSS = 20
"""Bots in the table of all pairs."""
MOST_LINKS = 8
"""Matches of one table that a round links to."""
MOST_BYES = 20


class Column(NamedTuple):
    """A column of the standings."""

    title: str
    help: str
    text: Callable[[RankingRow], str]
    is_text: bool = False


class Pairing(NamedTuple):
    """A table of a round."""

    name: str
    """If it isn't that of the round."""
    sides: Sequence[tuple[str, str, str]]
    """Label, score, and `on` or `out` of each."""
    matches: Sequence[int]
    more: int
    """Matches that aren't among these."""
    is_open: bool
    """Whether it still plays."""
    is_bye: bool


def first_page(store: Store, name: str, page: str = "", **asked: tuple[str, ...]) -> Page:
    """Return the first page of a league: its standings, or its ladder if ratings decide. Raises as `ladder` does."""
    league = league_named(store, name)
    if not has_standings(store, league):
        return ladder(store, name, page, **asked)
    fit = cached_fit(store, league.uuid, fit_by_of(store, league))
    found = recounted(store, league, fit, Selection(), None)
    of_format = format_of(store, league)
    columns = _columns(found)
    part = part_of(len(found.rows), page, path_of(league))
    picture = drawing(of_format.bracket, labels_of(store, league)) if of_format.bracket else None
    rounds = round_count(store, league)
    shown = _current_round(of_format, rounds)
    crossed = [row.label for row in found.rows if row.matches][:MOST_CROSS] if found.by_share else []
    pairs = (
        {(pair.bot, pair.opponent): pair for pair in pair_rows(store, league, CountedBy.MATCHES, MOST_CROSS)}
        if crossed
        else {}
    )
    return Page(
        part.path(part.number),
        entitled(league),
        "standings.html",
        {
            "league": found.league,
            "progress": store.leagues.progress(league.uuid),
            "rankings": found,
            "winners": _winners(found),
            "heads": [(one.title, one.help, one.is_text) for one in columns],
            "lines": [
                (
                    row,
                    [(one.text(row), one.is_text) for one in columns],
                    [cell_of(pairs.get((row.label, other))) for other in crossed],
                )
                for row in part.of(found.rows)
            ],
            "crossed": crossed,
            "tie_breaks": _tie_breaks(found),
            "picture": picture,
            "links": _links(picture, of_format, league) if picture else {},
            "rounds": _round_names(of_format, rounds),
            "shown": shown,
            "pairings": _pairings(store, league, of_format, shown) if shown is not None else [],
            "byes": _byes(store, league, of_format, shown) if shown is not None else [],
            "about": about(store, league),
        },
        tabs=tabs(store, league),
        polls_s=0 if league.state == "finished" else 5,
        part=part,
        heading=league.name,
        description=described(store, league, found),
        feeds=feeds_of(league),
    )


def round_page(store: Store, name: str, number: str) -> Page:
    """Return the page of a round, which counts from 1. Raises NoPage."""
    league = league_named(store, name)
    rounds = round_count(store, league)
    if not (len(number) <= 6 and number in {str(one + 1) for one in range(rounds)}):
        raise NoPage(f"League {league.name} has no page of a round {number}.")
    of_format, shown = format_of(store, league), int(number) - 1
    return Page(
        path_of(league, "rounds", number),
        f"{_round_names(of_format, rounds)[shown]} · {league.name}",
        "round.html",
        {
            "league": league,
            "rounds": _round_names(of_format, rounds),
            "shown": shown,
            "pairings": _pairings(store, league, of_format, shown),
            "byes": _byes(store, league, of_format, shown),
        },
        crumbs=(Crumb("Standings", path_of(league)),),
        tabs=tabs(store, league),
        polls_s=0 if league.state == "finished" else 5,
        description=f"Who has met whom in a round of {league.name}, and with what result.",
    )


def _winners(found: Rankings) -> tuple[str, ...]:
    """Return the labels of those who have won a league that is over."""
    is_over = found.league.state == "finished" and not found.lacks_standings
    return first_places((row.rank, row.label) for row in found.rows) if is_over else ()


def _columns(found: Rankings) -> list[Column]:
    """Return the columns, those first that decide the order."""
    rows = found.rows
    columns: list[Column] = []
    if found.own_standings:
        standings = [row.standing for row in rows if row.standing is not None]
        columns.append(Column("Points", "As the format counts them", _of_standing("points")))
        columns += [
            Column(name, TIE_BREAKS.get(name, "Decides between equal points"), _tie_break(name))
            for name in (standings[0].tie_breaks if standings else ())
        ]
        if any(one.byes for one in standings):
            columns.append(Column("Byes", "Rounds without a match", _of_standing("byes")))
        if any(one.note for one in standings):
            columns.append(
                Column("How far", "", lambda row: row.standing.note if row.standing else "", is_text=True)
            )
    elif not found.by_share:
        columns.append(Column("Rating", "", lambda row: number_text(row.mu, found.scale.decimals)))
    share = "Mean share of the opponents at the table that it finished above, a tie counting half"
    columns += [
        Column("Share", share, lambda row: percent(row.share_percent)),
        Column("Wins", "Games won", lambda row: points(row.wins)),
        Column("Matches", "A match is all games on one deal", lambda row: number_text(row.matches)),
    ]
    return columns


def _of_standing(key: str) -> Callable[[RankingRow], str]:
    return lambda row: "" if row.standing is None else points(float(getattr(row.standing, key)))


def _tie_break(name: str) -> Callable[[RankingRow], str]:
    return lambda row: "" if row.standing is None else points(row.standing.tie_breaks.get(name, 0.0))


def _tie_breaks(found: Rankings) -> list[tuple[str, str]]:
    """Return the names of the tie-breaks, the most important first, and what they are."""
    first = next((row.standing for row in found.rows if row.standing is not None), None)
    return [(name, TIE_BREAKS.get(name, "")) for name in first.tie_breaks] if first else []


def _round_names(of_format: Format, rounds: int) -> list[str]:
    return [one.title for one in of_format.bracket] or [f"Round {one + 1}" for one in range(rounds)]


def _current_round(of_format: Format, rounds: int) -> int | None:
    """Return the round that is played now, or the last one, from 0; None if there are no rounds to show."""
    if not rounds:
        return None
    if not of_format.bracket:
        return rounds - 1
    return next((no for no, one in enumerate(of_format.bracket) if not one.is_decided), rounds - 1)


def _links(picture: Drawing, of_format: Format, league: LeagueRecord) -> dict[tuple[int, int], Any]:
    """Return, by round and table, the match to link to if there is only one, and whether the table still plays."""
    found = {}
    for box in picture.boxes:
        matches = _matches_at(of_format, box)
        only = str(matches[0].match_no) if len(matches) == 1 else None
        is_open = league.state == "running" and any(match.state == "planned" for match in matches)
        found[box.round_no, box.table] = (only, is_open)
    return found


def _matches_at(of_format: Format, box: Box) -> Sequence[MatchRecord]:
    players = of_format.bracket[box.round_no].tables[box.table].players
    return of_format.matches.get((box.round_no, players), ())


def _pairings(store: Store, league: LeagueRecord, of_format: Format, shown: int) -> list[Pairing]:
    labels = labels_of(store, league)
    if of_format.bracket:
        found = []
        for table in of_format.bracket[shown].tables:
            sides = [
                (
                    "" if entry is None else labels[entry],
                    "" if (score := table.score_of(place)) is None else points(score),
                    "" if not table.advancing else "on" if entry in table.advancing else "out",
                )
                for place, entry in enumerate(table.entries)
            ]
            matches = of_format.matches.get((shown, table.players), ())
            found.append(_pairing(table.name.capitalize(), sides, matches, is_bye=table.is_bye))
        return found
    tables: dict[tuple[int, ...], list[MatchRecord]] = {}
    of_round = _matches_of_round(store, league, shown)
    for match in of_round:
        tables.setdefault(tuple(sorted(match.entries)), []).append(match)
    results = (
        {
            one.match_no: one
            for one in store.matches.results(league.uuid, of_round[0].match_no, of_round[-1].match_no)
        }
        if of_round
        else {}
    )
    found = []
    for matches in tables.values():
        order = matches[0].entries
        won, games = dict.fromkeys(order, 0), 0
        for match in matches:
            if (result := results.get(match.match_no)) is not None and match.state == "done":
                games += match.games
                for entry, share in zip(result.entries, result.shares, strict=True):
                    won[entry] = won.get(entry, 0) + share
        best = max(won.values())
        is_level = not games or len(set(won.values())) == 1
        order = tuple(sorted(order, key=lambda entry: -won[entry]))
        sides = [
            (
                labels[entry],
                points(won[entry] / UNIT / games) if games else "",
                "" if is_level else "on" if won[entry] == best else "out",
            )
            for entry in order
        ]
        found.append(_pairing("", sides, matches))
    return found


def _pairing(
    name: str, sides: Sequence[tuple[str, str, str]], matches: Sequence[MatchRecord], *, is_bye: bool = False
) -> Pairing:
    return Pairing(
        name,
        sides,
        [match.match_no for match in matches[:MOST_LINKS]],
        max(0, len(matches) - MOST_LINKS),
        any(match.state == "planned" for match in matches),
        is_bye,
    )


def _matches_of_round(store: Store, league: LeagueRecord, shown: int) -> list[MatchRecord]:
    """Return the matches of a round; none if there are too many to show. Rounds follow each other."""
    low, high = 0, store.leagues.progress(league.uuid).matches_planned - 1
    while low < high:
        middle = (low + high) // 2
        if store.matches.get(league.uuid, middle).round_no < shown:
            low = middle + 1
        else:
            high = middle
    return store.matches.of_round(league.uuid, low, MOST_OF_ROUND) or []


def _byes(store: Store, league: LeagueRecord, of_format: Format, shown: int) -> list[str]:
    """Return who has no match in a round; a bracket shows that by itself."""
    if of_format.bracket:
        return []
    seated = {entry for match in _matches_of_round(store, league, shown) for entry in match.entries}
    if not seated:
        return []
    entries = ranked_entries(store, league, of_format.places)
    return [row.entry.label for row in entries if row.entry.entry_no not in seated][:MOST_BYES]
