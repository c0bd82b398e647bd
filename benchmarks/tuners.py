"""Simulates tunes: how many games each optimiser takes to 90 % of a gain of 0.10 of mean share.

    python benchmarks/tuners.py [--runs 24] [--only "spsa;cma"] [--half 2.5]
    python benchmarks/tuners.py --nothing 200
    python benchmarks/tuners.py --flat 100

The landscape: the optimum is 0.7 to 1.3 units away from the start in each parameter, in a random direction; curvatures
along random axes differ by ten; one side of each axis is 1.7 times as steep as the other; far away it is flat, 0.40
below the optimum. The range of each parameter is 2.5 units to either side of the start unless `--half` says otherwise.
A match at a table of four is four games, with a standard deviation of 0.271 of the difference of two equal bots' shares
(Bread Basket); at a table of two it is two games, and 0.62.

Every optimiser gets tables of four as they suit it best. `spsa`: two mirrored pairs. `spsa, one pair`: a mirrored pair
and two others. `spsa, two seats`: a mirrored pair alone. `cma`: CMA-ES of the package cma, candidates at one table,
judged by their shares on the same deals. `optuna`: its TPE, three candidates at a table with the start; the answer is
the mean of the best tenth. `random`: 32 candidates a round at tables of four, and the better half plays on.
`--nothing` tunes parameters that do nothing at a table of two, compares what was found with the start as `arena tune`
does, at a difference of 0.1, and counts the answers.
`--flat` tunes two parameters, and counts how often the first is called flat: one that does nothing, beside one that
does nothing and one that matters; the same where 90 % of the matches that turn it alone are draws, as of a bot that
plays nearly the same; and, where it should never be, one whose range is worth 1 to 1.6 times X, as a hill, a slope, a
hill with a steep side, or a step near the end. Also printed: after how many games one that does nothing is said to be
flat, and how often it is then; what it is said to change at most, the median; and how
many places of the landscape lie in their 95 % interval.
cma and optuna are installed by: pip install --group simulation.
"""

import argparse
import random
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import exp, log, sqrt
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena.league.tune import games_for
from results.analysis.sequential_test import Question, SequentialTest
from results.analysis.tuning import AHEAD_STEPS, Z95, Slice, Tuner, slices
from results.reports.comparison_rows import FLAT, state_of

GAIN, FALL = 0.10, 0.40
AIMS = {2: 1_500, 4: 3_000, 8: 8_000}
DEALS = 4
"""Of a step, as in `arena tune`."""
Course = Iterator[tuple[int, Any]]
"""Games so far and the answer then, in places from 0 to 1."""


class Landscape:
    """What a point is worth, and tables at which points play."""

    def __init__(self, parameters: int, half: float, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.parameters, self.half, self.rng = parameters, half, rng
        self.optimum = rng.uniform(0.7, 1.3, parameters) * rng.choice([-1, 1], parameters)
        self.axes = np.linalg.qr(rng.normal(size=(parameters, parameters)))[0]
        self.curvatures = np.logspace(0, 1, parameters)
        self.scale = -log(1 - GAIN / FALL) / self._far(np.full(parameters, 0.5))

    def _far(self, point: Any) -> float:
        off = ((np.asarray(point) - 0.5) * 2 * self.half - self.optimum) @ self.axes
        off = np.where(off < 0, 0.7 * off, 1.2 * off)
        return float((self.curvatures * off * off).sum())

    def gain(self, point: Any) -> float:
        """Return what a point gains over the start, of the mean share."""
        return GAIN - FALL * (1 - exp(-self.scale * self._far(point)))

    def shares(self, points: Sequence[Any], deals: int, deviation: float) -> list[float]:
        """Return the mean shares of the points at a table over so many deals, as they are above the mean."""
        luck = self.rng.normal(size=len(points)) * deviation / sqrt(2 * deals)
        return [self.gain(point) + float(one) for point, one in zip(points, luck, strict=True)]


def spsa(land: Landscape, seats: int = 4, pairs: int = 2) -> Course:
    """Tune as `arena tune` does."""
    deviation = 0.271 if seats == 4 else 0.62
    tuner, games = Tuner((0.5,) * land.parameters, pairs), 0
    waiting: list[list[float]] = []
    for step in range(10**9):
        results = []
        for pair in tuner.points(step):
            first, second = land.shares(pair, DEALS, deviation)
            results.append(max(-1.0, min(1.0, first - second)))
        waiting.append(results)
        games += seats * DEALS
        if len(waiting) > AHEAD_STEPS:
            tuner.add(waiting.pop(0))
        yield games, tuner.best


def cma_es(land: Landscape) -> Course:
    """Tune by CMA-ES from the package cma."""
    import cma

    start = [0.5] * land.parameters
    wanted = {"bounds": [0, 1], "verbose": -9, "seed": int(land.rng.integers(1, 10**6)), "popsize": 12}
    search, games = cma.CMAEvolutionStrategy(start, 0.2, wanted), 0
    while True:
        tried = search.ask()
        worth: list[float] = []
        for first in range(0, len(tried), 4):
            table = tried[first : first + 4]
            worth += land.shares(table, DEALS, 0.271)
            games += 4 * DEALS
        search.tell(tried, [-one for one in worth])
        yield games, search.result.xfavorite


def optuna_tpe(land: Landscape) -> Course:
    """Tune by the TPE of optuna, candidates beside the start."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = optuna.samplers.TPESampler(
        seed=int(land.rng.integers(10**6)), multivariate=True, constant_liar=True
    )
    study = optuna.create_study(direction="maximize", sampler=sampler)
    space: dict[str, Any] = {
        str(one): optuna.distributions.FloatDistribution(0, 1) for one in range(land.parameters)
    }
    games = 0
    known: list[tuple[float, list[float]]] = []
    while True:
        trials = [study.ask(space) for _ in range(3)]
        points = [[trial.params[str(one)] for one in range(land.parameters)] for trial in trials]
        base, *shares = land.shares([[0.5] * land.parameters, *points], 2 * DEALS, 0.271)
        for trial, point, share in zip(trials, points, shares, strict=True):
            study.tell(trial, share - base)
            known.append((share - base, point))
        games += 8 * DEALS
        best = sorted(known, key=lambda one: -one[0])[: max(1, len(known) // 10)]
        yield games, np.mean([point for _, point in best], axis=0)


def random_search(land: Landscape) -> Course:
    """Tune by random candidates, of whom the better half plays on; then others, around the best so far."""
    games, best, width = 0, np.full(land.parameters, 0.5), 0.5
    while True:
        field = [
            best,
            *(np.clip(best + land.rng.uniform(-width, width, land.parameters), 0, 1) for _ in range(31)),
        ]
        sums, deals = [0.0] * len(field), 0
        while len(field) > 1:
            for first in range(0, len(field), 4):
                table = field[first : first + 4]
                for place, share in enumerate(land.shares(table, 8, 0.271)):
                    sums[first + place] += 8 * share
                games += 32 if len(table) == 4 else 8 * len(table)
            deals += 8
            order = sorted(range(len(field)), key=lambda one: -sums[one])[: len(field) // 2]
            field, sums = [field[one] for one in order], [sums[one] for one in order]
        best, width = field[0], 0.7 * width
        yield games, best


OPTIMISERS: dict[str, Callable[[Landscape], Course]] = {
    "spsa": spsa,
    "spsa, one pair": lambda land: spsa(land, 4, 1),
    "spsa, two seats": lambda land: spsa(land, 2, 1),
    "cma": cma_es,
    "optuna": optuna_tpe,
    "random": random_search,
}
MOST = {"optuna": 3, "random": 5}
"""How many times the aim is played; 5 unless stated. TPE takes minutes for each thousand games."""


def course(name: str, parameters: int, half: float, run: int, marks: Sequence[int]) -> list[float]:
    """Return what an optimiser has gained after so many games, for one landscape."""
    land = Landscape(parameters, half, 1_000 * parameters + run)
    found: list[float] = []
    gained = 0.0
    for games, answer in OPTIMISERS[name](land):
        while len(found) < len(marks) and games > marks[len(found)]:
            found.append(gained)
        if len(found) == len(marks):
            return found
        gained = land.gain(answer)
    raise AssertionError("a course has no end")


def reached(courses: Sequence[Sequence[float]], marks: Sequence[int]) -> int | None:
    """Return the games after which the mean of the courses is 90 % of the gain, and stays; None: not within them."""
    late = [
        mark for mark, now in zip(marks, zip(*courses, strict=True), strict=True) if fmean(now) < 0.9 * GAIN
    ]
    return next((mark for mark in marks if not late or mark > late[-1]), None)


def nothing(runs: int) -> None:
    """Tune parameters that do nothing, and print what the comparisons say."""
    answers: Counter[str] = Counter()
    for run in range(runs):
        rng, parameters = random.Random(run), (2, 4, 8)[run % 3]

        def result(rng: random.Random = rng) -> float:
            return max(-1.0, min(1.0, round(2 * rng.gauss(0.0, 0.62)) / 2))

        tuner = Tuner((0.5,) * parameters, 1)
        for _ in range(250):
            tuner.add([fmean(result() for _ in range(DEALS))])
        test = SequentialTest(Question(0.1, 0.05))
        while test.answer() is None:
            test.add(result())
        moved = max(abs(place - 0.5) for place in tuner.best)
        answers[str(test.answer())] += moved > 0
    for answer, count in sorted(answers.items()):
        print(f"{answer}: {count} of {runs}", flush=True)


Worth = Callable[[float], float]
DRAWS = 0.9


def range_of(kind: str, size: float, rng: random.Random) -> Worth:
    """Return what values from 0 to 1 are worth, if the whole range is worth that much."""
    top, side = rng.uniform(0.2, 0.8), rng.choice((-1, 1))
    match kind:
        case "hill":
            return lambda place: -size * ((place - top) / max(top, 1 - top)) ** 2
        case "slope":
            return lambda place: side * size * (2 * place - 1)
        case "steep side":
            return lambda place: (
                -size * ((place - top) / (1 - top if place > top else top)) ** 2 * (1 if place > top else 0.3)
            )
        case "step":
            return lambda place: -size * (place > 0.6 + 0.4 * top)
        case _:
            return lambda _: 0.0


def tuned(first: Worth, second: Worth, seats: int, games: int, draws: bool, rng: random.Random) -> Tuner:
    """Return a tune of two parameters."""
    deviation, steps = (0.62, 2) if seats == 2 else (0.271, 12)
    tuner = Tuner((0.5, 0.5), seats // 2)
    waiting: list[list[float]] = []

    def result(ahead: float, alone: bool) -> float:
        if alone and rng.random() < DRAWS:
            return 0.0
        return max(-1.0, min(1.0, round((ahead + deviation * rng.gauss(0.0, 1.0)) * steps) / steps))

    for step in range(games // (DEALS * seats)):
        alone = draws and tuner.looks_at(step) == 0
        aheads = [
            first(one[0]) + second(one[1]) - first(two[0]) - second(two[1]) for one, two in tuner.points(step)
        ]
        waiting.append([fmean(result(ahead, alone) for _ in range(DEALS)) for ahead in aheads])
        if len(waiting) > AHEAD_STEPS:
            tuner.add(waiting.pop(0))
    for left in waiting:
        tuner.add(left)
    return tuner


def later(seats: int, games: int, draws: bool, x: float, runs: int) -> str:
    """Return in words how often a parameter that does nothing is flat after as many games as tunes of `games` say."""

    def tune(games: int, run: int) -> Slice:
        rng = random.Random(f"{seats} {games} {draws} {run}")
        second = range_of("hill" if run % 2 else "nothing", 0.3, rng)
        tuner = tuned(lambda _: 0.0, second, seats, games, draws, rng)
        return slices(tuner.looked, tuner.best)[0]

    wanted = round(median(tune(games, run).games_to_be_flat(games, x) for run in range(runs)))
    if wanted > MOST_LATER:
        return f"X = {x:g}: {wanted:,} games"
    said = sum(state_of(tune(wanted, runs + run), x) == FLAT for run in range(runs))
    return f"X = {x:g}: after {wanted:,} games {said} of {runs}"


MOST_LATER = 20_000
"""Longer tunes aren't simulated."""


def flat(runs: int) -> None:
    """Tune, and print how often a parameter is called flat."""
    for seats, games in ((2, 1_500), (2, games_for(2, 2)), (4, 1_500), (4, 4_000)):
        for kind in ("nothing", "nothing, mostly draws", "hill", "slope", "steep side", "step"):
            called: dict[float, list[bool]] = {0.05: [], 0.1: []}
            most, inside = [], []
            for (x, found), run in product(called.items(), range(runs)):
                rng = random.Random(f"{seats} {games} {kind} {run}")
                first = range_of(kind, x * rng.uniform(1.0, 1.6), rng)
                second = range_of("hill" if run % 2 else "nothing", 0.3, rng)
                tuner = tuned(first, second, seats, games, "draws" in kind, rng)
                along, *_ = slices(tuner.looked, tuner.best)
                true = [first(place) - first(tuner.best[0]) for place in along.places]
                if "nothing" not in kind and max(map(abs, true)) < x:
                    continue
                found.append(state_of(along, x) == FLAT)
                most.append(along.most())
                inside += [
                    abs(share - truth) <= Z95 * error + 1e-9
                    for share, truth, error in zip(along.shares, true, along.errors, strict=True)
                ]
            told = " ".join(f"X = {x:g}: {sum(found)} of {len(found)}" for x, found in called.items())
            print(
                f"{seats} seats {games:,} games {kind:21} flat {told}, at most {median(most or [1.0]):.3f}, "
                f"{100 * fmean(inside or [1]):.0f} % of places inside",
                flush=True,
            )
            if "nothing" in kind:
                told = "; ".join(later(seats, games, "draws" in kind, x, runs) for x in called)
                print(f"  flat later: {told}", flush=True)


def main() -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=24)
    parser.add_argument("--only", default=";".join(OPTIMISERS))
    parser.add_argument("--half", type=float, default=2.5)
    parser.add_argument("--nothing", type=int, default=0)
    parser.add_argument("--flat", type=int, default=0)
    given = parser.parse_args()
    if given.nothing or given.flat:
        if given.nothing:
            nothing(given.nothing)
        if given.flat:
            flat(given.flat)
        return
    warnings.simplefilter("ignore")
    for name in given.only.split(";"):
        for parameters, aim in AIMS.items():
            marks = [aim * part // 20 for part in range(1, 20 * MOST.get(name, 5) + 1)]
            courses = [course(name, parameters, given.half, run, marks) for run in range(given.runs)]
            rng = random.Random(1)
            again = [reached(rng.choices(courses, k=len(courses)), marks) for _ in range(200)]
            known = [one for one in again if one is not None]
            at_aim = [one[marks.index(aim)] / GAIN for one in courses]
            games = reached(courses, marks)
            error = f" ± {stdev(known):,.0f}" if games and len(known) > 100 else ""
            print(
                f"{name:16} {parameters} parameters: 90 % after {f'{games:,}' if games else f'more than {marks[-1]:,}'}"
                f"{error} games; after {aim:,}: {fmean(at_aim):.3f} ± {stdev(at_aim) / sqrt(len(at_aim)):.3f}; "
                f"after {marks[-1]:,}: {fmean(one[-1] for one in courses) / GAIN:.3f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
