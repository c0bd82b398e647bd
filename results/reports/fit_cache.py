"""A cache of fits next to the store, because loading the fit's libraries alone takes over a second.

You can delete a cached fit at any time. It is used only if it matches the ledger
that it is read with.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from results.analysis.fit import DRAWS, MOST_ENTRIES, Fit, fit
from results.query_rows import PairPart

if TYPE_CHECKING:
    from results.store import Store

_FORM = 1
"""Increase this whenever a fit of the same matches would give different results."""


class KeptFit(Struct, frozen=True):
    """A fit, and the matches it is based on."""

    form: int
    through: int
    """It is based on all matches below this number."""
    ratings: str
    """Digest of the ratings at that time, which are based on the same matches."""
    fit: Fit


def kept_fit(store: "Store", league: str) -> KeptFit | None:
    """Return the cached fit of a league, by uuid; None if there is none that matches the ledger.

    It is current if its `through` equals the league's `Progress.matches_counted`.
    """
    try:
        kept = msgspec.json.decode(_path(store, league).read_bytes(), type=KeptFit)
    except (OSError, msgspec.DecodeError):
        return None
    counted = store.leagues.progress(league).matches_counted
    if kept.form != _FORM or kept.through > counted:
        return None
    return kept if kept.through < counted or kept.ratings == store.ratings.digest(league) else None


def new_fit(store: "Store", league: str, *, intervals: bool = False) -> KeptFit:
    """Fit all matches counted in the rankings of a league, by uuid, and cache the result.

    `intervals`: compute intervals for more than `MOST_ENTRIES` entries too. The fit is returned even if it can't be
    cached, for example in a read-only folder.
    """
    through, ratings = store.leagues.progress(league).matches_counted, store.ratings.digest(league)
    parts = store.totals.pair_parts(league)
    entries = {part.entry_a for part in parts} | {part.entry_b for part in parts}
    draws = DRAWS if intervals or len(entries) <= MOST_ENTRIES else 0
    made = KeptFit(_FORM, through, ratings, fit(parts, draws))
    path = _path(store, league)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(msgspec.json.encode(made))
        part.replace(path)
    except OSError:
        pass
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    return made


def fit_of(parts: Sequence[PairPart], matches: int) -> KeptFit:
    """Fit some of a league's matches, so many, and cache nothing."""
    entries = {part.entry_a for part in parts} | {part.entry_b for part in parts}
    draws = DRAWS if len(entries) <= MOST_ENTRIES else 0
    return KeptFit(_FORM, matches, "", fit(parts, draws))


def _path(store: "Store", league: str) -> Path:
    return store.files / "fits" / f"{league}.json"
