"""Draws the picture of the page on matchmakers, and prints its tables, from the leagues of the benchmark.

python benchmarks/matchmakers.py --entries 50 200 --json /tmp/matchmakers.json
python docs/pictures/matchmakers.py /tmp/matchmakers.json
"""

import json
import sys
from html import escape
from math import inf, log10
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np

from benchmarks.matchmakers import GOALS, TOP, needed

PICTURE = Path(__file__).parents[1] / "images" / "matchmakers.svg"
NAMES = {
    "random": "random, equally often",
    "swiss": "Swiss",
    "nearest": "nearest rating",
    "quality": "TrueSkill's match quality",
    "bandit": "dueling bandit (LUCB)",
    "ladder": "Arena's ladder",
    "bandit-top": f"dueling bandit, best {TOP}",
    "ladder-top": f"Arena's ladder, top:{TOP}",
}
COLOURS = ("#9c9c9c", "#76b7b2", "#edc948", "#b07aa1", "#f28e2b", "#4e79a7", "#e15759", "#59a14f")
WIDTH, HEIGHT, GAP, LEFT, ABOVE = 300, 200, 44, 48, 40

Leagues = dict[str, list[list[list[float]]]]


def main() -> None:
    """Write the picture, and print the tables."""
    kept: dict[str, Leagues] = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    panels = []
    for number, (entries, of) in enumerate(kept.items()):
        print(_table(entries, of))
        for row, (column, words, least, most, goal) in enumerate(
            (
                (1, "agreement (τ), by places", 0.6, 1.0, 0.95),
                (2, f"right of the best {TOP}, by places", 5, 10, 9),
            )
        ):
            at = LEFT + number * (WIDTH + GAP), ABOVE + row * (HEIGHT + GAP)
            panels.append(_panel(at, f"{entries} bots: {words}", of, column, (least, most, goal)))
    width, below = LEFT + len(kept) * (WIDTH + GAP), ABOVE + 2 * (HEIGHT + GAP) + 16
    legend = [
        f'<line x1="{LEFT + 220 * (i % 3)}" x2="{LEFT + 24 + 220 * (i % 3)}" y1="{below + 18 * (i // 3)}" '
        f'y2="{below + 18 * (i // 3)}" stroke="{colour}" stroke-width="2"/>'
        f'<text x="{LEFT + 30 + 220 * (i % 3)}" y="{below + 4 + 18 * (i // 3)}">{escape(name)}</text>'
        for i, (name, colour) in enumerate(zip(NAMES.values(), COLOURS, strict=True))
    ]
    PICTURE.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {below + 60}" '
        'font-family="sans-serif" font-size="12" fill="#444">'
        f'<rect width="{width}" height="{below + 60}" fill="white"/>'
        f'<text x="{LEFT}" y="16">By games played; means of simulated leagues at tables of four</text>'
        + "".join([*panels, *legend])
        + "</svg>\n",
        encoding="utf-8",
    )


def _table(entries: str, of: Leagues) -> str:
    """Return the table of one number of bots: games needed, and as parts of what random tables needed."""
    even = {column: needed(of["random"], column, goal) for _, column, goal in GOALS}
    lines = [
        f"| {entries} bots: games until | leagues | {' | '.join(title for title, _, _ in GOALS)} |",
        f"| --- | ---: |{' --- |' * len(GOALS)}",
    ]
    for name, leagues in of.items():
        cells = []
        for _, column, goal in GOALS:
            games, error = needed(leagues, column, goal)
            if games == inf:
                cells.append(f"not in {leagues[0][-1][0]:,.0f}")
                continue
            whole, other = even[column]
            ratio = games / whole
            off = ratio * ((error / games) ** 2 + (other / whole) ** 2) ** 0.5
            cells.append(
                f"{games:,.0f} ±{error:,.0f}" + (f" ({ratio:.2f} ±{off:.2f})" if name != "random" else "")
            )
        lines.append(f"| {NAMES[name]} | {len(leagues)} | {' | '.join(cells)} |")
    return "\n".join(lines).replace(" ±nan", "") + "\n"


def _panel(
    at: tuple[int, int], title: str, of: Leagues, column: int, scale: tuple[float, float, float]
) -> str:
    left, above = at
    least, most, goal = scale
    games = [row[0] for row in of["random"][0]]
    first, last = log10(games[0]), log10(games[-1])
    parts = [f'<text x="{left}" y="{above - 6}" font-weight="bold">{escape(title)}</text>']
    for value in [*np.linspace(least, most, 5).tolist(), goal]:
        y = above + HEIGHT * (most - value) / (most - least)
        stroke = "#bbb" if value == goal else "#eee"
        parts.append(f'<line x1="{left}" x2="{left + WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="{stroke}"/>')
        parts.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
    for count in (100, 300, 1000, 3000, 10_000, 30_000, 100_000):
        if games[0] <= count <= games[-1]:
            x = left + WIDTH * (log10(count) - first) / (last - first)
            parts.append(f'<text x="{x:.1f}" y="{above + HEIGHT + 16}" text-anchor="middle">{count:,}</text>')
    for name, colour in zip(NAMES, COLOURS, strict=True):
        if name not in of:
            continue
        curve = np.array(of[name]).mean(axis=0)
        points = " ".join(
            f"{left + WIDTH * (log10(row[0]) - first) / (last - first):.1f},"
            f"{above + HEIGHT * (most - max(least, row[column])) / (most - least):.1f}"
            for row in curve.tolist()
        )
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
    return "".join(parts)


if __name__ == "__main__":
    main()
