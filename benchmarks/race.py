"""Simulates races of eight variants, beside eight comparisons with the same margin.

    python benchmarks/race.py [--runs 250] [--false 2000]

Results of two variants on one deal are correlated, as all of them play the same cards against the same base: 0.3 unless
stated. At two seats, a match is two games, with a result of −1, −½, 0, ½ or 1, standard deviation 0.59, and X = 0.1. At
four, a match is four games with results in twelfths, standard deviation 0.27, X = 0.05, and a table seats the base and
three variants, so that a round has as many tables as can be filled; a comparison needs a table of its own. The games of
races are given as a part of those of eight comparisons at 5 % each.
"""

import argparse
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev

sys.path.insert(0, str(Path(__file__).parents[1]))

from results.analysis.race import Race
from results.analysis.sequential_test import Question, SequentialTest

VARIANTS = 8
MOST_DEALS = 5_000
ERROR_RATE = 0.05


@dataclass(frozen=True)
class Table:
    """Tables of one size: how results scatter, and what matters."""

    seats: int
    steps: int
    """Results are in 1 / steps."""
    deviation: float
    x: float

    def result(self, difference: float, normal: float) -> float:
        """Return a result with that expectation, but for rounding and the ends."""
        value = round((difference + self.deviation * normal) * self.steps) / self.steps
        return max(-1.0, min(1.0, value))


TABLES = (Table(2, 2, 0.62, 0.1), Table(4, 12, 0.27, 0.05))


def true_differences(case: str, x: float, rng: random.Random) -> list[float]:
    """Return what the variants are better than the base by."""
    match case:
        case "8 identical":
            return [0.0] * VARIANTS
        case "one better by X":
            return [x] + [0.0] * (VARIANTS - 1)
        case "one better by 2X":
            return [2 * x] + [0.0] * (VARIANTS - 1)
        case "spread around 0":
            return [rng.gauss(0.0, x) for _ in range(VARIANTS)]
        case _:
            return [rng.gauss(-x, x) for _ in range(VARIANTS)]


CASES = ("8 identical", "one better by X", "one better by 2X", "spread around 0", "spread around -X")


@dataclass(frozen=True)
class Outcome:
    """What came of a race."""

    games: int
    best: int | None
    is_false: bool
    """The winner isn't better than the base."""
    is_close: bool
    """The answer is true within X: the winner is within X of the best, or nobody is better than the base by X."""


def comparison(table: Table, difference: float, rng: random.Random) -> int:
    """Return how many games a comparison takes."""
    test = SequentialTest(Question(table.x, ERROR_RATE))
    while test.answer() is None and test.matches < MOST_DEALS:
        test.add(table.result(difference, rng.gauss(0.0, 1.0)))
    return test.matches * table.seats


def race(table: Table, truth: Sequence[float], correlation: float, rng: random.Random) -> tuple[Race, int]:
    """Return a race at its end, and its games."""
    run = Race(VARIANTS, Question(table.x, ERROR_RATE))
    games, turn = 0, 0
    while not run.is_over and run.deals < MOST_DEALS:
        common = rng.gauss(0.0, 1.0)
        running = run.running
        if table.seats == 2:
            seated = running
            games += 2 * len(seated)
        else:
            others = table.seats - 1
            # Those out fill the last table; their results don't count.
            tables = max(1, len(running) // others)
            seated = [
                running[(turn + place) % len(running)] for place in range(min(len(running), tables * others))
            ]
            turn += len(seated)
            games += table.seats * tables
        run.add(
            {
                one: table.result(
                    truth[one - 1],
                    sqrt(correlation) * common + sqrt(1 - correlation) * rng.gauss(0.0, 1.0),
                )
                for one in seated
            }
        )
    return run, games


def measure(table: Table, case: str, runs: int, correlation: float = 0.3) -> list[Outcome]:
    """Simulate races."""
    rng = random.Random(f"{table.seats} {case} {correlation}")
    found = []
    for _ in range(runs):
        truth = true_differences(case, table.x, rng)
        run, games = race(table, truth, correlation, rng)
        best = run.best
        top = max(truth)
        is_close = (truth[best - 1] >= top - table.x) if best else top < table.x
        found.append(Outcome(games, best, best is not None and truth[best - 1] <= 0, is_close))
    return found


def share(outcomes: Sequence[Outcome], is_so: Callable[[Outcome], bool]) -> str:
    """Return the part of races of which something is so, in percent with its standard error."""
    part = fmean(is_so(one) for one in outcomes)
    return f"{100 * part:.1f} ± {100 * sqrt(part * (1 - part) / len(outcomes)):.1f} %"


def eight_comparisons(table: Table, case: str, runs: int) -> list[int]:
    """Return the games of eight comparisons, for so many fields."""
    rng = random.Random(f"compare {table.seats} {case}")
    return [
        sum(comparison(table, difference, rng) for difference in true_differences(case, table.x, rng))
        for _ in range(runs)
    ]


def main() -> None:
    """Simulate all cases and print them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=250)
    parser.add_argument("--compares", type=int, default=20)
    parser.add_argument("--false", type=int, default=2000)
    given = parser.parse_args()
    for table in TABLES:
        ratios = []
        for case in CASES:
            found = measure(table, case, given.runs)
            games, beside = [one.games for one in found], eight_comparisons(table, case, given.compares)
            ratios.append(fmean(games) / fmean(beside))
            error = ratios[-1] * sqrt(
                (stdev(games) / fmean(games)) ** 2 / len(games)
                + (stdev(beside) / fmean(beside)) ** 2 / len(beside)
            )
            print(
                f"{table.seats} seats  {case:18} games {ratios[-1]:.3f} ± {error:.3f}  "
                f"first found {share(found, lambda one: one.best == 1):16} "
                f"false {share(found, lambda one: one.is_false):14} "
                f"true within X {share(found, lambda one: one.is_close)}",
                flush=True,
            )
        print(f"{table.seats} seats  mean of the five cases {fmean(ratios):.3f}", flush=True)
    for table in TABLES:
        for correlation in (0.0, 0.3, 0.8):
            found = measure(table, CASES[0], given.false, correlation)
            print(
                f"{table.seats} seats  8 identical, correlation {correlation}: false winner "
                f"{share(found, lambda one: one.is_false)}",
                flush=True,
            )


if __name__ == "__main__":
    main()
