"""Rankings: entries in the order of their ratings, and which of them are too new to be sure of."""

from collections.abc import Iterable, Mapping
from math import inf
from statistics import median

import msgspec

from results.base.scoring import LEAST_MATCHES
from results.ratings.base import Scale
from results.records.query_rows import Standing

SURE_PART = 0.3
"""A place is sure once σ is below this part of the scale's unit, however sure the others' places are."""
SURE_MATCHES = 60
"""Without σ, a place counts as sure after this many matches, however many the others have played."""


def newcomers(rows: Iterable[Standing], joined: Mapping[int, int], scale: Scale) -> frozenset[int]:
    """Return which of the entries that joined later are less sure of their places than those there before them.

    `rows` are the entries that play; `joined` has the first match of those that joined later. An entry is a newcomer
    while it has fewer than `LEAST_MATCHES` matches, and while its σ is above the median σ of the ranked entries that
    came before it, and above `SURE_PART` of the scale's unit. If the rating system has no σ: while it has fewer
    matches than half their median, and fewer than `SURE_MATCHES`.
    """
    rows = list(rows)

    def is_sure(row: Standing) -> bool:
        if row.matches < LEAST_MATCHES:
            return False
        others = [
            other
            for other in rows
            if joined.get(other.entry_no, -1) < joined[row.entry_no] and other.matches >= LEAST_MATCHES
        ]
        if scale.has_sigma:
            usual = median(other.sigma for other in others) if others else 0.0
            return row.sigma <= max(usual, SURE_PART * scale.unit)
        expected = median(other.matches for other in others) / 2 if others else SURE_MATCHES
        return row.matches >= min(expected, SURE_MATCHES)

    return frozenset(row.entry_no for row in rows if row.entry_no in joined and not is_sure(row))


def ranked(
    rows: Iterable[Standing], least_matches: int = 1, strengths: Mapping[int, float] | None = None
) -> list[Standing]:
    """Return the rows in ranking order, with their places.

    The highest μ comes first, or the highest of the `strengths`, by entry number, if they are given; entries without
    one have the lowest.
    Equal ratings share a place and are ordered by share, then by number. Entries with
    fewer than `least_matches` (at least 1) come last in the same order, and those without
    any match at the very end. They all share the place after the others, because their
    ratings mean little so far.
    """

    def worth(row: Standing) -> float:
        return row.mu if strengths is None else strengths.get(row.entry_no, -inf)

    ordered = sorted(
        rows,
        key=lambda row: (
            row.matches < least_matches,
            row.matches == 0,
            -worth(row),
            -(row.share or 0.0),
            row.entry_no,
        ),
    )
    placed: list[Standing] = []
    for position, row in enumerate(ordered, 1):
        before = placed[-1] if placed else None
        tied = before is not None and (
            before.matches < least_matches or (row.matches >= least_matches and worth(row) == worth(before))
        )
        placed.append(msgspec.structs.replace(row, place=before.place if before and tied else position))
    return placed
