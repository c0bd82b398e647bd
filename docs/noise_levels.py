"""Draws the picture of the page on ratings: how soon the board shows the true order, by method.

    python benchmarks/noise_levels.py --json docs/noise-levels.json
    python docs/noise_levels.py

The figures are kept beside the pages, as it takes half an hour to find them.
"""

import json
from html import escape
from math import log10
from pathlib import Path

DOCS = Path(__file__).parent
FIGURES = DOCS / "noise-levels.json"
PICTURE = DOCS / "images" / "noise-levels.svg"

SHOWN = {
    "round robin, a deal for each game": "#4e79a7",
    "round robin, each game rated": "#76b7b2",
    "round robin, matches as one": "#f28e2b",
    "ladder, a deal for each game": "#59a14f",
    "ladder, matches as one": "#e15759",
    "the first, wandering": "#9c9c9c",
}
"""Methods, each with its colour."""
WIDTH, HEIGHT, GAP, LEFT, TOP = 300, 220, 36, 48, 40
LEAST, MOST = 0.5, 1.0
GOAL = 0.95


def main() -> None:
    """Write the picture."""
    figures = json.loads(FIGURES.read_text(encoding="utf-8"))
    panels = [_panel(number, game, data) for number, (game, data) in enumerate(figures.items())]
    width = LEFT + len(panels) * (WIDTH + GAP)
    height = TOP + HEIGHT + 56 + 18 * len(SHOWN)
    legend = []
    for line, (name, colour) in enumerate(SHOWN.items()):
        y = TOP + HEIGHT + 56 + 18 * line
        needed = " · ".join(_median(data["needed"][name]) for data in figures.values())
        legend.append(
            f'<line x1="{LEFT}" x2="{LEFT + 24}" y1="{y}" y2="{y}" stroke="{colour}" stroke-width="2"/>'
        )
        legend.append(f'<text x="{LEFT + 32}" y="{y + 4}">{escape(name)}: {needed}</text>')
    title = (
        "Kendall's τ between board and truth, by games played; below: games until it stays at 0.95 (median)"
    )
    PICTURE.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="12" fill="#444">'
        f'<rect width="{width}" height="{height}" fill="white"/>'
        f'<text x="{LEFT}" y="16">{escape(title)}</text>' + "".join([*panels, *legend]) + "</svg>\n",
        encoding="utf-8",
    )
    print(f"wrote {PICTURE.name}")


def _median(needed: list[float | None]) -> str:
    middle = sorted(float("inf") if games is None else games for games in needed)[len(needed) // 2]
    return "not in time" if middle == float("inf") else f"{middle:.0f}"


def _panel(number: int, game: str, data: dict[str, dict[str, list[tuple[int, float]]]]) -> str:
    """Return the drawing of one game."""
    left = LEFT + number * (WIDTH + GAP)
    most_games = max(games for curve in data["curves"].values() for games, _ in curve)

    def x(games: float) -> float:
        return left + WIDTH * (log10(games) - 1) / (log10(most_games) - 1)

    def y(value: float) -> float:
        return TOP + HEIGHT * (MOST - max(LEAST, value)) / (MOST - LEAST)

    parts = [f'<text x="{left}" y="{TOP - 6}" font-weight="bold">{escape(game)}</text>']
    for value in (0.5, 0.6, 0.7, 0.8, 0.9, GOAL, 1.0):
        stroke = "#bbb" if value == GOAL else "#eee"
        parts.append(
            f'<line x1="{left}" x2="{left + WIDTH}" y1="{y(value):.1f}" y2="{y(value):.1f}" stroke="{stroke}"/>'
        )
        if number == 0:
            parts.append(f'<text x="{left - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:g}</text>')
    parts += [
        f'<text x="{x(games):.1f}" y="{TOP + HEIGHT + 16}" text-anchor="middle">{games}</text>'
        for games in (10, 30, 100, 300, 1000, 3000)
        if games <= most_games
    ]
    for name, colour in SHOWN.items():
        points = " ".join(
            f"{x(games):.1f},{y(value):.1f}" for games, value in data["curves"][name] if games >= 10
        )
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
    return "".join(parts)


if __name__ == "__main__":
    main()
