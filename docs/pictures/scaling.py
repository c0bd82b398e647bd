"""Draws the picture of the page on scaling, how fast a ladder of 10,000 bots is on many hosts, and prints its table.

python benchmarks/scaling_simulation.py --json benchmarks/figures/scaling.json
pip install --group pictures
python docs/pictures/scaling.py
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1]
FIGURES = DOCS.parent / "benchmarks/figures/scaling.json"
PICTURE = DOCS / "images" / "scaling.svg"
COLOURS = (
    "#4e79a7",
    "#f28e2b",
    "#59a14f",
    "#e15759",
    "#76b7b2",
    "#9c9c9c",
    "#b07aa1",
    "#edc948",
    "#9c755f",
    "#ff9da7",
    "#79706e",
)
INK, PALE = "#444444", "#e4e4e4"
SLOTS = 80
DAY_S = 86_400


def main() -> None:
    """Draw the picture and print the table."""
    runs = json.loads(FIGURES.read_text(encoding="utf-8"))["runs"]
    by_scenario: dict[str, list[dict[str, Any]]] = {}
    for run in runs:
        by_scenario.setdefault(run["scenario"], []).append(run)
    _draw(by_scenario)
    print(*_table(by_scenario), sep="\n")


def _draw(by_scenario: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    import matplotlib as mpl
    from matplotlib import pyplot as plt

    mpl.rcParams.update(
        {
            "svg.fonttype": "none",
            "svg.hashsalt": "arena",
            "font.family": "sans-serif",
            "font.size": 9,
            **dict.fromkeys(("text.color", "axes.labelcolor", "xtick.color", "ytick.color"), INK),
            "axes.edgecolor": INK,
        }
    )
    figure, axis = plt.subplots(figsize=(7.5, 5.2), layout="constrained")
    for colour, (scenario, runs) in zip(COLOURS, by_scenario.items(), strict=True):
        axis.plot(
            [run["hosts"] for run in runs],
            [run["games_per_s"] for run in runs],
            color=colour,
            label=scenario,
            marker="o",
            markersize=3,
            linewidth=1.5,
        )
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xlabel(f"hosts with {SLOTS} slots each")
    axis.set_ylabel("games a second")
    ticks = sorted({run["hosts"] for runs in by_scenario.values() for run in runs})
    axis.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axis.minorticks_off()
    axis.grid(color=PALE)
    axis.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    figure.savefig(PICTURE, metadata={"Date": None, "Creator": None}, facecolor="white")
    lines = [line.rstrip() for line in PICTURE.read_text(encoding="utf-8").splitlines()]
    PICTURE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _table(by_scenario: Mapping[str, Sequence[Mapping[str, Any]]]) -> Iterator[str]:
    """Yield a table: a row for each scenario, a column for each number of hosts: games a second, slots, runner."""
    hosts = sorted({run["hosts"] for runs in by_scenario.values() for run in runs})
    yield (
        "| Games a second (slots busy, runner busy) | "
        + " | ".join(f"{number:,} host{'s' if number > 1 else ''}" for number in hosts)
        + " |"
    )
    yield "| --- |" + " --- |" * len(hosts)
    for scenario, runs in by_scenario.items():
        found = {run["hosts"]: run for run in runs}
        cells = [
            f"{found[number]['games_per_s']:,.0f} ({found[number]['slots']:.0%}, {found[number]['runner']:.0%})"
            if number in found
            else "–"
            for number in hosts
        ]
        yield f"| {scenario} | " + " | ".join(cells) + " |"


if __name__ == "__main__":
    main()
