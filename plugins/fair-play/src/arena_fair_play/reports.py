"""Who does better or worse with whom at the table, and with its author's other bots; flags for what isn't explained."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import field

from arena_fair_play.findings import Coalitions, Company, Kind, OwnAuthor, Term
from results.analysis.fit_results import Measure
from results.records import LeagueRecord
from results.reports.columns import Column, ReportRow, in_percent, percent, row_from
from results.reports.fits import Cached, FitBy, fit_by_of, read_cached

if TYPE_CHECKING:
    from results.store import Store


_FORM = 3
"""Increase this whenever the same matches would give other figures."""


def plus_minus(value: float | None, error: float | None) -> str:
    """Return a value with its 95 % interval, roughly; empty if either isn't known."""
    return "" if value is None or error is None else f"{value:+.1f}±{2 * error:.1f}"


def _chance(what: str) -> Column:
    """Return the column of how usual the most unusual of some bots or pairs is."""
    told = f"In how many of 100 leagues of honest bots some {what} looks as unusual; below 5 it is flagged"
    return Column(
        "honest %", 1, priority=2, up=True, help=told, only_if=lambda row: row.chance_percent is not None
    )


class CoalitionRow(ReportRow, frozen=True, kw_only=True):
    """A bot, with and without another at the table."""

    bot: Annotated[str, Column(priority=0)]
    other: Annotated[str, Column("with", priority=0, help="The bot at the same table")]
    games_with: Annotated[int, Column("games", priority=4, help="Games of both at one table")]
    games_without: int
    share_with_percent: Annotated[
        float, Column("share %", 1, priority=3, page="Share with", help="Its mean share in those games")
    ] = field(name="share_with")
    share_without_percent: Annotated[
        float | None,
        Column("share %\nwithout", 1, priority=3, help="Its mean share in games without the other"),
    ] = field(name="share_without")
    score_with: Annotated[float, Column("score", 2, priority=6, help="Its mean points in those games")]
    score_without: Annotated[
        float | None,
        Column("score\nwithout", 2, priority=6, help="Its mean points in games without the other"),
    ]
    by: str
    """What the next are in: `scores`, points per game; `shares`, percentage points of a share."""
    gain: Annotated[
        float | None,
        Column(
            right=True,
            priority=1,
            drawn=lambda row: plus_minus(row.gain, row.gain_error),
            only_if=lambda row: row.gain is not None,
            help="How much better it does with the other than strengths, seats and neighbours explain",
        ),
    ]
    gain_error: float | None
    chance_percent: Annotated[float | None, _chance("pair")] = field(name="chance")
    flag: Annotated[
        str | None,
        Column(
            priority=1,
            only_if=lambda row: row.flag,
            help="Who gains from the other: at its cost, or both at the cost of the rest",
        ),
    ]
    """`gains`, `loses`: one of the two gains what the other loses; `both gain`, `both lose`: at the cost of the
    others, or to their benefit. None: nothing that honest bots don't show."""


class CachedCoalitions(Cached, frozen=True, kw_only=True):
    """The coalitions of a league, and the matches they are based on."""

    found: Coalitions
    company: tuple[Company, ...]
    authors: tuple[OwnAuthor, ...]
    """What `AuthorRow` tells; computed together, as both read all games."""


def cached_coalitions(store: "Store", league: LeagueRecord) -> CachedCoalitions | None:
    """Return what is cached of a league; None if there is none, as `read_cached`."""
    return read_cached(store, league.uuid, _file(league), CachedCoalitions, _FORM, _by(league))


def current_coalitions(store: "Store", league: LeagueRecord) -> CachedCoalitions:
    """Return the coalitions of all counted matches, computed unless they are cached; this reads all games."""
    counted = store.leagues.progress(league.uuid).matches_counted
    cached = cached_coalitions(store, league)
    if cached is not None and cached.through == counted:
        return cached
    from arena_fair_play.coalitions import coalitions, company
    from arena_fair_play.own_author import own_author

    digest, by = store.ratings.digest(league.uuid), _by(league)
    is_told = league.rated and (not league.partners.sides or bool(league.partners.teams))
    rated, unrated = (
        # An entry may have several seats at a table in a league that isn't rated.
        # Partners share every result, which says nothing of a pair.
        [*store.seats.arrays(league.uuid, counted if is_told else 0, rated=is_rated)]
        for is_rated in (True, False)
    )
    authors = {entry.entry_no: entry.author for entry in store.entries.all(league.uuid) if entry.author}
    made = CachedCoalitions(
        form=_FORM,
        through=counted,
        ratings=digest,
        by=by,
        found=coalitions(rated, Measure(by.value)),
        company=company(rated),
        authors=own_author(rated, unrated, authors),
    )
    store.cache.write(_file(league), msgspec.json.encode(made))
    return made


def coalition_rows(
    store: "Store", league: LeagueRecord, entry_no: int | None = None, *, only_cached: bool = False
) -> list[CoalitionRow]:
    """Return all bots, or one, with all that they met, the most unusual pairs first; `only_cached`: compute nothing."""
    cached = cached_coalitions(store, league) if only_cached else current_coalitions(store, league)
    if cached is None:
        return []
    labels = store.entries.labels(league.uuid)
    of_pair: dict[tuple[int, int], list[Term]] = {}
    for term in cached.found.terms:
        of_pair.setdefault((term.entry_no, term.other_no), []).append(term)
    rows = [
        _row(one, labels[one.entry_no], labels[one.other_no], cached.by.value, of_pair)
        for one in cached.company
        if entry_no in (None, one.entry_no)
    ]
    return sorted(rows, key=_order)


def _row(
    one: Company, bot: str, other: str, by: str, of_pair: dict[tuple[int, int], list[Term]]
) -> CoalitionRow:
    is_first = one.entry_no < one.other_no
    terms = of_pair.get((min(one.entry_no, one.other_no), max(one.entry_no, one.other_no)), [])
    return row_from(
        one,
        CoalitionRow,
        bot=bot,
        other=other,
        share_with_percent=in_percent(one.share_with),
        share_without_percent=percent(one.share_without),
        by=by,
        gain=sum(_part(term, is_first=is_first) * term.value for term in terms) if terms else None,
        gain_error=sum((_part(term, is_first=is_first) * term.error) ** 2 for term in terms) ** 0.5
        if terms
        else None,
        flag=_flag(terms, is_first=is_first),
        chance_percent=percent(min((term.chance for term in terms), default=None)),
    )


def _part(term: Term, *, is_first: bool) -> float:
    """Return which part of a term is the gain of one of the pair: a transfer is the difference of the two."""
    if term.kind is Kind.ALLIANCE:
        return 1.0
    return 0.5 if is_first else -0.5


def _flag(terms: Sequence[Term], *, is_first: bool) -> str | None:
    """Return the flag of one of a pair, by the less likely term if both are flagged."""
    flagged = [term for term in terms if term.is_flagged]
    if not flagged:
        return None
    term = min(flagged, key=lambda one: one.chance)
    is_up = _part(term, is_first=is_first) * term.value > 0
    if term.kind is Kind.ALLIANCE:
        return "both gain" if is_up else "both lose"
    return "gains" if is_up else "loses"


def _order(row: CoalitionRow) -> tuple[bool, float, float, str, str]:
    chance = 100.0 if row.chance_percent is None else row.chance_percent
    return row.flag is None, chance, -(row.gain or 0.0), row.bot, row.other


def flags(rows: Sequence[CoalitionRow]) -> Iterator[str]:
    """Yield a sentence for each flagged pair."""
    of_pair = {(row.bot, row.other): row for row in rows}
    for row in rows:
        if row.flag not in ("gains", "both gain", "both lose") or row.gain is None:
            continue
        back = of_pair.get((row.other, row.bot))
        if row.flag != "gains" and (row.bot > row.other or back is None):
            continue
        chance = row.chance_percent or 0.0
        share = f"{chance:.1f} %" if chance >= 0.1 else "less than 0.1 %"
        other = f", and {row.other} {_gained(back)}" if back is not None and back.gain is not None else ""
        yield (
            f"{row.bot} {_gained(row)} at tables with {row.other} than its strength explains{other}; "
            f"{share} of leagues of honest bots have a pair this unusual"
        )


def _gained(row: CoalitionRow) -> str:
    gain = row.gain or 0.0
    amount = f"{abs(gain):.1f} {'points' if row.by == FitBy.SCORES else 'percentage points of share'}"
    return f"{'scores' if row.by == FitBy.SCORES else 'takes'} {amount} {'more' if gain > 0 else 'less'}"


def _by(league: LeagueRecord) -> FitBy:
    return FitBy.SCORES if fit_by_of(league) is FitBy.SCORES else FitBy.SHARES


def _file(league: LeagueRecord) -> str:
    return f"{league.uuid}.coalitions.json"


class AuthorRow(ReportRow, frozen=True, kw_only=True):
    """A bot of an author with several bots. Reference bots have no author."""

    bot: Annotated[str, Column(priority=0)]
    author: Annotated[str, Column(priority=4, help="Whose bot it is")]
    matches: Annotated[int, Column(priority=3, help="Matches against other bots of its author, rated or not")]
    matches_rated: Annotated[int, Column("rated", priority=6, help="Those of them that are rated")]
    share_percent: Annotated[float | None, Column(decimals=1, priority=2, help="Its mean share in them")] = (
        field(name="share")
    )
    matches_others: Annotated[
        int,
        Column(
            "with\nothers",
            priority=7,
            quiet=True,
            help="Rated matches in which all bots have different authors",
        ),
    ]
    share_others_percent: Annotated[
        float | None, Column("others %", 1, priority=5, help="Its mean share in those")
    ] = field(name="share_others")
    expected_percent: Annotated[
        float | None,
        Column("expected", 1, priority=2, help="The share that its results against other authors predict"),
    ] = field(name="expected")
    difference: Annotated[
        float | None,
        Column(
            right=True,
            priority=1,
            drawn=lambda row: plus_minus(row.difference, row.difference_error),
            help="Share − expected, ± its 95 % interval",
        ),
    ]
    difference_error: float | None
    chance_percent: Annotated[float | None, _chance("bot")] = field(name="chance")
    flag: Annotated[
        str | None,
        Column(priority=1, only_if=lambda row: row.flag, help="`gains` or `loses`: with its author's bots"),
    ]
    """`gains`, `loses`: with its author's bots. None: nothing that honest bots don't show."""


def author_rows(
    store: "Store", league: LeagueRecord, entry_no: int | None = None, *, only_cached: bool = False
) -> list[AuthorRow]:
    """Return the bots of authors with several bots, the most unusual first; otherwise as `coalition_rows`."""
    cached = cached_coalitions(store, league) if only_cached else current_coalitions(store, league)
    entries = {entry.entry_no: entry for entry in store.entries.all(league.uuid)}
    rows = [
        row_from(
            one,
            AuthorRow,
            bot=entries[one.entry_no].label,
            author=entries[one.entry_no].author or "",
            share_percent=percent(one.share),
            share_others_percent=percent(one.share_others),
            expected_percent=percent(one.expected),
            difference=percent(one.difference),
            difference_error=percent(one.error),
            flag=("gains" if (one.difference or 0.0) > 0 else "loses") if one.is_flagged else None,
            chance_percent=percent(one.chance),
        )
        for one in (cached.authors if cached else ())
        if entry_no in (None, one.entry_no)
    ]
    return sorted(rows, key=_author_order)


def _author_order(row: AuthorRow) -> tuple[float, float, int, str, str]:
    chance = 101.0 if row.chance_percent is None else row.chance_percent
    return chance, -abs(row.difference or 0.0), -row.matches, row.author, row.bot


def author_flags(rows: Sequence[AuthorRow]) -> Iterator[str]:
    """Yield a sentence for each flagged bot."""
    for row in rows:
        if row.flag is None or row.difference is None or row.expected_percent is None:
            continue
        chance = row.chance_percent or 0.0
        leagues = f"{chance:.1f} %" if chance >= 0.1 else "less than 0.1 %"
        yield (
            f"{row.bot} took {row.expected_percent + row.difference:.1f} % of the share with its author's bots at the "
            f"table, and results at other tables predict {row.expected_percent:.1f} %; {leagues} of leagues of honest "
            "bots have a bot this unusual"
        )


def why_not_compared(rows: Sequence[AuthorRow]) -> str:
    """Return why no bot can be compared, in a sentence, with what to do next; empty if one can be."""
    if not rows:
        return (
            "no author has several bots in this league, so there is nothing to compare; --view coalitions looks at "
            "all pairs, whatever their authors"
        )
    if not any(row.matches for row in rows):
        return (
            "no bot has met another one by its author, so there is nothing to compare; --view coalitions looks at all "
            "pairs, whatever their authors"
        )
    if all(row.difference is None for row in rows):
        return (
            "too few matches to compare: it takes 8 with several bots of one author, and 8 of each of these bots with "
            "other authors; play more matches"
        )
    return ""
