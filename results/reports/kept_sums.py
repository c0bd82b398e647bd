"""Sums of matches next to the store, so that the fits of a long league read only the games since the last one.

You can delete these files at any time. They are used only if the matches that they are based on are still those of the
ledger, and not kept for leagues that are read in no time.
"""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

from results.analysis.growing_sums import GrowingSums
from results.analysis.match_sums import MatchSums, Measure
from results.reports.kept_files import KEPT_FOLDER, keep

if TYPE_CHECKING:
    from results.store import Store

_FORM = 1
"""Increase this whenever the sums of the same matches would be others."""

KEPT_EVERY = 4096
"""Matches: the file is written when so many are new."""


def kept_sums(store: "Store", league: str, measure: Measure, through: int) -> Sequence[MatchSums]:
    """Return the sums of the matches of a league below `through`, by table size, and keep them if many are new."""
    path = store.files / KEPT_FOLDER / f"{league}.{measure}.npz"
    sums, first = _read(store, league, measure, path, through)
    sums.add(store.seats.arrays(league, through, first))
    if through - first >= KEPT_EVERY:
        _write(store, league, sums, path, through)
    return sums.sums()


def _read(store: "Store", league: str, measure: Measure, path: Path, through: int) -> tuple[GrowingSums, int]:
    """Return the sums of a file and the first match that isn't in them; empty ones if they are of no use."""
    nothing = GrowingSums(measure), 0
    if through < KEPT_EVERY:
        return nothing
    import numpy as np

    try:
        with np.load(path, allow_pickle=False) as kept:
            form, first = map(int, kept["about"])
            digest = bytes(kept["digest"]).decode()
            if form != _FORM or first > through or digest != store.ratings.prefix_digest(league, first):
                return nothing
            return GrowingSums.from_arrays(measure, {name: kept[name] for name in kept.files}), first
    except (OSError, ValueError, KeyError, TypeError, EOFError, BadZipFile):
        return nothing


def _write(store: "Store", league: str, sums: GrowingSums, path: Path, through: int) -> None:
    import numpy as np

    file = io.BytesIO()
    digest = np.frombuffer(store.ratings.prefix_digest(league, through).encode(), dtype=np.uint8)
    arrays: dict[str, Any] = {"about": np.array([_FORM, through]), "digest": digest, **sums.arrays()}
    np.savez(file, **arrays)
    keep(path, file.getvalue())
