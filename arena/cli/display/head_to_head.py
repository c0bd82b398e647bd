"""Head to head as a grid: a row and a column for each bot, in tables that fit beside or below each other."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

from rich.cells import cell_len
from rich.table import Table

from arena.cli.display.tables import table
from results.base.scoring import LEAST_MATCHES
from results.base.text import one_line
from results.reports.columns import Column
from results.reports.head_to_head import CountedBy, PairRow

MOST_WITH_INTERVALS = 8
"""Cells show intervals for up to this many bots; for more, only the figure and its star."""
LEAST_ACROSS = 4
"""If names leave room for fewer columns than this, they are listed above the table instead."""
EDGES, GAP = 2, 1
"""Cells that the box of a table takes at its ends, and at least between columns."""
HEADS = (Column("#", key="place", right=True, priority=0), Column("bot", key="name", priority=0))


@dataclass(frozen=True, slots=True)
class Line:
    """A bot's row of the grid."""

    place: int
    """Number in the order of the rankings, from 1."""
    name: str
    cells: tuple[str, ...]
    """One for each bot, in the same order."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Every bot against every other."""

    pairs: Sequence[PairRow]
    labels: Sequence[str]
    """Labels of the bots, in order."""

    @property
    def is_roomy(self) -> bool:
        """Whether cells have intervals."""
        return len(self.labels) <= MOST_WITH_INTERVALS

    @property
    def unmet(self) -> Sequence[tuple[str, str]]:
        """The pairs whose cells are empty."""
        met = {(pair.bot, pair.opponent) for pair in self.pairs}
        return [pair for pair in combinations(self.labels, 2) if pair not in met]

    def signs(self, by: CountedBy) -> str:
        """Return what the signs in the cells mean."""
        shown = [pair for pair in self.pairs if {pair.bot, pair.opponent} <= set(self.labels)]
        signs = ["±: half of the 95 % interval"] if self.is_roomy else []
        if any(pair.is_one_sided for pair in shown):
            signs.append("*: significantly more or less than 50 % (95 %)")
        if any(map(_says_little, shown)):
            signs.append(f"?: fewer than {LEAST_MATCHES} {by.value}, which says little")
        return " · ".join(signs)

    def example(self, by: CountedBy) -> str:
        """Return what a cell says, by that of the first bot against the next that it met; empty if it met none."""
        pair = next((one for one in self.pairs if one.bot == self.labels[0]), None)
        if pair is None:
            return ""
        half = f"; ±{_half(pair)} is half of that range" if self.is_roomy else ""
        return (
            f"{pair.bot} against {pair.opponent}: finished above in {pair.above} of {pair.played} {by.value}, "
            f"tied in {pair.tied}, which counts half: {pair.share_percent:.0f} %. "
            f"With 95 % confidence its long-run figure is between {pair.low_percent:.0f} and "
            f"{pair.high_percent:.0f} %{half}."
        )

    def columns(self) -> list[Column]:
        """Return all columns, headed by names if there is room, otherwise by row numbers."""
        return [*HEADS, *self._across(range(len(self.labels)), named=self.is_roomy)]

    def lines(self) -> list[Line]:
        """Return a line for each bot."""
        cells = {(pair.bot, pair.opponent): pair for pair in self.pairs}
        return [
            Line(
                number,
                label,
                tuple(
                    "· " if other == label else _cell(cells.get((label, other)), self.is_roomy)
                    for other in self.labels
                ),
            )
            for number, label in enumerate(self.labels, 1)
        ]

    def tables(self, width: int) -> Iterator[Table]:
        """Yield tables no wider than `width`, to be printed one below the other.

        Columns have names if all of them fit side by side, otherwise row numbers. If names are so long that few columns
        fit beside them, they are listed above with their numbers.
        """
        lines = self.lines()
        longest = max(cell_len(one_line(label)) for label in self.labels)
        numbers = len(str(len(self.labels))) + GAP
        of_cell = GAP + max(len(text) for line in lines for text in (str(line.place), *line.cells))
        room = width - EDGES - numbers
        beside_names = room - (longest + GAP)
        named = self.is_roomy and len(self.labels) * (max(of_cell, longest + GAP)) <= beside_names
        at_once = len(self.labels) if named else beside_names // of_cell
        heads: tuple[Column, ...] = HEADS
        if at_once < min(LEAST_ACROSS, len(self.labels)):
            yield table(heads, lines, width)
            heads = heads[:1]
            at_once = max(1, room // of_cell)
        for start in range(0, len(self.labels), at_once):
            across = range(start, min(start + at_once, len(self.labels)))
            yield table([*heads, *self._across(across, named=named)], lines, width)

    def _across(self, bots: Iterable[int], *, named: bool) -> list[Column]:
        """Return the columns for these bots, headed by names or by row numbers."""
        return [
            Column(
                self.labels[i] if named else str(i + 1),
                right=True,
                priority=0,
                drawn=partial(lambda bot, line: line.cells[bot], i),
            )
            for i in bots
        ]


def _cell(pair: PairRow | None, roomy: bool) -> str:
    """Return how often the row's bot finished above the other, in percent, and with a sign how much that says."""
    if pair is None:
        return ""
    text = f"{pair.share_percent:.0f}"
    if roomy:
        text += f"±{_half(pair)}"
    return text + ("*" if pair.is_one_sided else "?" if _says_little(pair) else " ")


def _half(pair: PairRow) -> str:
    return f"{(pair.high_percent - pair.low_percent) / 2:.0f}"


def _says_little(pair: PairRow) -> bool:
    return pair.played < LEAST_MATCHES and not pair.is_one_sided
