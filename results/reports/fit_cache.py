"""A cache of fits next to the store, because loading the fit's libraries alone takes over a second.

You can delete a cached fit at any time. It is used only if it matches the ledger
that it is read with.
"""

from collections.abc import Collection, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from results.analysis.fit import Fit, fit
from results.analysis.least_squares import LeastSquaresFit, least_squares
from results.analysis.match_sums import MatchSums, Measure, match_sums
from results.records import LeagueRecord
from results.reports.kept_files import KEPT_FOLDER, keep
from results.reports.kept_sums import kept_sums
from results.reports.schedule_kinds import is_chosen
from results.roster import RANKED

if TYPE_CHECKING:
    from results.store import Store

_FORM = 6
"""Increase this whenever a fit of the same matches would give different results."""


class FitBy(StrEnum):
    """What strengths are fitted to."""

    PLACES = "places"
    """Who finished above whom in a game (Bradley–Terry with Davidson's ties)."""
    SCORES = "scores"
    """Points per game, by least squares."""
    SHARES = "shares"
    """Shares of places, by least squares."""


class KeptFit(Struct, frozen=True):
    """A fit by places, and the matches it is based on."""

    form: int
    through: int
    """It is based on all matches below this number."""
    ratings: str
    """Digest of the ratings at that time, which are based on the same matches."""
    fit: Fit

    @property
    def by(self) -> FitBy:
        """What it is fitted to."""
        return FitBy.PLACES

    @property
    def has_intervals(self) -> bool:
        """Whether any entry has an interval."""
        return any(one.low is not None for one in self.fit.strengths)


class KeptLeastSquares(Struct, frozen=True):
    """A fit by scores or shares, and the matches it is based on."""

    form: int
    through: int
    ratings: str
    by: FitBy
    fit: LeastSquaresFit

    @property
    def has_intervals(self) -> bool:
        """Whether any entry has an interval."""
        return any(one.low is not None for one in self.fit.strengths)


AnyFit = KeptFit | KeptLeastSquares


def fit_by_of(store: "Store", league: LeagueRecord) -> FitBy:
    """Return what a league's fit is by: as the organiser said last, or its file; places if neither says anything."""
    said = [event.data.get("by") for event in store.leagues.events(league.uuid) if event.kind == RANKED]
    table = league.config.get("ranking")
    by = said[-1] if said else table.get("by") if isinstance(table, dict) else None
    return FitBy.SCORES if by == FitBy.SCORES else FitBy.PLACES


def kept_fit(store: "Store", league: str, by: FitBy = FitBy.PLACES) -> AnyFit | None:
    """Return the cached fit of a league, by uuid; None if there is none that matches the ledger.

    It is current if its `through` equals the league's `Progress.matches_counted`.
    """
    kept: AnyFit
    try:
        text = _path(store, league, by).read_bytes()
        if by is FitBy.PLACES:
            kept = msgspec.json.decode(text, type=KeptFit)
        else:
            kept = msgspec.json.decode(text, type=KeptLeastSquares)
    except (OSError, msgspec.DecodeError):
        return None
    counted = store.leagues.progress(league).matches_counted
    if kept.form != _FORM or kept.through > counted:
        return None
    return kept if kept.through < counted or kept.ratings == store.ratings.digest(league) else None


def new_fit(store: "Store", league: str, by: FitBy = FitBy.PLACES) -> AnyFit:
    """Fit all matches counted in the rankings of a league, by uuid, and cache the result.

    The fit is returned even if it can't be cached, for example in a read-only folder.
    """
    through, ratings = store.leagues.progress(league).matches_counted, store.ratings.digest(league)
    made = _fitted(
        by, _sums(store, league, by, through), through, ratings, chosen=is_chosen(store.leagues.get(league))
    )
    keep(_path(store, league, by), msgspec.json.encode(made))
    return made


def fit_of(store: "Store", league: str, by: FitBy, match_nos: Collection[int]) -> AnyFit:
    """Fit some of a league's matches, and cache nothing."""
    through = max(match_nos, default=-1) + 1
    chosen = is_chosen(store.leagues.get(league))
    return _fitted(by, _sums(store, league, by, through, match_nos), len(match_nos), "", chosen=chosen)


def _fitted(by: FitBy, sums: Sequence[MatchSums], through: int, ratings: str, *, chosen: bool) -> AnyFit:
    if by is FitBy.PLACES:
        return KeptFit(_FORM, through, ratings, fit(sums, chosen=chosen))
    return KeptLeastSquares(_FORM, through, ratings, by, least_squares(sums, chosen=chosen))


def _sums(
    store: "Store", league: str, by: FitBy, through: int, only: Collection[int] | None = None
) -> Sequence[MatchSums]:
    """Return the sums of the matches of a league below `through`, or `only` of those with certain numbers."""
    if not store.leagues.get(league).rated:  # an entry may have several seats at a table there
        return ()
    measure = Measure.SCORES if by is FitBy.SCORES else Measure.SHARES
    if only is None:
        return kept_sums(store, league, measure, through)
    import numpy as np

    numbers = np.fromiter(only, np.int64, len(only))
    blocks = store.seats.arrays(league, through)
    return match_sums((block[np.isin(block[:, 0], numbers)] for block in blocks), measure)


def _path(store: "Store", league: str, by: FitBy) -> Path:
    return store.files / KEPT_FOLDER / (f"{league}.json" if by is FitBy.PLACES else f"{league}.{by}.json")
