"""Fits the columns of a table into a terminal: long texts wrap first, then columns are dropped. Names always stay."""

from collections.abc import Sequence
from dataclasses import dataclass

EDGES = 2
"""Cells that the box of a table draws at its two ends."""
GAPS = 2, 1
"""Cells between columns: with and without room to spare."""


@dataclass(frozen=True, slots=True)
class Wish:
    """The widths that one column asks for."""

    natural: int
    """Cells that its content takes without wrapping."""
    least: int
    """Smallest width to wrap to; equal to `natural` if it never wraps."""
    priority: int
    """0: it always stays. Columns with the highest number are dropped first; of equals, the last one."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """The widths that the columns get."""

    widths: tuple[int | None, ...]
    """Cells of each; None: dropped."""
    gap: int
    """Cells between two columns."""


def fit(wishes: Sequence[Wish], room: int) -> Fitted:
    """Return widths that make a table at most `room` cells wide.

    Columns of priority 0 get less than they need only if they are too wide by themselves.
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
    """Take cells from the widest columns that wrap, until all fit."""
    widths = {i: wishes[i].natural for i in kept}
    for _ in range(_width(list(widths.values()), gap) - room):
        widest = max((i for i in kept if widths[i] > wishes[i].least), key=lambda i: widths[i])
        widths[widest] -= 1
    return widths


def _cut(wishes: Sequence[Wish], kept: Sequence[int], room: int, gap: int) -> dict[int, int]:
    """Take cells from the widest of the columns that always stay."""
    widths = {i: wishes[i].least for i in kept}
    while _width(list(widths.values()), gap) > room and any(width > 1 for width in widths.values()):
        widths[max(widths, key=lambda i: widths[i])] -= 1
    return widths
