"""Fits of leagues, and the strengths and claims of their entries.

A fit is cached beside the store, because loading its libraries alone takes over a second.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, TypeVar

import msgspec
from msgspec import Struct

from results.analysis.fit_results import Fit, Measure, Strength
from results.analysis.matches_needed import matches_to_tell
from results.records import LeagueRecord
from results.records.query_rows import SeatResult, Standing
from results.store import Store

if TYPE_CHECKING:
    from results.analysis.match_sums import MatchSums

_FORM = 10
"""Increase this whenever a fit of the same matches would give different results."""
MOST_TO_TELL = 1_000_000
"""Longer leagues are not forecast: so close a pair looks equal."""


class FitBy(StrEnum):
    """What strengths are fitted to."""

    PLACES = "places"
    """Who finished above whom in a game (Bradley–Terry with Davidson's ties)."""
    SCORES = "scores"
    """Points per game, by least squares."""
    SHARES = "shares"
    """Shares of places, by least squares."""


class FitUnit(StrEnum):
    """What strengths are in."""

    ELO = "elo"
    """Elo points above the mean."""
    POINTS = "points"
    """Points per game above the mean."""
    PERCENT = "percent"
    """Percent of a share of places above the mean."""


UNITS = {FitBy.PLACES: FitUnit.ELO, FitBy.SCORES: FitUnit.POINTS, FitBy.SHARES: FitUnit.PERCENT}


class FitSummary(Struct, frozen=True, kw_only=True):
    """What a fit says of all entries together."""

    by: FitBy
    through: int
    """It is based on all matches below this number."""
    pairs: int = 0
    pairs_apart: int = 0
    pairs_apart_familywise: int = 0
    drawn_together: bool = False


def fit_by_of(league: LeagueRecord) -> FitBy:
    """Return what a league's fit is by, as its file says; places if it says nothing."""
    table = league.config.get("ranking")
    by = table.get("by") if isinstance(table, dict) else None
    return FitBy.SCORES if by == FitBy.SCORES or league.counts_scores else FitBy.PLACES


class Cached(Struct, frozen=True, kw_only=True):
    """What was computed from the matches of a league, and which matches these are."""

    form: int
    through: int
    """It is based on all matches below this number."""
    ratings: str
    """Digest of the ratings at that time, which are based on the same matches."""
    by: FitBy


AnyCached = TypeVar("AnyCached", bound=Cached)


def read_cached(
    store: Store, league: str, file: str, kind: type[AnyCached], form: int, by: FitBy
) -> AnyCached | None:
    """Return what a file of the cache has of a league, by uuid; None if it doesn't match the ledger."""
    text = store.cache.read(file)
    try:
        found = None if text is None else msgspec.json.decode(text, type=kind)
    except msgspec.DecodeError:
        return None
    counted = store.leagues.progress(league).matches_counted
    if found is None or found.form != form or found.by is not by or found.through > counted:
        return None
    return found if found.through < counted or found.ratings == store.ratings.digest(league) else None


class CachedFit(Cached, frozen=True, kw_only=True):
    """A fit, and the matches it is based on."""

    fit: Fit

    @property
    def summary(self) -> FitSummary:
        """What it says of all entries together."""
        of_all = {name: getattr(self.fit, name) for name in Fit.__struct_fields__ if name != "strengths"}
        return FitSummary(by=self.by, through=self.through, **of_all)

    @property
    def strengths(self) -> dict[int, Strength]:
        """The strengths by entry number."""
        return {one.entry_no: one for one in self.fit.strengths}


def cached_fit(store: Store, league: str, by: FitBy = FitBy.PLACES) -> CachedFit | None:
    """Return the cached fit of a league, by uuid; None if there is none, as `read_cached`."""
    return read_cached(store, league, _file(league, by), CachedFit, _FORM, by)


def new_fit(store: Store, league: str, by: FitBy = FitBy.PLACES) -> CachedFit:
    """Fit all matches counted in the rankings of a league, by uuid, and cache the result if that is possible."""
    through, ratings = store.leagues.progress(league).matches_counted, store.ratings.digest(league)
    fit = _fitted(store, league, by, through)
    made = CachedFit(form=_FORM, through=through, ratings=ratings, by=by, fit=fit)
    store.cache.write(_file(league, by), msgspec.json.encode(made))
    return made


def fit_of(store: Store, league: str, by: FitBy, match_nos: Collection[int]) -> CachedFit:
    """Fit some of a league's matches, and cache nothing."""
    fit = _fitted(store, league, by, max(match_nos, default=-1) + 1, match_nos)
    return CachedFit(form=_FORM, through=len(match_nos), ratings="", by=by, fit=fit)


def _fitted(store: Store, league: str, by: FitBy, through: int, only: Collection[int] | None = None) -> Fit:
    """Fit the matches of a league below `through`, or `only` those with certain numbers."""
    import numpy as np

    from results.analysis.fit import fit
    from results.analysis.match_sums import by_deal, match_sums
    from results.analysis.point_strengths import deal_strengths, least_squares

    record = store.leagues.get(league)
    blocks = store.seats.arrays(league, through)
    if only is not None:
        numbers = np.fromiter(only, np.int64, len(only))
        blocks = (block[np.isin(block[:, 0], numbers)] for block in blocks)
    if record.counts_scores:
        read = list(blocks)
        seats = np.concatenate(read) if read else np.zeros((0, len(SeatResult._fields)), dtype=np.int64)
        return deal_strengths(seats, store.matches.deals(league))
    measure = Measure.SCORES if by is FitBy.SCORES else Measure.SHARES
    sums: Sequence[MatchSums] = ()
    if record.rated:  # otherwise an entry may have several seats at a table
        sums = match_sums(blocks, measure, record.partners)
    if sums and (deals := store.matches.deals(league)):
        sums = by_deal(sums, deals)
    return (fit if by is FitBy.PLACES else least_squares)(sums, chosen=record.traits.chooses)


def _file(league: str, by: FitBy) -> str:
    return f"{league}.json" if by is FitBy.PLACES else f"{league}.{by}.json"


def place_ranges(strengths: Mapping[int, Strength], ranked: Collection[int]) -> dict[int, tuple[int, int]]:
    """Return by entry the best and the worst place by strength among those with a rank, by all familywise claims."""
    known = {entry: strengths[entry].above_familywise for entry in ranked if entry in strengths}
    below = {entry: set(above) & known.keys() for entry, above in known.items() if above is not None}
    beaten = Counter(other for others in below.values() for other in others)
    return {entry: (1 + beaten[entry], len(known) - len(others)) for entry, others in below.items()}


def are_apart(
    strengths: Mapping[int, Strength], upper: int, lower: int, *, familywise: bool = False
) -> bool | None:
    """Return whether it is certain which of two entries is stronger; None without intervals."""
    if upper not in strengths or lower not in strengths:
        return None
    first, second = (
        strengths[entry].above_familywise if familywise else strengths[entry].above
        for entry in (upper, lower)
    )
    if first is None or second is None:
        return None
    return lower in first or upper in second


def matches_to_tell_neighbours(
    strengths: Mapping[int, Strength], matches: int, upper: Standing, lower: Standing
) -> int | None:
    """Return about how many matches of a league tell two entries apart, of which the fit has `matches`.

    None if they are told apart, look equal, or nobody can say.
    """
    if are_apart(strengths, upper.entry_no, lower.entry_no) is not False:
        return None
    one, other = strengths[upper.entry_no], strengths[lower.entry_no]
    if one.half is None or other.half is None:
        return None
    halves, of_each = (one.half, other.half), (upper.matches, lower.matches)
    found = matches_to_tell(one.value - other.value, halves, matches, of_each, len(strengths))
    return int(found) if found <= MOST_TO_TELL else None
