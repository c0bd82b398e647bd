"""Measures how many games each method needs until the rankings show the true order of ten noise levels of one bot.

    python benchmarks/noise_levels.py [--game NAME] [--runs 40] [--banks FOLDER] [--json FILE]

Matches between the levels are played once, by the greedy bot of each game in this process, and kept in a folder.
Leagues then draw from these matches, with the same schedules and ratings as real leagues. The true order is that of
the mean shares in all kept matches. All counts follow from seeds and are the same on every machine.
`docs/noise_levels.py` draws the figure of the page on ratings from the output of --json.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.noise.bank import SETTINGS, Bank, play_all, read, write
from benchmarks.noise.methods import METHODS, draw_probability, games_needed, league

LEAST_TAU = 0.95
MOST_GAMES = 12_000
POINTS = 60


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--game", choices=list(SETTINGS), action="append", help="default: all")
    parser.add_argument("--runs", type=int, default=40, help="leagues per method")
    parser.add_argument("--games", type=int, default=MOST_GAMES, help="maximum number of games per league")
    parser.add_argument("--banks", type=Path, default=Path(tempfile.gettempdir()) / "arena-noise-levels")
    parser.add_argument("--json", type=Path, help="write the curves to this file")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    given.banks.mkdir(parents=True, exist_ok=True)
    told = {}
    for name in given.game or SETTINGS:
        bank = _bank(given.banks / f"{name}.json", name, given.processes)
        told[name] = _tell(bank, given.runs, given.games, given.processes)
    if given.json:
        given.json.write_text(json.dumps(told, indent=1) + "\n")


def _bank(path: Path, name: str, processes: int) -> Bank:
    setting = SETTINGS[name]
    if path.exists():
        return read(path, setting)

    def told(done: int, of: int) -> None:
        print(f"\r{name}: {done} of {of} tables played", end="", file=sys.stderr, flush=True)

    bank = play_all(setting, processes, told)
    print(file=sys.stderr)
    write(path, bank)
    return bank


def _tell(bank: Bank, runs: int, most_games: int, processes: int) -> dict[str, object]:
    """Print how many games each method needs; return the curves."""
    drawn = draw_probability(bank)
    print(f"\n{bank.setting.words}; levels from best to worst {bank.truth()}; draw probability {drawn:.2f}")
    print(
        f"games until τ stays at {LEAST_TAU} or more, of {runs} leagues: quartiles, and the ratio to the first row"
    )
    curves: dict[str, list[tuple[int, float]]] = {}
    first = 0.0
    needed_by: dict[str, list[float]] = {}
    with ProcessPoolExecutor(processes) as pool:
        for method in METHODS:
            jobs = [pool.submit(league, bank, method, run, most_games, drawn) for run in range(runs)]
            played = [job.result() for job in jobs]
            needed = sorted(games_needed(curve, LEAST_TAU) for curve in played)
            needed_by[method.name] = needed
            low, median, high = _quartiles(needed)
            first = first or median
            print(f"  {method.name:36} {low:7.0f} {median:7.0f} {high:7.0f}   {median / first:5.2f}")
            curves[method.name] = _mean_curve(played, most_games)
    needed_or_not = {
        name: [None if games == float("inf") else games for games in needed]
        for name, needed in needed_by.items()
    }
    return {"setting": bank.setting.words, "runs": runs, "curves": curves, "needed": needed_or_not}


def _quartiles(needed: list[float]) -> tuple[float, float, float]:
    return needed[len(needed) // 4], statistics.median_high(needed), needed[3 * len(needed) // 4]


def _mean_curve(played: list[list[tuple[int, float]]], most_games: int) -> list[tuple[int, float]]:
    """Return the mean τ at some numbers of games, with growing intervals."""
    grid = sorted({round(10 * (most_games / 10) ** (i / (POINTS - 1))) for i in range(POINTS)})
    means = []
    for games in grid:
        values = []
        for curve in played:
            reached = [value for at, value in curve if at <= games]
            values.append(reached[-1] if reached else 0.0)
        means.append((games, statistics.fmean(values)))
    return means


if __name__ == "__main__":
    main()
