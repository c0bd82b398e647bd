"""Fits that were computed before, kept beside the store: loading the fit's libraries alone takes over a second.

A kept fit is a convenience: a file that may be deleted, and is looked at only if
it fits the ledger that it is read with.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from results.analysis.fit import DRAWS, MOST_ENTRIES, Fit, fit

if TYPE_CHECKING:
    from results.store import Store

_FORM = 1
"""To be raised whenever a fit of the same matches comes out otherwise."""


class KeptFit(Struct, frozen=True):
    """A fit, and what it is of."""

    form: int
    through: int
    """It rests on all matches below this number."""
    ratings: str
    """Digest of the ratings at that time, which follow from the same matches."""
    fit: Fit


def kept_fit(store: "Store", league: str) -> KeptFit | None:
    """Return the last fit that was kept of a league, by uuid; None without one that fits the ledger.

    It is current if its `through` is the league's `Progress.matches_counted`.
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
    """Fit all matches of a league, by uuid, that are in its rankings, and keep the result.

    `intervals`: draw intervals for more than `MOST_ENTRIES` entries too. Where the fit can't be kept, as in
    a folder that can't be written to, it is returned all the same.
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


def _path(store: "Store", league: str) -> Path:
    return store.files / "fits" / f"{league}.json"
