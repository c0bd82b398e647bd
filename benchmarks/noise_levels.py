"""Measures how many games it takes until the rankings show the true order, by schedule, rotations and ratings.

    python benchmarks/noise_levels.py [--field NAME] [--banks FOLDER] [--json FILE] [--processes N]

Fields are ten noise levels of the greedy bot of each game, whose true order is known, and all reference bots of each
game. They play in this process, by the rules alone; bots that think ahead make all their playouts, whatever the clock.
Games are played when a league first needs them, and kept in a folder. No league uses a deal twice. Leagues are in 6
to 12 parts that share no deal; in a part, leagues share some. ± is one standard error, by the jackknife over the parts.

Games are counted until the mean of Kendall's τ over all leagues is 0.95; the output of --json has those until 0.9,
too, as not every field gets further. Of reference bots, τ is over the pairs that
all games together tell apart at 99 %, by scores and by places.

All figures follow from seeds and are the same on every machine. `docs/pictures/noise_levels.py` draws the picture
of the page on ratings from the output of --json, and prints its tables.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena.registry import game as game_named
from benchmarks.noise.bank import Bank
from benchmarks.noise.fields import FIELDS, LEAGUES, Field
from benchmarks.noise.leagues import ORDERS, Course, Draws, Way, draw_probabilities, league, ways
from benchmarks.noise.truth import NEARER_GOAL, Needed, Truth, needed, taus, truth

Played = dict[Way, list[Course]]
"""The leagues of one part."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--field", choices=list(FIELDS), action="append", help="default: all")
    parser.add_argument("--banks", type=Path, default=Path(tempfile.gettempdir()) / "arena-noise-levels")
    parser.add_argument("--json", type=Path, help="write the curves to this file, in place of those it has")
    parser.add_argument("--processes", type=int, default=1)
    given = parser.parse_args()
    given.banks.mkdir(parents=True, exist_ok=True)
    told = json.loads(given.json.read_text()) if given.json and given.json.exists() else {}
    for name in given.field or FIELDS:
        told[name] = _measured(name, given.banks, given.processes)
        if given.json:
            in_order = {each: told[each] for each in FIELDS if each in told}
            given.json.write_text(json.dumps(in_order, indent=1, ensure_ascii=False) + "\n")


def _measured(name: str, folder: Path, processes: int) -> dict[str, Any]:
    """Play the leagues of a field, print how many games each method needs, and return that with the curves."""
    field = FIELDS[name]
    game = game_named(field.game)
    draws = {way: draw_probabilities(game, field, way.rotations) for way in ways(field)}
    with ProcessPoolExecutor(processes) as pool:
        jobs = [pool.submit(_part, name, part, folder, draws) for part in range(field.parts)]
        parts = [job.result() for job in _told(jobs, name)]
    known = truth(field, [Bank(name, field, part, folder) for part in range(field.parts)])
    labels = list(field.players)
    print(f"\n{field.words}: {LEAGUES} leagues, {known.games} games")
    for what, values in (("shares", known.shares), ("points", known.points)):
        print(f"  by {what}: " + ", ".join(f"{x} {y:+.1f}" for x, y in zip(labels, values, strict=True)))
    for what, pairs in (("in doubt", known.in_doubt), ("disputed", known.disputed)):
        print(f"  {what}: " + (", ".join(f"{labels[a]} {labels[b]}" for a, b in pairs) or "none"))
    methods = list(_methods(field, parts, known))
    for method in methods:
        figures = [float("nan") if method[key] is None else method[key] for key in Needed._fields]
        print(
            f"  {method['way']:36} {method['order']:28} {figures[0]:6.0f} ±{figures[1]:.0f}"
            f"   {figures[2]:5.2f} ±{figures[3]:.2f}",
            flush=True,
        )
    return {
        "words": field.words,
        "is_ordered": field.is_ordered,
        "leagues": LEAGUES,
        "games": known.games,
        "pairs": len(known.pairs),
        "in_doubt": [[labels[a], labels[b]] for a, b in known.in_doubt],
        "methods": methods,
    }


def _told(jobs: Sequence[Any], name: str) -> Iterator[Any]:
    for done, job in enumerate(jobs):
        print(f"\r{name}: {done} of {len(jobs)} parts", end="", file=sys.stderr, flush=True)
        job.result()
        yield job
    print(file=sys.stderr)


def _part(name: str, part: int, folder: Path, draws: dict[Way, Draws]) -> Played:
    """Play the leagues of one part."""
    field = FIELDS[name]
    bank = Bank(name, field, part, folder)
    return {
        way: [league(bank, field, way, number, draws[way]) for number in range(part, LEAGUES, field.parts)]
        for way in ways(field)
    }


def _methods(field: Field, parts: Sequence[Played], known: Truth) -> Iterator[dict[str, Any]]:
    """Yield for each way and order what it needs, compared with the first of them, and its curve."""
    found = {
        way: np.array([np.mean([taus(one, known.pairs) for one in played[way]], axis=0) for played in parts])
        for way in ways(field)
    }
    looks = {way: parts[0][way][0].games for way in found}
    base = next(iter(found))
    for way, of_way in found.items():
        for number, order in enumerate(ORDERS):
            of_method = looks[way], of_way[:, number]
            of_base = looks[base], found[base][:, 0]
            curve = [
                [games, round(float(mean), 4)]
                for games, mean in zip(looks[way], of_way[:, number].mean(axis=0), strict=True)
            ]
            yield {
                "way": way.words,
                "order": order,
                **_finite(needed(of_method, of_base)),
                "nearer": _finite(needed(of_method, of_base, NEARER_GOAL)),
                "curve": curve,
            }


def _finite(told: Needed) -> dict[str, float | None]:
    return {key: round(value, 4) if np.isfinite(value) else None for key, value in told._asdict().items()}


if __name__ == "__main__":
    main()
