"""Strengths by any fit, and what they claim about pairs of entries."""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from results.analysis.telling_apart import matches_to_tell
from results.query_rows import Standing
from results.reports.fit_cache import AnyFit, KeptFit

MOST_TO_TELL = 1_000_000
"""Longer leagues are not forecast: so close a pair looks equal."""


class FittedStrength(NamedTuple):
    """The strength of an entry by any fit."""

    value: float
    above: tuple[int, ...] | None
    """Numbers of the entries that it is certainly above, pair by pair; None without intervals."""
    above_familywise: tuple[int, ...] | None
    """The same for all pairs together."""
    half: float | None
    """Half the width of its interval; None without one."""
    columns: Mapping[str, Any]
    """The columns of its row that only this kind of fit has."""


NO_COLUMNS: Mapping[str, Any] = dict.fromkeys(("fit_elo", "fit_elo_low", "fit_elo_high", "fit_share_percent"))


def fitted_strengths(fit: AnyFit | None) -> dict[int, FittedStrength]:
    """Return the strengths of a fit by entry number."""
    if fit is None:
        return {}
    if isinstance(fit, KeptFit):
        return {
            one.entry_no: FittedStrength(
                one.elo,
                one.surely_above,
                one.family_above,
                _half(one.low, one.high),
                {
                    "fit_elo": one.elo,
                    "fit_elo_low": one.low,
                    "fit_elo_high": one.high,
                    "fit_share_percent": 100 * one.share,
                },
            )
            for one in fit.fit.strengths
        }
    return {
        one.entry_no: FittedStrength(
            one.value,
            one.pair_above,
            one.family_above,
            _half(one.low, one.high),
            {
                **NO_COLUMNS,
                "fit_by": str(fit.by),
                "fit_value": one.value,
                "fit_low": one.low,
                "fit_high": one.high,
            },
        )
        for one in fit.fit.strengths
    }


def _half(low: float | None, high: float | None) -> float | None:
    return None if low is None or high is None else (high - low) / 2


def named(numbers: tuple[int, ...] | None, labels: Mapping[int, str]) -> tuple[str, ...] | None:
    """Return the labels of entries; None for None."""
    return None if numbers is None else tuple(labels[number] for number in numbers if number in labels)


def place_ranges(
    strengths: Mapping[int, FittedStrength], ranked: Collection[int]
) -> dict[int, tuple[int, int]]:
    """Return by entry the best and the worst place by strength among those with a rank, by all familywise claims."""
    known = {entry: strengths[entry].above_familywise for entry in ranked if entry in strengths}
    below = {entry: set(above) & known.keys() for entry, above in known.items() if above is not None}
    beaten = Counter(other for others in below.values() for other in others)
    return {entry: (1 + beaten[entry], len(known) - len(others)) for entry, others in below.items()}


def are_apart(
    strengths: Mapping[int, FittedStrength], upper: int, lower: int, *, familywise: bool = False
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
    strengths: Mapping[int, FittedStrength], matches: int, upper: Standing, lower: Standing
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
