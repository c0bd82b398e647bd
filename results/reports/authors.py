"""How each bot does with its author's other bots at the table, and flags for what its other results don't explain."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import field

from results.analysis.own_author import OwnAuthor
from results.records import LeagueRecord
from results.reports.coalitions import CachedCoalitions, cached_coalitions, current_coalitions
from results.reports.columns import ReportRow

if TYPE_CHECKING:
    from results.store import Store


class AuthorRow(ReportRow, frozen=True, kw_only=True):
    """A bot of an author with several bots. Reference bots have no author."""

    bot: str
    author: str
    matches: int
    """At tables at which its author has another bot, rated or not."""
    matches_rated: int
    share_percent: float | None = field(name="share")
    """Mean share of its games there in percent (0 to 100), as it was played; None without any."""
    matches_others: int
    """Rated matches at tables at which no two bots have one author."""
    share_others_percent: float | None = field(name="share_others")
    expected_percent: float | None = field(name="expected")
    """The share that results at the tables of different authors predict; None, as the next, if they don't tell."""
    difference: float | None
    """How much more the bot took, in percentage points of a share."""
    difference_error: float | None
    """Its standard error."""
    flag: str | None
    """`gains`, `loses`: with its author's bots. None: nothing that honest bots don't show."""
    chance_percent: float | None = field(name="chance")
    """How many of a hundred leagues of honest bots would have any bot as unusual, at most; small if flagged."""


def author_rows(store: "Store", league: LeagueRecord, entry_no: int | None = None) -> list[AuthorRow]:
    """Return the bots of authors with several bots, the most unusual first, or only one of them.

    They are computed from all counted matches, unless they are cached.
    """
    return _rows(store, league, current_coalitions(store, league), entry_no)


def cached_author_rows(store: "Store", league: LeagueRecord) -> list[AuthorRow]:
    """Return the rows of what is cached, which may be of fewer matches; none if nothing is."""
    cached = cached_coalitions(store, league)
    return [] if cached is None else _rows(store, league, cached, None)


def _rows(
    store: "Store", league: LeagueRecord, cached: CachedCoalitions, entry_no: int | None
) -> list[AuthorRow]:
    entries = {entry.entry_no: entry for entry in store.entries.all(league.uuid)}
    rows = [
        _row(one, entries[one.entry_no].label, entries[one.entry_no].author or "")
        for one in cached.authors
        if entry_no in (None, one.entry_no)
    ]
    return sorted(rows, key=_order)


def _row(one: OwnAuthor, bot: str, author: str) -> AuthorRow:
    return AuthorRow(
        bot=bot,
        author=author,
        matches=one.matches,
        matches_rated=one.matches_rated,
        share_percent=_percent(one.share),
        matches_others=one.matches_others,
        share_others_percent=_percent(one.share_others),
        expected_percent=_percent(one.expected),
        difference=_percent(one.difference),
        difference_error=_percent(one.error),
        flag=("gains" if (one.difference or 0.0) > 0 else "loses") if one.is_flagged else None,
        chance_percent=_percent(one.chance),
    )


def _percent(part: float | None) -> float | None:
    return None if part is None else 100 * part


def _order(row: AuthorRow) -> tuple[float, float, int, str, str]:
    chance = 101.0 if row.chance_percent is None else row.chance_percent
    return chance, -abs(row.difference or 0.0), -row.matches, row.author, row.bot


def author_flags(rows: Sequence[AuthorRow]) -> Iterator[str]:
    """Yield a sentence for each flagged bot."""
    for row in rows:
        if row.flag is None or row.difference is None or row.expected_percent is None:
            continue
        chance = row.chance_percent or 0.0
        leagues = f"{chance:.1f} %" if chance >= 0.1 else "fewer than 0.1 %"
        yield (
            f"{row.bot} took {row.expected_percent + row.difference:.1f} % of the share with its author's bots at the "
            f"table, and results at other tables predict {row.expected_percent:.1f} %; {leagues} of leagues of honest "
            "bots would show such a bot"
        )


def why_not_compared(rows: Sequence[AuthorRow]) -> str:
    """Return why no bot can be compared, in a sentence, with what to do next; empty if one can be."""
    if not rows:
        return (
            "no author has several bots in this league, so there is nothing to compare; --view coalitions looks at "
            "all pairs, whoever their author is"
        )
    if not any(row.matches for row in rows):
        return (
            "no bot has met another one of its author, so none can have gained by it; --view coalitions looks at all "
            "pairs, whoever their author is"
        )
    if all(row.difference is None for row in rows):
        return (
            "nothing can be compared yet: it takes 8 matches with the author's bots, and 8 of each bot at those "
            "tables with bots of other authors; play more matches"
        )
    return ""
