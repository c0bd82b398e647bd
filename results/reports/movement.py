"""How the entries of a league have moved in its rankings since an earlier moment."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from results.query_rows import Standing
from results.records import LeagueRecord
from results.reports.columns import ColumnGroup
from results.standings import ranked

if TYPE_CHECKING:
    from results.store import Store


class Movement(Struct, frozen=True):
    """The moment that the rankings are compared with."""

    since: datetime
    match_no: int
    """The rankings of that moment counted the matches below this number."""


class Place(Struct, frozen=True):
    """The place of an entry that has a rank."""

    rank: int
    rating: float
    """μ, or the share in a table without ratings."""


class Moved(ColumnGroup, frozen=True, kw_only=True):
    """How one entry has moved."""

    rank_before: int | None = None
    """None: it had no rank then."""
    places: int | None = field(default=None, name="moved_places")
    """Places gained, negative if lost; None if it has or had no rank."""
    rating: float | None = field(default=None, name="moved_rating")
    """How much the value that rankings are ordered by has changed; None if it had no rank then, or without ratings."""


def places(
    standings: Sequence[Standing], least_matches: int, strengths: Mapping[int, float] | None = None
) -> dict[int, Place]:
    """Return the places, by entry number, of those with a rank: at least one match, and `least_matches`.

    `strengths` order them instead of their ratings, see `ranked`.
    """
    least = max(1, least_matches)
    return {
        row.entry_no: Place(row.place, row.mu)
        for row in ranked(standings, least, strengths)
        if row.matches >= least
    }


def moved_since(before: Mapping[int, Place], entry_no: int, now: Place | None, *, is_rated: bool) -> Moved:
    """Return how an entry has moved since the places `before`."""
    was = before.get(entry_no)
    if was is None or now is None:
        return Moved(rank_before=was.rank if was else None)
    return Moved(
        rank_before=was.rank,
        places=was.rank - now.rank,
        rating=now.rating - was.rating if is_rated else None,
    )


def earlier_standings(
    store: "Store", league: LeagueRecord, standings: Sequence[Standing], match_no: int
) -> list[Standing]:
    """Return the standings after the matches below a number, from the ratings that the ledger has for every match.

    `standings` are those of now. Shares and totals other than `matches` are left as they are. Empty for an unrated
    league.
    """
    if not league.rated:
        return []
    starts = store.ratings.after(league.uuid, -1)
    played = store.ratings.before(league.uuid, match_no)
    earlier = [(row, *played.get(row.entry_no, (starts[row.entry_no], 0))) for row in standings]
    return [replace(row, mu=was.mu, sigma=was.sigma, matches=matches) for row, was, matches in earlier]
