"""The standings of a league by its own format: a bracket, points with tie-breaks, a table of all pairs; its rounds."""

from collections.abc import Mapping, Sequence
from operator import attrgetter
from types import MappingProxyType
from typing import Any, NamedTuple

from arena.web.html.page_model import Crumb, NoPage, Page
from arena.web.html.paging import Part, listed
from arena.web.html.rendering import number as number_text
from arena.web.html.rendering import percent
from arena.web.pages import PREVIEW, feeds_of, has_standings, league_named, path_of, tabs
from arena.web.pages.bracket_layout import Drawing, drawing
from arena.web.pages.league_format import Format, about, format_of, leaders, points, round_count
from arena.web.pages.rankings import described, entitled, ladder, own_rows, recounted, strength_in_words
from arena.web.pages.statistics import cell_of
from results.base.scoring import UNIT
from results.records import LeagueRecord, MatchRecord
from results.reports.columns import Column
from results.reports.fits import cached_fit, fit_by_of
from results.reports.head_to_head import CountedBy, pair_rows
from results.reports.matches import MOST_OF_ROUND
from results.reports.ranking_columns import (
    RESULT_COLUMNS,
    TIE_BREAKS,
    RankingRow,
    Rankings,
    first_places,
    place_range,
    score_columns,
    standing_columns,
    winner,
)
from results.reports.rankings import ranked_entries
from results.reports.recounted_matches import Selection
from results.store import Store

MOST_CROSS = 20
"""Bots in the table of all pairs."""
MOST_BYES = 20


class Pairing(NamedTuple):
    """A table of a round."""

    name: str
    """If it isn't that of the round."""
    sides: Sequence[tuple[str, str, str]]
    """Label, score, and `on` or `out` of each."""
    matches: Sequence[MatchRecord]
    is_bye: bool = False
    decided_by: str = ""
    """What decided between two that are level."""


def first_page(store: Store, name: str, page: str = "", **asked: tuple[str, ...]) -> Page:
    """Return the first page of a league: its standings, or its ladder if ratings decide. Raises as `ladder` does."""
    league = league_named(store, name)
    if not has_standings(store, league) and not league.counts_scores:
        return ladder(store, name, page, **asked)
    fit = cached_fit(store, league.uuid, fit_by_of(league))
    found = recounted(store, league, fit, Selection(), None)
    of_format = format_of(store, league)
    columns = _columns(found)
    said = winner(found)
    listing = listed(found.rows, path_of(league), asked, attrgetter("label"), page=page)
    part = listing.part
    labels = store.entries.labels(league.uuid)
    names = _round_names(store, league, of_format)
    shown = _current_round(of_format, len(names))
    picture = drawing(of_format.bracket, labels) if of_format.bracket else None
    progress = store.leagues.progress(league.uuid)
    has_cross = found.by_share and progress.matches_done > 1  # before, places say it all
    crossed = [row.label for row in found.rows if row.matches][:MOST_CROSS] if has_cross else []
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
            "progress": progress,
            "rankings": found,
            "winners": first_places((row.rank, row.label) for row in found.rows) if said else (),
            "winner": said,
            "heads": [(one.page_title, one.help, one.wide) for one in columns],
            "lines": [
                (
                    row,
                    [(_text(one, row), one.wide) for one in columns],
                    [(other, cell_of(pairs.get((row.label, other)))) for other in crossed],
                )
                for row in listing.rows
            ],
            "own": own_rows(listing),
            "crossed": crossed,
            "tie_breaks": _tie_breaks(found),
            "picture": picture,
            "links": _links(picture, of_format, league) if picture else {},
            "backwards": [
                (names[no], _of_bracket(of_format, no, labels)) for no in reversed(range(len(names)))
            ]
            if picture and not picture.is_tall
            else (),
            **_round(store, league, of_format, names, shown, labels),
            "about": about(store, league),
        },
        tabs=tabs(store, league),
        polls_s=0 if league.state == "finished" else 5,
        part=part,
        heading=league.name,
        description=described(store, league, found),
        feeds=feeds_of(league),
        preview=path_of(league, PREVIEW),
    )


def round_page(store: Store, name: str, number: str, page: str = "", **asked: tuple[str, ...]) -> Page:
    """Return the page of a round, which counts from 1. Raises NoPage."""
    league = league_named(store, name)
    of_format = format_of(store, league)
    names = _round_names(store, league, of_format)
    if not (len(number) <= 6 and number in {str(one + 1) for one in range(len(names))}):
        raise NoPage(f"League {league.name} has no page of a round {number}.")
    shown = int(number) - 1
    values = _round(store, league, of_format, names, shown, store.entries.labels(league.uuid), page, asked)
    part: Part = values["tables"]
    return Page(
        part.path(part.number),
        f"{names[shown]} · {league.name}",
        "round.html",
        {"league": league, "about": about(store, league), "leaders": leaders(store, league)[0], **values},
        crumbs=(Crumb("Standings", path_of(league)),),
        tabs=tabs(store, league),
        polls_s=0 if league.state == "finished" else 5,
        part=part,
        description=f"Who has met whom in a round of {league.name}, and with what result.",
    )


def _columns(found: Rankings) -> list[Column]:
    """Return the columns, those first that decide the order."""
    if found.counts_scores:
        results = {column.key: column for column in RESULT_COLUMNS}
        return [
            *score_columns(found.rows, found.scale.decimals),
            *_ABOVE_AVERAGE,
            results["matches"],
            results["faults"],
        ]
    first = tuple(standing_columns(found.rows)) if found.own_standings else ()
    if not first and not found.by_share:
        first = (Column("Rating", found.scale.decimals, key="mu"),)
    results = {column.key: column for column in RESULT_COLUMNS}
    return [*first, results["share_percent"], results["wins"], results["matches"]]


_ABOVE_AVERAGE = (
    Column(
        "above average",
        key="strength",
        right=True,
        drawn=lambda row: (
            "" if (told := strength_in_words(row)) is None else f"{told.value} {told.error}".strip()
        ),
        help="Points a game above an average bot on the same deals, ± half of the 95 % interval",
    ),
    Column(
        "places",
        key="places",
        right=True,
        drawn=place_range,
        help="The range of places that it may have; all ranges hold together with 95 % confidence",
    ),
)


def _text(column: Column, row: RankingRow) -> str:
    value = column.drawn(row) if column.drawn else getattr(row, column.key)
    if value is None or isinstance(value, str):
        return value or ""
    return percent(value) if column.key == "share_percent" else number_text(value, column.decimals or 0)


def _tie_breaks(found: Rankings) -> list[tuple[str, str]]:
    """Return the names of the tie-breaks, the most important first, and what they are."""
    first = next((row.standing for row in found.rows if row.standing is not None), None)
    return [(name, TIE_BREAKS.get(name, "")) for name in first.tie_breaks] if first else []


def _round_names(store: Store, league: LeagueRecord, of_format: Format) -> list[str]:
    return [one.title for one in of_format.bracket] or [
        f"Round {one + 1}" for one in range(round_count(store, league))
    ]


def _round(
    store: Store,
    league: LeagueRecord,
    of_format: Format,
    names: Sequence[str],
    shown: int | None,
    labels: Mapping[int, str],
    page: str = "",
    asked: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
) -> dict[str, Any]:
    """Return what pages show of a round, from 0, and the names of all; None: there is no round to show. Raises NoPage.

    `page`: which part of its tables.
    """
    pairings: list[Pairing] = []
    byes: list[str] = []
    if shown is not None and of_format.bracket:
        pairings = _of_bracket(of_format, shown, labels)
    elif shown is not None:
        matches = _matches_of_round(store, league, shown)
        pairings = _of_matches(store, league, matches, labels)
        byes = _byes(store, league, of_format, matches)
    whole = path_of(league, "rounds", str((shown or 0) + 1))
    listing = listed(pairings, whole, asked, lambda one: " ".join(side[0] for side in one.sides), page=page)
    return {"rounds": names, "shown": shown, "pairings": listing.rows, "tables": listing.part, "byes": byes}


def _current_round(of_format: Format, rounds: int) -> int | None:
    """Return the round that is played now, or the last one, from 0; None if there are no rounds to show."""
    if not rounds:
        return None
    if not of_format.bracket:
        return rounds - 1
    return next((no for no, one in enumerate(of_format.bracket) if not one.is_decided), rounds - 1)


def _links(picture: Drawing, of_format: Format, league: LeagueRecord) -> dict[tuple[int, int], Any]:
    """Return of each table the match to link to if there is only one, whether it still plays, and what decided it."""
    found = {}
    for box in picture.boxes:
        table = of_format.bracket[box.round_no].tables[box.table]
        matches = of_format.matches.get((box.round_no, table.players), ())
        only = str(matches[0].match_no) if len(matches) == 1 else None
        is_open = league.state == "running" and any(match.state == "planned" for match in matches)
        found[box.round_no, box.table] = (only, is_open, table.decided_by)
    return found


def _of_bracket(of_format: Format, shown: int, labels: Mapping[int, str]) -> list[Pairing]:
    found = []
    for table in of_format.bracket[shown].tables:
        sides = [
            (
                "" if entry is None else labels[entry],
                "" if (score := table.score_of(place)) is None else points(score),
                table.state_of(place),
            )
            for place, entry in enumerate(table.entries)
        ]
        matches = of_format.matches.get((shown, table.players), ())
        found.append(Pairing(table.name.capitalize(), sides, matches, table.is_bye, table.decided_by))
    return found


def _of_matches(
    store: Store, league: LeagueRecord, of_round: Sequence[MatchRecord], labels: Mapping[int, str]
) -> list[Pairing]:
    tables: dict[tuple[int, ...], list[MatchRecord]] = {}
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
        found.append(Pairing("", sides, matches))
    return found


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


def _byes(store: Store, league: LeagueRecord, of_format: Format, matches: Sequence[MatchRecord]) -> list[str]:
    """Return who has no match in a round; none if its matches aren't shown."""
    seated = {entry for match in matches for entry in match.entries}
    if not seated:
        return []
    entries = ranked_entries(store, league, of_format.places)
    return [row.entry.label for row in entries if row.entry.entry_no not in seated][:MOST_BYES]
