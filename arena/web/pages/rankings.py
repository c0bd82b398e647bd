"""The ladder of a league: its rankings."""

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from operator import attrgetter
from types import MappingProxyType
from typing import NamedTuple

from arena.web.html.game_art import title_of_game
from arena.web.html.page_model import NoPage, Page, PageRefused
from arena.web.html.paging import A_PAGE, Listed, asks_of, listed
from arena.web.html.rendering import count, number, signed
from arena.web.http.page_threads import takes_long
from arena.web.pages import (
    PREVIEW,
    feeds_of,
    has_standings,
    ladder_query,
    league_named,
    path_of,
    some,
    tabs,
)
from arena.web.pages.ladder_query import SPANS, Filters, filters_of
from arena.web.pages.league_format import about, format_places
from results.base.errors import RatingFailed, RatingMissing
from results.base.scoring import MAX_SEATS
from results.base.text import decimals_of, rounded_to
from results.records import LeagueRecord
from results.reports.charts import Axis, axis, interval_path
from results.reports.fits import UNITS, CachedFit, FitBy, FitUnit, cached_fit, fit_by_of
from results.reports.ranking_columns import RESULT_COLUMNS, RankingRow, Rankings, Undecided, is_against_shares
from results.reports.rankings import rankings
from results.reports.recounted_matches import EVERY_MATCH, Selection, counted_for
from results.store import Store

LIMIT_S = 3.0
"""Measured: about 9000 matches at tables of four, each of two games. It is looked at every 512 matches."""


class TooLarge(Exception):
    """The selection takes longer than readers may ask of the server."""


def recounted(
    store: Store,
    league: LeagueRecord,
    fit: CachedFit | None,
    selection: Selection,
    since: datetime | None,
    limit_s: float = LIMIT_S,
) -> Rankings:
    """Return the rankings of a selection of matches. Raises TooLarge, TakesLong, and what `rankings` raises."""
    if selection.is_everything:
        return rankings(store, league, fit, since=since, by_format=format_places(store, league))
    takes_long("counting all matches" if selection is EVERY_MATCH else "rating chosen matches")
    stop = time.monotonic() + limit_s

    def look(_read: int, _of: int) -> None:
        if time.monotonic() > stop:
            raise TooLarge

    return rankings(store, league, fit, selection=selection, since=since, report=look)


BAR_LENGTH = 160.0
SIGMAS = 2
"""Half the width of an interval without a fit, in σ."""
COLUMNS = tuple(column for column in RESULT_COLUMNS if column.help)
_SORTS: Mapping[str, Callable[[RankingRow], float | str | None]] = {
    "rank": lambda row: row.rank,
    "bot": lambda row: row.label.casefold(),
    "rating": lambda row: row.mu,
    "strength": lambda row: row.strength.value if row.strength else None,
    "places": lambda row: row.claims.place_best if row.claims else None,
    "above": lambda row: len(row.claims.above) if row.claims else None,
    "moved": lambda row: row.moved.places if row.moved else None,
    **{column.sort_key: attrgetter(column.key) for column in COLUMNS},
}
SORTS = tuple(_SORTS)
_UP = ("rank", "bot", "places")
"""Columns that are sorted by the lowest first."""
ASKS = (*ladder_query.ASKS, *asks_of(""))
"""What may follow the address of a ladder."""
POLLS_S = 5
RECOUNT_POLLS_S = 60
"""A selection is rated again each time, so it is looked at less often."""


class StrengthWords(NamedTuple):
    """A fitted strength in words."""

    value: str
    error: str
    """Half the width of its 95 % interval with ± before it; empty without one."""


def ladder(store: Store, name: str, page: str = "", **asked: tuple[str, ...]) -> Page:
    """Return the ladder of a league; `asked`: its conditions, by the names in `ASKS`.

    `page`: which part of a long one. Raises NoPage, and PageRefused for conditions that can't be met.
    """
    league = league_named(store, name)
    filters = filters_of(store, league, asked, datetime.now(UTC))
    if filters.problems:
        raise PageRefused(_page(store, league, _all(store, league), filters, filters.problems), 400)
    try:
        found = found_rankings(store, league, filters)
    except TooLarge:
        why = "Rating these matches takes too long to wait for. Choose fewer of them, such as those of one week."
        raise PageRefused(_page(store, league, _all(store, league), filters, (why,)), 503) from None
    except (RatingMissing, RatingFailed) as error:
        raise PageRefused(_page(store, league, _all(store, league), filters, (str(error),)), 503) from None
    return _page(store, league, found, filters, (), page, asked)


def ratings(store: Store, name: str, page: str = "", **asked: tuple[str, ...]) -> Page:
    """Return the ladder as a page beside the standings of a league. Raises NoPage, PageRefused."""
    if not has_standings(store, league_named(store, name)):
        raise NoPage(f"The ratings of {name} are on its first page.")
    return ladder(store, name, page, **asked)


def found_rankings(store: Store, league: LeagueRecord, filters: Filters) -> Rankings:
    """Return the rankings that are asked for. Raises TooLarge, TakesLong, RatingMissing and RatingFailed."""
    selection = counted_for(league, filters.selection)
    fit = _fit(store, league)
    try:
        return recounted(store, league, fit, selection, filters.moved_since)
    except TooLarge:
        if selection is EVERY_MATCH:  # nobody has asked for it
            return _all(store, league)
        raise


def _all(store: Store, league: LeagueRecord) -> Rankings:
    return rankings(store, league, _fit(store, league), by_format=format_places(store, league))


def _fit(store: Store, league: LeagueRecord) -> CachedFit | None:
    """Return the latest fit of what the league is about."""
    return cached_fit(store, league.uuid, fit_by_of(league)) if league.rated else None


def own_rows(listed: Listed[RankingRow]) -> dict[str, list[tuple[str, int, int]]]:
    """Return the bots of each author that play: their labels, on which page they are, and their places in the list."""
    found: dict[str, list[tuple[str, int, int]]] = {}
    for place, row in enumerate(listed.found):
        if row.version and not row.retired:
            author = row.version.partition("/")[0]
            found.setdefault(author, []).append((row.label, place // A_PAGE + 1, place))
    return found


def _page(
    store: Store,
    league: LeagueRecord,
    found: Rankings,
    filters: Filters,
    problems: Sequence[str],
    page: str = "",
    asked: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
) -> Page:
    rows = [row for row in found.rows if row.state == "active"] if filters.active_only else list(found.rows)
    whole = path_of(league, "ratings") if has_standings(store, league) else path_of(league)
    listing = listed(rows, whole, asked, attrgetter("label"), page=page, sorts=_SORTS, ups=_UP)
    part = listing.part
    by_fit = _has_intervals(rows)
    scale = _scale(found, rows, by_fit=by_fit)
    has_strengths = any(row.strength for row in rows)
    has_claims = any(row.claims for row in rows)
    progress = store.leagues.progress(league.uuid)
    return Page(
        part.path(part.number),
        f"Ratings · {league.name}" if has_standings(store, league) else entitled(league),
        "ladder.html",
        {
            "about": about(store, league),
            "has_standings": has_standings(store, league),
            "may_rank": league.traits.chooses_each,
            "provisional": _provisional(found.rows) if league.traits.chooses_each else {},
            "league": found.league,
            "rankings": found,
            "lines": [
                (row, _bar(found, row, scale, by_fit=by_fit), strength_in_words(row)) for row in listing.rows
            ],
            "own": own_rows(listing),
            "has_strengths": has_strengths,
            "has_claims": has_claims,
            "form": f"{by_fit} {has_strengths} {has_claims} {scale is not None} {part.is_long}",
            "decimals": found.scale.decimals,
            "by_fit": by_fit,
            "fit_unit": UNIT_WORDS[UNITS[found.fit_by]],
            "has_bars": scale is not None,
            "ticks": scale.ticks() if scale else [],
            "has_ties": any(row.is_undecided for row in rows),
            "rating_words": "The estimated strength, μ" if found.scale.has_sigma else "The rating",
            "undecided": _undecided(found),
            "drifted": [row for row in found.rows if row.claims and row.claims.drift][:3],
            "is_against_shares": found.chosen and found.is_rated and is_against_shares(found.rows),
            "filters": filters,
            "problems": problems,
            "spans": SPANS,
            "most_seats": MAX_SEATS,
            "progress": progress,
            "not_active": len(found.rows) - len(rows),
            "result_columns": COLUMNS,
        },
        tabs=tabs(store, league),
        polls_s=0
        if league.state == "finished"
        else RECOUNT_POLLS_S
        if filters.is_recount or filters.moved_since or not league.rated
        else POLLS_S,
        scripts=("tables.js",),
        part=part,
        heading="" if has_standings(store, league) else league.name,
        description=described(store, league, found),
        feeds=feeds_of(league),
        preview=path_of(league, PREVIEW),
    )


def _provisional(rows: Sequence[RankingRow]) -> dict[str, int]:
    """Return the places, below all ranks, of those that play and still need matches for a rank, by label."""
    first = sum(row.rank is not None for row in rows) + 1
    waiting = [row.label for row in rows if row.rank is None and row.needs and row.state == "active"]
    return {label: place for place, label in enumerate(waiting, first)}


def entitled(league: LeagueRecord) -> str:
    """Return the title of a league's first page."""
    title = title_of_game(league.ruleset.game) if league.ruleset else ""
    return f"{league.name} · {title}" if title else league.name


def described(store: Store, league: LeagueRecord, found: Rankings) -> str:
    """Return a league in a sentence or two, with the first of its rankings."""
    title = title_of_game(league.ruleset.game) if league.ruleset else "cards"
    first = [row.label for row in found.rows if row.rank is not None][:3]
    matches = store.leagues.progress(league.uuid).matches_done
    return (
        f"A league of {title} with {count(len(found.rows), 'bot')} after {count(matches, 'match', 'matches')}."
        f"{f' First: {some(first)}.' if first else ''}"
    )


def _undecided(found: Rankings) -> list[Undecided]:
    """Return the neighbours that would be told apart soonest, and the closest ones, with rounded numbers."""
    pairs = found.undecided if found.fit is not None else ()
    return [
        pair._replace(matches=pair.matches and rounded_to(2, pair.matches))
        for pair in (pairs[:1] + pairs[1:][-1:])
    ]


UNIT_WORDS = {
    FitUnit.ELO: "Elo points",
    FitUnit.POINTS: "points per game",
    FitUnit.PERCENT: "percent of a share",
}
MOST_DECIMALS = {FitUnit.ELO: 0, FitUnit.POINTS: 4, FitUnit.PERCENT: 4}


def strength_in_words(row: RankingRow) -> StrengthWords | None:
    """Return the fitted strength of an entry, with as many decimals as its interval justifies; None without a fit."""
    found = row.strength
    if found is None:
        return None
    most = MOST_DECIMALS[found.unit]
    if found.half is None:
        return StrengthWords(signed(found.value, min(2, most)), "")
    decimals = min(most, decimals_of(found.half))
    return StrengthWords(signed(found.value, decimals), f"±{number(found.half, decimals)}")


def _has_intervals(rows: Sequence[RankingRow]) -> bool:
    """Return whether the fit gives every entry with a rank an interval."""
    ranked = [row for row in rows if row.rank is not None]
    return bool(ranked) and all(row.strength is not None and row.strength.half is not None for row in ranked)


def _ends(row: RankingRow, *, by_fit: bool) -> tuple[float, float, float] | None:
    """Return the lower end of an interval, its middle and its upper end."""
    if by_fit:
        found = row.strength
        if found is None or found.low is None or found.high is None:
            return None
        return found.low, found.value, found.high
    if row.mu is None or row.sigma is None or not row.matches:
        return None
    return row.mu - SIGMAS * row.sigma, row.mu, row.mu + SIGMAS * row.sigma


def _scale(found: Rankings, rows: Sequence[RankingRow], *, by_fit: bool) -> Axis | None:
    """Return the scale of all bars; the wide ones of entries without a rank count only if there are no others."""
    if not found.is_rated:
        return None
    surely = [row for row in rows if row.rank is not None] or rows
    found_ends = [ends for row in surely if (ends := _ends(row, by_fit=by_fit))]
    if not found_ends:
        return None
    return axis((value for three in found_ends for value in three), BAR_LENGTH, 5)


def _bar(found: Rankings, row: RankingRow, scale: Axis | None, *, by_fit: bool) -> tuple[str, str] | None:
    """Return the path of the interval of a rating, in an SVG 16 high, and its ends in words."""
    ends = _ends(row, by_fit=by_fit)
    if scale is None or ends is None:
        return None
    decimals = min(1, found.scale.decimals)
    if by_fit:
        decimals = 0 if found.fit_by is FitBy.PLACES else 2
    low, _, high = (f"{value:z.{decimals}f}".replace("-", "−") for value in ends)
    return (interval_path(scale, *ends), f"{low} … {high}")
