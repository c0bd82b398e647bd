"""Draws the picture of the page on ratings, how soon the rankings show the true order, and prints its table.

    python benchmarks/noise_levels.py --json benchmarks/figures/noise-levels.json
    pip install --group pictures
    python docs/pictures/noise_levels.py

The figures are kept beside the pages, as it takes hours to find them.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1]
FIGURES = DOCS.parent / "benchmarks/figures/noise-levels.json"
PICTURE = DOCS / "images" / "noise-levels.svg"

SCORES, PLACES, MU, MU_3_SIGMA = "fit by scores", "fit by places", "TrueSkill, μ", "TrueSkill, μ − 3σ"
WANDERING = "TrueSkill with τ = 25/300, μ"
EACH_GAME = "TrueSkill of games, μ"
BALANCED = "round robin, `balanced`"
INDEPENDENT, LADDER = "round robin, a deal for each game", "ladder, a deal for each game"
BEFORE = "before"
"""The first way of each field: the rotations that leagues played before `balanced`."""
SHOWN = {
    (BEFORE, MU_3_SIGMA): ("matches rated as one, μ − 3σ", "#e15759"),
    (BEFORE, MU): ("matches rated as one, μ", "#f28e2b"),
    (INDEPENDENT, MU): ("a deal for each game, μ", "#9c9c9c"),
    (BALANCED, EACH_GAME): ("`balanced`, games rated, μ", "#b07aa1"),
    (BALANCED, PLACES): ("`balanced`, fit by places", "#59a14f"),
    (INDEPENDENT, SCORES): ("a deal for each game, fit by scores", "#76b7b2"),
    (BALANCED, SCORES): ("`balanced`, fit by scores", "#4e79a7"),
}
"""The curves: way and order, with their words and colour."""
WAYS = {
    BEFORE: "as before",
    BALANCED: "`balanced`",
    INDEPENDENT: "a deal for each game",
    LADDER: "ladder",
}
ROWS = {
    (BEFORE, MU_3_SIGMA): "as before: TrueSkill, μ − 3σ",
    (BEFORE, MU): "as before: TrueSkill, μ",
    (BEFORE, WANDERING): "as before: TrueSkill with `tau` = 25/300, μ",
    **{
        (way, order): f"{words}: {order}"
        for way, words in WAYS.items()
        # Where each match is a game, rating games is the same.
        for order in (MU, *((EACH_GAME,) if way in (BEFORE, BALANCED) else ()), PLACES, SCORES)
    },
}
"""The rows of the tables."""
COLUMNS = 3
INK, PALE = "#444444", "#e4e4e4"
GOAL, NEARER_GOAL = 0.95, 0.9
LEAST = 0.6


def main() -> None:
    """Draw the picture and print the tables."""
    fields = json.loads(FIGURES.read_text(encoding="utf-8"))
    _draw(fields)
    for is_ordered in (True, False):
        print(
            *_table([field for field in fields.values() if field["is_ordered"] == is_ordered]), "", sep="\n"
        )


def _methods(field: Mapping[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the methods of a field by way and order."""
    found = {(method["way"], method["order"]): method for method in field["methods"]}
    before = field["methods"][0]["way"]
    as_before = {order: method for (way, order), method in found.items() if way == before}
    # With three seats, the games of `balanced` are those of `mirror`.
    balanced = {(BALANCED, order): method for order, method in as_before.items()}
    return balanced | found | {(BEFORE, order): method for order, method in as_before.items()}


def _draw(fields: Mapping[str, Mapping[str, Any]]) -> None:
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
    rows = -(-len(fields) // COLUMNS)
    figure, axes = plt.subplots(
        rows, COLUMNS, figsize=(10.5, 2.9 * rows + 0.5), sharey=True, layout="constrained", squeeze=False
    )
    for axis in axes.flat[len(fields) :]:
        axis.set_visible(False)
    for axis, field in zip(axes.flat, fields.values(), strict=False):
        methods = _methods(field)
        for key, (words, colour) in SHOWN.items():
            if key not in methods:
                continue
            games, means = zip(*methods[key]["curve"], strict=True)
            axis.plot(games, means, color=colour, label=words.replace("`", ""), linewidth=1.5)
        axis.axhline(GOAL, color=INK, linewidth=0.8, linestyle=":")
        axis.set_title(field["words"].replace("`", ""), fontsize=8.5)
        axis.set_xlabel("games")
        axis.set_xscale("log")
        most = max(method["curve"][-1][0] for method in methods.values())
        ticks = [tick for tick in (10, 30, 100, 300, 1000) if tick <= most]
        axis.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        axis.minorticks_off()
        axis.set_ylim(LEAST, 1.0)
        axis.grid(color=PALE)
        axis.spines[["top", "right"]].set_visible(False)
    figure.supylabel("agreement with the true order")
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=COLUMNS, frameon=False)
    figure.savefig(PICTURE, metadata={"Date": None, "Creator": None}, facecolor="white")
    lines = [line.rstrip() for line in PICTURE.read_text(encoding="utf-8").splitlines()]
    PICTURE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _table(fields: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a table: a row for each way and order, a column for each field and goal, with games and ratios."""
    columns = [(field, key, goal) for field in fields for key, goal in _goals(field)]
    heads = [field["words"] + (f", agreement {goal}" if goal != GOAL else "") for field, _, goal in columns]
    yield "| Games needed | " + " | ".join(heads) + " |"
    yield "| --- |" + " --- |" * len(columns)
    methods = [_methods(field) for field, _, _ in columns]
    for (way, order), words in ROWS.items():
        if not any((way, order) in of for of in methods):
            continue
        cells = [
            _cell(of.get((way, order)), field, key)
            for of, (field, key, _) in zip(methods, columns, strict=True)
        ]
        yield f"| {words} | " + " | ".join(cells) + " |"


def _goals(field: Mapping[str, Any]) -> list[tuple[str, float]]:
    """Return the goals that a field has columns for: a nearer one as well, if not every way comes to the goal."""
    falls_short = any(method["games"] is None for method in field["methods"])
    return [("", GOAL), *([("nearer", NEARER_GOAL)] if falls_short and not field["is_ordered"] else [])]


def _cell(method: Mapping[str, Any] | None, field: Mapping[str, Any], key: str) -> str:
    if method is None:
        return "–"
    told = method[key] if key else method
    if told["games"] is None:
        return f"> {method['curve'][-1][0]:,}"
    error = " ±–" if told["error"] is None else f" ±{told['error']:.0f}"
    games = f"{told['games']:,.0f}{error}"
    if method is field["methods"][0] or not told["ratio"]:
        return games
    error = "" if told["ratio_error"] is None else f" ±{told['ratio_error']:.2f}"
    return f"{games} ({told['ratio']:.2f}{error})"


if __name__ == "__main__":
    main()
