"""Rankings: entries in the order of their conservative ratings."""

from collections.abc import Iterable

import msgspec

from results.query_rows import Standing


def ranked(rows: Iterable[Standing], least_matches: int = 1) -> list[Standing]:
    """Return the rows in ranking order, with their places.

    The highest conservative rating comes first. Equal ratings share a place and are
    ordered by share, then by number. Entries with fewer than `least_matches` (at least 1)
    come last in the same order, and those without any match at the very end. They all
    share the place after the others, because their ratings mean little so far.
    """
    ordered = sorted(
        rows,
        key=lambda row: (
            row.matches < least_matches,
            row.matches == 0,
            -row.conservative,
            -(row.share or 0.0),
            row.entry_no,
        ),
    )
    placed: list[Standing] = []
    for position, row in enumerate(ordered, 1):
        before = placed[-1] if placed else None
        tied = before is not None and (
            before.matches < least_matches
            or (row.matches >= least_matches and row.conservative == before.conservative)
        )
        placed.append(msgspec.structs.replace(row, place=before.place if before and tied else position))
    return placed
