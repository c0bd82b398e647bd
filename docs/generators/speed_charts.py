"""Pictures of the page on speed, as SVG: ratios on a logarithmic scale, and bars of several parts."""

from collections.abc import Sequence
from html import escape
from math import ceil, floor, log10
from typing import NamedTuple

FONT = 'font-family="sans-serif" font-size="12"'
INK, PALE, GOOD, BAD, NEUTRAL = "#444", "#e4e4e4", "#2e7d4f", "#c0392b", "#4e79a7"
COLOURS = (
    "#9c9c9c", "#e15759", "#f28e2b", "#edc948", "#b07aa1", "#76b7b2", "#59a14f", "#4e79a7", "#9c755f", "#d4a6c8",
)  # fmt: skip
ROW, CHAR = 20, 6.4
SCALE, RIGHT, TOP = 420, 112, 40


class Mark(NamedTuple):
    """One row of a picture of ratios."""

    name: str
    low: float
    middle: float
    high: float
    colour: str
    wanted: float | None = None
    """The target, drawn as a line across the row."""
    text: str = ""
    """At the end of the row."""


class Bar(NamedTuple):
    """One bar of several parts."""

    name: str
    parts: Sequence[tuple[str, float]]
    """The name and the length of each part."""


def ratios(title: str, marks: Sequence[Mark], one: str) -> str:
    """Return a picture of ratios on a logarithmic scale; `one` says what the line at 1 means."""
    left = 16 + max(len(mark.name) for mark in marks) * CHAR
    ends = [value for mark in marks for value in (mark.low, mark.high, mark.wanted or 1) if value > 0]
    first, last = floor(log10(min(*ends, 1))), ceil(log10(max(*ends, 1)))
    height = TOP + ROW * len(marks) + 34

    def x(value: float) -> float:
        place = (log10(max(value, 10**first)) - first) / max(1, last - first)
        return left + SCALE * min(1.0, place)

    parts = [f'<text x="8" y="18" font-weight="bold">{escape(title)}</text>']
    bottom = TOP + ROW * len(marks)
    for power in range(first, last + 1):
        at = x(10.0**power)
        parts.append(_line(at, TOP - 6, at, bottom, INK if power == 0 else PALE))
        parts.append(f'<text x="{at:.1f}" y="{bottom + 15}" text-anchor="middle">{10.0**power:g}</text>')
    parts.append(
        f'<text x="{x(1):.1f}" y="{bottom + 30}" text-anchor="middle" fill="#777">{escape(one)}</text>'
    )
    for number, mark in enumerate(marks):
        y = TOP + ROW * number + ROW / 2
        parts.append(f'<text x="{left - 8:.1f}" y="{y + 4:.1f}" text-anchor="end">{escape(mark.name)}</text>')
        parts.append(_line(x(mark.low), y, x(mark.high), y, mark.colour, 3))
        parts.append(f'<circle cx="{x(mark.middle):.1f}" cy="{y:.1f}" r="4.5" fill="{mark.colour}"/>')
        if mark.wanted is not None:
            parts.append(_line(x(mark.wanted), y - 8, x(mark.wanted), y + 8, INK, 2))
        parts.append(
            f'<text x="{left + SCALE + 8:.1f}" y="{y + 4:.1f}" fill="{mark.colour}">{escape(mark.text)}</text>'
        )
    return _picture(left + SCALE + RIGHT, height, parts)


def bars(title: str, rows: Sequence[Bar], unit: str) -> str:
    """Return a picture of bars; parts of the same name have the same colour in all of them."""
    names = list(dict.fromkeys(name for row in rows for name, _ in row.parts))
    colours = dict(zip(names, COLOURS * 2, strict=False))
    left = 16 + max(len(row.name) for row in rows) * CHAR
    most = max(sum(max(0.0, length) for _, length in row.parts) for row in rows)
    thick = 26
    parts = [f'<text x="8" y="18" font-weight="bold">{escape(title)}</text>']
    for number, row in enumerate(rows):
        y, at = TOP + (thick + 10) * number, left
        parts.append(f'<text x="{left - 8:.1f}" y="{y + 17}" text-anchor="end">{escape(row.name)}</text>')
        for name, length in row.parts:
            width = SCALE * max(0.0, length) / most
            parts.append(
                f'<rect x="{at:.1f}" y="{y}" width="{width:.1f}" height="{thick}" fill="{colours[name]}">'
                f"<title>{escape(name)}: {length:.1f} {escape(unit)}</title></rect>"
            )
            at += width
        total = sum(length for _, length in row.parts)
        parts.append(f'<text x="{at + 6:.1f}" y="{y + 17}">{total:.1f} {escape(unit)}</text>')
    under = TOP + (thick + 10) * len(rows) + 8
    columns, wide = 3, (left + SCALE + RIGHT - 16) / 3
    for number, name in enumerate(names):
        x, y = 16 + wide * (number % columns), under + 18 * (number // columns)
        parts.append(f'<rect x="{x:.1f}" y="{y}" width="12" height="12" fill="{colours[name]}"/>')
        parts.append(f'<text x="{x + 18:.1f}" y="{y + 10}">{escape(name)}</text>')
    return _picture(left + SCALE + RIGHT, under + 18 * ceil(len(names) / columns) + 6, parts)


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, width: float = 1) -> str:
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {ends} stroke="{colour}" stroke-width="{width}"/>'


def _picture(width: float, height: float, parts: Sequence[str]) -> str:
    frame = f'viewBox="0 0 {width:.0f} {height:.0f}" {FONT} fill="{INK}"'
    inside = "\n".join(parts)
    sheet = '<rect width="100%" height="100%" fill="white"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {frame}>\n{sheet}\n{inside}\n</svg>\n'
