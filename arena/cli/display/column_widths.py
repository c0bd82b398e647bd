"""How the columns of a table share the width of a terminal: long texts fold first, then columns go, names stay."""

from collections.abc import Sequence
from dataclasses import dataclass

EDGES = 2
"""Cells that the box of a table draws at its two ends."""
GAPS = 2, 1
"""Cells between columns, as there is room."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What one column would like."""

    natural: int
    """Cells that its content takes on one line."""
    least: int
    """Cells below which it is not folded; `natural` for what is never folded."""
    priority: int
    """0: it stays whatever happens; of the others the highest number goes first, and of equals the last."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """What the columns get."""

    widths: tuple[int | None, ...]
    """Cells of each; None: it has gone."""
    gap: int
    """Cells between two."""


def fit(wishes: Sequence[Wish], room: int) -> Fitted:
    """Return the widths at which a table is at most `room` cells wide.

    Only where columns of priority 0 alone are too wide do they get less than they need.
    """
    kept = list(range(len(wishes)))
    while True:
        for gap in GAPS:
            if _width([wishes[i].natural for i in kept], gap) <= room:
                return _fitted(wishes, {i: wishes[i].natural for i in kept}, gap)
        if _width([wishes[i].least for i in kept], gap) <= room:
            return _fitted(wishes, _shrunk(wishes, kept, room, gap), gap)
        first = max(kept, key=lambda i: (wishes[i].priority, i), default=0)
        if not kept or wishes[first].priority == 0:
            return _fitted(wishes, _cut(wishes, kept, room, gap), gap)
        kept.remove(first)


def _width(widths: Sequence[int], gap: int) -> int:
    return EDGES + sum(widths) + gap * max(0, len(widths) - 1)


def _fitted(wishes: Sequence[Wish], widths: dict[int, int], gap: int) -> Fitted:
    return Fitted(tuple(widths.get(i) for i in range(len(wishes))), gap)


def _shrunk(wishes: Sequence[Wish], kept: Sequence[int], room: int, gap: int) -> dict[int, int]:
    """Take from the widest columns that fold, cell by cell, until all fit."""
    widths = {i: wishes[i].natural for i in kept}
    for _ in range(_width(list(widths.values()), gap) - room):
        widest = max((i for i in kept if widths[i] > wishes[i].least), key=lambda i: widths[i])
        widths[widest] -= 1
    return widths


def _cut(wishes: Sequence[Wish], kept: Sequence[int], room: int, gap: int) -> dict[int, int]:
    """Take from the widest of the columns that can't go."""
    widths = {i: wishes[i].least for i in kept}
    while _width(list(widths.values()), gap) > room and any(width > 1 for width in widths.values()):
        widths[max(widths, key=lambda i: widths[i])] -= 1
    return widths
