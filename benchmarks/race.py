"""Simulates races of eight variants, beside eight comparisons with the same margin.

    python benchmarks/race.py [--runs 250] [--false 2000]
    python benchmarks/race.py --doubts 300

Results of two variants on one deal are correlated, as all of them play the same cards against the same base: 0.3 unless
stated. At two seats, a match is two games, with a result of −1, −½, 0, ½ or 1, standard deviation 0.59, and X = 0.1. At
four, a match is four games with results in twelfths, standard deviation 0.27, X = 0.05, and a table seats the base and
three variants, so that a round has as many tables as can be filled; a comparison needs a table of its own. The games of
races are given as a part of those of eight comparisons at 5 % each.

`--doubts` races eight equals whose deals aren't independent or not alike, and counts false winners, warnings, and false
winners without one: results go together in fours (correlation 0.5); half of the variants are better by 0.05 and half
worse, in turns of 250 deals; the base is worse by 0.2 for 100 deals, as it learns, or all variants are. The rows above
them, where deals are alike, count false warnings.
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


def changed(kind: str, variant: int, deal: int) -> float:
    """Return what a kind of race adds to what a variant is better than the base by, on a deal."""
    match kind:
        case "in turns":
            return 0.05 if (variant + deal // 250) % 2 else -0.05
        case "the base learns":
            return 0.2 if deal < 100 else 0.0
        case "variants learn":
            return -0.2 if deal < 100 else 0.0
        case _:
            return 0.0


def race(
    table: Table, truth: Sequence[float], correlation: float, rng: random.Random, kind: str = "alike"
) -> tuple[Race, int]:
    """Return a race at its end, and its games."""
    run = Race(VARIANTS, Question(table.x, ERROR_RATE))
    games, turn = 0, 0

    def normals() -> list[float]:
        common = rng.gauss(0.0, 1.0)
        return [
            sqrt(correlation) * common + sqrt(1 - correlation) * rng.gauss(0.0, 1.0) for _ in range(VARIANTS)
        ]

    block = normals()
    while not run.is_over and run.deals < MOST_DEALS:
        luck = normals()
        if kind == "in fours":
            block = block if run.deals % 4 else normals()
            luck = [sqrt(0.5) * (one + other) for one, other in zip(luck, block, strict=True)]
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
                one: table.result(truth[one - 1] + changed(kind, one, run.deals), luck[one - 1])
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


def doubts(table: Table, runs: int) -> None:
    """Race fields whose deals aren't alike, and print how often that is noticed."""
    for kind, case in (
        ("alike", CASES[0]),
        ("alike", CASES[2]),
        *((kind, CASES[0]) for kind in ("in fours", "in turns", "the base learns", "variants learn")),
    ):
        rng = random.Random(f"{table.seats} {case} {kind}")
        found, games = [], 0
        for _ in range(runs):
            truth = true_differences(case, table.x, rng)
            run, played = race(table, truth, 0.3, rng, kind)
            games += played
            is_false = run.best is not None and truth[run.best - 1] <= 0
            found.append((is_false, bool(run.tests[run.best or run.leader].doubts())))
        parts = [
            fmean(one for one, _ in found),
            fmean(two for _, two in found),
            fmean(one and not two for one, two in found),
        ]
        told = [f"{100 * part:.1f} ± {100 * sqrt(part * (1 - part) / runs):.1f} %" for part in parts]
        print(
            f"{table.seats} seats  {kind:16} {case:18} {games / runs:6.0f} games  false winner {told[0]}, "
            f"warned {told[1]}, false and not warned {told[2]}",
            flush=True,
        )


def main() -> None:
    """Simulate all cases and print them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--doubts", type=int, default=0)
    parser.add_argument("--runs", type=int, default=250)
    parser.add_argument("--compares", type=int, default=20)
    parser.add_argument("--false", type=int, default=2000)
    given = parser.parse_args()
    if given.doubts:
        for table in TABLES:
            doubts(table, given.doubts)
        return
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
