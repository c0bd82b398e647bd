"""Draws the picture of how soon ladders and other leagues show the true order, with 10, 50 and 200 bots.

    python benchmarks/ladder_methods.py --json docs/ladder-methods.json
    python docs/ladder_methods.py

The figures are kept beside the pages, as it takes half an hour to find them.
"""

import json
from html import escape
from math import log10
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
FIGURES = DOCS / "ladder-methods.json"
PICTURE = DOCS / "images" / "ladder-methods.svg"

COLOURS = ("#9c9c9c", "#4e79a7", "#f28e2b", "#59a14f", "#e15759")
WIDTH, HEIGHT, GAP, LEFT, TOP = 300, 220, 36, 48, 40
LEAST, MOST = 0.6, 1.0
GOAL = 0.95


def main() -> None:
    """Write the picture."""
    figures = json.loads(FIGURES.read_text(encoding="utf-8"))
    panels = [_panel(number, entries, curves) for number, (entries, curves) in enumerate(figures.items())]
    methods = list(next(iter(figures.values())))
    width = LEFT + len(panels) * (WIDTH + GAP)
    height = TOP + HEIGHT + 56 + 18 * len(methods)
    legend = []
    for line, (name, colour) in enumerate(zip(methods, COLOURS, strict=True)):
        y = TOP + HEIGHT + 56 + 18 * line
        needed = " · ".join(_needed(curves[name]["needed"][0]) for curves in figures.values())
        legend.append(
            f'<line x1="{LEFT}" x2="{LEFT + 24}" y1="{y}" y2="{y}" stroke="{colour}" stroke-width="2"/>'
            f'<text x="{LEFT + 32}" y="{y + 4}">{escape(name)}: {needed}</text>'
        )
    title = "Agreement of rankings with the true order, by games played; below: games until it is 0.95"
    PICTURE.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="12" fill="#444">'
        f'<rect width="{width}" height="{height}" fill="white"/>'
        f'<text x="{LEFT}" y="16">{escape(title)}</text>' + "".join([*panels, *legend]) + "</svg>\n",
        encoding="utf-8",
    )
    print(f"wrote {PICTURE.name}")


def _needed(games: float | None) -> str:
    return "not in time" if games is None else f"{games:,.0f}"


def _panel(number: int, entries: str, curves: dict[str, dict[str, Any]]) -> str:
    """Return the drawing for one number of bots."""
    left = LEFT + number * (WIDTH + GAP)
    games = next(iter(curves.values()))["games"]
    least, most = log10(games[0]), log10(games[-1])

    def x(count: float) -> float:
        return left + WIDTH * (log10(count) - least) / (most - least)

    def y(value: float) -> float:
        return TOP + HEIGHT * (MOST - max(LEAST, value)) / (MOST - LEAST)

    parts = [f'<text x="{left}" y="{TOP - 6}" font-weight="bold">{entries} bots</text>']
    for value in (0.6, 0.7, 0.8, 0.9, GOAL, 1.0):
        stroke = "#bbb" if value == GOAL else "#eee"
        parts.append(
            f'<line x1="{left}" x2="{left + WIDTH}" y1="{y(value):.1f}" y2="{y(value):.1f}" stroke="{stroke}"/>'
        )
        if number == 0:
            parts.append(f'<text x="{left - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:g}</text>')
    parts += [
        f'<text x="{x(count):.1f}" y="{TOP + HEIGHT + 16}" text-anchor="middle">{count:,}</text>'
        for count in (10, 30, 100, 300, 1000, 3000, 10_000)
        if games[0] <= count <= games[-1]
    ]
    for curve, colour in zip(curves.values(), COLOURS, strict=True):
        points = " ".join(
            f"{x(count):.1f},{y(value):.1f}" for count, value in zip(games, curve["tau"], strict=True)
        )
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
    return "".join(parts)


if __name__ == "__main__":
    main()
