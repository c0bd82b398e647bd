"""The common shape of what benchmarks measure: one line for each comparison, judged against its target.

A benchmark measures both sides in each of its rounds, so that other load on the machine affects both. A line keeps the
values of all rounds; ratios are those of values of one round. `benchmarks/run.py` collects the lines of all benchmarks.
"""

import argparse
import statistics
import time
from collections.abc import Iterator, Sequence
from math import inf
from pathlib import Path

import msgspec
from msgspec import Struct


class Side(Struct, frozen=True):
    """What was measured on one side."""

    name: str
    values: tuple[float, ...]
    """One for each round, in the unit of the line."""


class Target(Struct, frozen=True, omit_defaults=True):
    """What a median should be: at most or at least so much."""

    at_most: float | None = None
    at_least: float | None = None

    def is_met(self, value: float) -> bool:
        """Return whether a median meets the target."""
        return (self.at_most is None or value <= self.at_most) and (
            self.at_least is None or value >= self.at_least
        )

    def __str__(self) -> str:
        limits = (("≤", self.at_most), ("≥", self.at_least))
        return " and ".join(f"{sign} {limit:g}" for sign, limit in limits if limit is not None)


class Line(Struct, frozen=True):
    """One comparison. `ratio_line` and `value_line` make them."""

    name: str
    setting: str
    """What it was measured with, such as the game and the kind of bots; may be empty."""
    unit: str
    """Of the values of the sides."""
    sides: tuple[Side, ...]
    """One or two."""
    ratios: tuple[float, ...]
    """First side ÷ second side, one for each round; empty if there is only one side."""
    judged: str
    """What median, min, max and target are about: `ratio`, or `value` for values of the first side."""
    median: float
    min: float
    max: float
    target: Target | None = None
    met: bool | None = None
    """None without a target."""
    stretch: Target | None = None
    """A target that may be out of reach."""
    note: str = ""
    """What has to be known to read the line, such as what one of the sides does less."""


class Measured(Struct, frozen=True):
    """What one run of a benchmark found."""

    lines: tuple[Line, ...]
    skipped: str = ""
    """Why nothing was measured; empty if something was."""


def ratio_line(
    name: str,
    setting: str,
    unit: str,
    first: tuple[str, Sequence[float]],
    second: tuple[str, Sequence[float]],
    target: Target | None = None,
    *,
    stretch: Target | None = None,
    note: str = "",
) -> Line:
    """Return the line of two sides, each a name and one value for each round; judged is first ÷ second."""
    ratios = tuple(one / other for one, other in zip(first[1], second[1], strict=True))
    sides = (Side(first[0], _kept(first[1])), Side(second[0], _kept(second[1])))
    return _judged(name, setting, unit, sides, ratios, "ratio", ratios, target, stretch, note)


def value_line(
    name: str,
    setting: str,
    unit: str,
    first: tuple[str, Sequence[float]],
    second: tuple[str, Sequence[float]] | None = None,
    target: Target | None = None,
    *,
    stretch: Target | None = None,
    note: str = "",
) -> Line:
    """Return a line that is judged by the values of its first side; the second side is for comparison."""
    sides = [Side(side, _kept(values)) for side, values in (first, *([second] if second else []))]
    ratios = tuple(one / other for one, other in zip(first[1], second[1], strict=True)) if second else ()
    return _judged(name, setting, unit, tuple(sides), ratios, "value", first[1], target, stretch, note)


def _judged(
    name: str,
    setting: str,
    unit: str,
    sides: tuple[Side, ...],
    ratios: tuple[float, ...],
    judged: str,
    about: Sequence[float],
    target: Target | None,
    stretch: Target | None,
    note: str,
) -> Line:
    median, least, most = _kept([statistics.median(about), min(about), max(about)])
    met = None if target is None else target.is_met(median)
    return Line(
        name,
        setting,
        unit,
        sides,
        _kept(ratios),
        judged,
        median,
        least,
        most,
        target,
        met,
        stretch,
        note,
    )


def _kept(values: Sequence[float]) -> tuple[float, ...]:
    """Return values with the digits that are worth keeping."""
    return tuple(float(f"{one:.5g}") for one in values)


def add_results_option(parser: argparse.ArgumentParser) -> None:
    """Add the options that `benchmarks/run.py` gives: where the lines go, and how long rounds may take."""
    parser.add_argument("--results", type=Path, help="write the lines to this file, in the common shape")
    parser.add_argument("--most-s", type=float, default=inf, help="begin no round that would end after this")


def rounds(count: int, most_s: float) -> Iterator[int]:
    """Yield the numbers of rounds, at least one; stop before one that would take the whole beyond `most_s`."""
    begun_s = time.monotonic()
    longest_s = 0.0
    for number in range(count):
        round_s = time.monotonic()
        if number and round_s - begun_s + longest_s > most_s:
            return
        yield number
        longest_s = max(longest_s, time.monotonic() - round_s)


def keep(path: Path | None, lines: Sequence[Line], skipped: str = "") -> None:
    """Write what was measured to the file that --results names, if it was given."""
    if path is not None:
        path.write_bytes(msgspec.json.encode(Measured(tuple(lines), skipped)))
