"""Geometry of charts: scales with round ticks, bars of intervals, lines. Plain numbers and SVG path data."""

from collections.abc import Iterable, Sequence
from functools import cache
from math import floor, isfinite, log10
from typing import NamedTuple

from arena import registry
from arena.core.game_files import own_text

_ROUND = (1.0, 2.0, 2.5, 5.0, 10.0)


class Tick(NamedTuple):
    """A mark on an axis."""

    at: float
    """In units of the drawing."""
    text: str


class Axis(NamedTuple):
    """A linear scale from values to a length."""

    low: float
    high: float
    length: float
    """Where `high` is drawn; `low` is at 0."""
    step: float
    """Between ticks."""

    def at(self, value: float) -> float:
        """Return where a value is drawn, to a tenth of a unit; values beyond the ends are drawn at the ends."""
        part = (value - self.low) / (self.high - self.low)
        return round(self.length * min(1.0, max(0.0, part)), 1)

    def ticks(self) -> list[Tick]:
        """Return the ticks at round numbers."""
        decimals = max(0, -floor(log10(self.step) + 1e-9)) if self.step < 1 else 0
        if self.step == 2.5:
            decimals = 1
        first = -floor(-self.low / self.step)
        found = []
        number = first
        while (value := number * self.step) <= self.high + 1e-9 * self.step:
            text = f"{value + 0.0:.{decimals}f}".replace("-", "−")
            found.append(Tick(self.at(value), text))
            number += 1
        return found


def axis(values: Iterable[float], length: float, most_ticks: int = 5) -> Axis:
    """Return an axis that holds all values, with a little room, and at most so many ticks."""
    finite = [value for value in values if isfinite(value)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
    if high - low < 1e-9 * max(1.0, abs(low), abs(high)):
        low, high = low - 1, high + 1
    room = 0.03 * (high - low)
    low, high = low - room, high + room
    rough = (high - low) / max(1, most_ticks)
    power = 10.0 ** floor(log10(rough))
    step = next(power * one for one in _ROUND if power * one >= rough * (1 - 1e-9))
    return Axis(low, high, length, step)


def short(number: float) -> str:
    """Return a coordinate in few characters."""
    return f"{number:.1f}".removesuffix(".0")


def interval_path(scale: Axis, low: float, middle: float, high: float) -> str:
    """Return the path of an interval at y = 8, with a stroke across it at its middle."""
    left, at, right = scale.at(low), scale.at(middle), scale.at(high)
    return f"M{short(left)} 8H{short(right)}M{short(at)} 3v10"


def line_path(points: Sequence[tuple[float, float] | None]) -> str:
    """Return the path through points; None interrupts the line."""
    parts = []
    pen = "M"
    for point in points:
        if point is None:
            pen = "M"
            continue
        parts.append(f"{pen}{short(point[0])} {short(point[1])}")
        pen = "L"
    return "".join(parts)


def band_path(points: Sequence[tuple[float, float, float]]) -> str:
    """Return the outline of a band from points of x, upper y and lower y."""
    if not points:
        return ""
    there = "L".join(f"{short(x)} {short(upper)}" for x, upper, _ in points)
    back = "L".join(f"{short(x)} {short(lower)}" for x, _, lower in reversed(points))
    return f"M{there}L{back}Z"


_KINDS = ("cards", "table")
"""A game may bring `cards.js` and `table.js`. They are served as `cards-GAME.js` and `table-GAME.js`."""
STYLES = ("cards.css",)
"""What every page with cards links."""


@cache
def drawings() -> dict[str, bytes]:
    """Return the scripts of all installed games, by the name they are served under."""
    found = {}
    for name, game in registry.games().items():
        for kind in _KINDS:
            text = own_text(game, f"{kind}.js")
            if text is not None:
                found[f"{kind}-{name}.js"] = text.encode()
    return found


def scripts_of(game: str) -> tuple[str, ...]:
    """Return the static files that draw the tables of a game, in the order in which they are loaded."""
    own = tuple(name for kind in _KINDS if (name := f"{kind}-{game}.js") in drawings())
    return ("cards.js", "plain-table.js", *own)
