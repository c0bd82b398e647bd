"""Fits that are made once for all tests of a process: that takes longer than all else they do."""

from collections.abc import Sequence

from results.analysis.fit import Fit, fit
from results.query_rows import PairPart

_fits: dict[tuple[tuple[PairPart, ...], int], Fit] = {}


def fitted_once(parts: Sequence[PairPart], draws: int) -> Fit:
    """Return the fit of these matches, to be put in place of `fit` in `results.reports.fit_cache`."""
    key = (tuple(parts), draws)
    if key not in _fits:
        _fits[key] = fit(parts, draws)
    return _fits[key]
