"""A small chart of one line with a band around it, as numbers for an SVG that stretches to its frame."""

from collections.abc import Sequence
from typing import NamedTuple

WIDTH, HEIGHT = 600, 200
"""Size of the drawing in its own units."""
_LINES = 4
"""Into how many parts horizontal lines divide it."""


class Value(NamedTuple):
    """The value at one place, with the ends of the band."""

    low: float
    middle: float
    high: float


class LineChart(NamedTuple):
    """A chart."""

    middle: str
    """Points of the line in the middle of the band: `x,y x,y …`."""
    low: str
    """Points of the lower end of the band."""
    band: str
    """Corners of the band."""
    levels: tuple[tuple[float, float], ...]
    """Heights of horizontal lines with the values that they stand for, from the top."""


def line_chart(values: Sequence[Value | None], at_least: float = 1.0) -> LineChart | None:
    """Return the chart of values at equal distances; leading places may be empty. None without a value.

    `at_least`: the span of values that its height stands for, so that a line that hardly moves looks like one.
    """
    placed = [(place, value) for place, value in enumerate(values) if value is not None]
    if not placed:
        return None
    bottom = min(value.low for _, value in placed)
    top = max(value.high for _, value in placed)
    missing = max(0.0, at_least - (top - bottom)) / 2
    bottom, top = bottom - missing, top + missing
    last = max(1, len(values) - 1)

    def x(place: int) -> float:
        return WIDTH * place / last

    def y(value: float) -> float:
        return HEIGHT * (top - value) / (top - bottom)

    low = [(x(place), y(value.low)) for place, value in placed]
    high = [(x(place), y(value.high)) for place, value in placed]
    middle = [(x(place), y(value.middle)) for place, value in placed]
    if len(placed) == 1:  # a line of one point would be invisible
        low, high, middle = ([(0.0, line[0][1]), (float(WIDTH), line[0][1])] for line in (low, high, middle))
    return LineChart(
        _points(middle),
        _points(low),
        _points([*high, *reversed(low)]),
        tuple((HEIGHT * part / _LINES, top - (top - bottom) * part / _LINES) for part in range(_LINES + 1)),
    )


def _points(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
