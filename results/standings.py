"""Rankings: entries in the order of what they are at least worth."""

from collections.abc import Iterable

import msgspec

from results.reports import Standing


def ranked(rows: Iterable[Standing]) -> list[Standing]:
    """Return the rows in ranking order, with their places.

    The highest conservative rating is first; equal ones share a place and are
    listed by share, then by number. Entries that have played nothing come last and
    share the place after all others: their rating is only a beginning.
    """
    ordered = sorted(
        rows, key=lambda row: (row.matches == 0, -row.conservative, -(row.share or 0.0), row.entry_no)
    )
    placed: list[Standing] = []
    for position, row in enumerate(ordered, 1):
        before = placed[-1] if placed else None
        tied = before is not None and (
            row.matches == before.matches == 0
            or (row.matches > 0 and before.matches > 0 and row.conservative == before.conservative)
        )
        placed.append(msgspec.structs.replace(row, place=before.place if before and tied else position))
    return placed
