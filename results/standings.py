"""Rankings: entries in the order of what they are at least worth."""

from collections.abc import Iterable

import msgspec

from results.query_rows import Standing


def ranked(rows: Iterable[Standing], least_matches: int = 1) -> list[Standing]:
    """Return the rows in ranking order, with their places.

    The highest conservative rating is first; equal ones share a place and are
    listed by share, then by number. Entries with fewer than `least_matches`, from
    1, come last in the same order, those that have played nothing at the very
    end, and share the place after all others: their rating is only a beginning.
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
