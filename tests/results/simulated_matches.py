"""Comparisons simulated many times over, with true differences that are known.

`python -m tests.results.simulated_matches` measures all cases with 2,000 comparisons each and prints the table of
docs/schedules-measured.md.
"""

import math
import random
import sys
from collections.abc import Iterator, Mapping
from functools import reduce
from itertools import accumulate
from typing import NamedTuple

from results.analysis.sequential_test import LEAST_MATCHES, Answer, Question, SequentialTest

Shape = Mapping[float, float]
"""Probability by result of a match."""
MOST_MATCHES = 20_000


def _sum_of_games(game: Mapping[int, float], games: int, unit: int) -> Shape:
    """Return the mean of independent games; a game's results are in 1 / unit."""

    def add(total: dict[int, float], _: int) -> dict[int, float]:
        after: dict[int, float] = {}
        for a, p in total.items():
            for b, q in game.items():
                after[a + b] = after.get(a + b, 0.0) + p * q
        return after

    return {a / (unit * games): p for a, p in reduce(add, range(games), {0: 1.0}).items()}


def _table(seats: int, games: int) -> Shape:
    """Return the difference of two's shares at a table of equals without ties, over so many games."""
    places = [(a, b) for a in range(seats) for b in range(seats) if a != b]
    game: dict[int, float] = {}
    for a, b in places:
        game[a - b] = game.get(a - b, 0.0) + 1 / len(places)
    return _sum_of_games(game, games, seats - 1)


SHAPES: Mapping[str, Shape] = {
    "won or lost": {-1: 0.5, 1: 0.5},
    "two games": {-1: 0.1, -0.5: 0.2, 0: 0.4, 0.5: 0.2, 1: 0.1},
    "95 % drawn": {-1: 0.025, 0: 0.95, 1: 0.025},
    "99 % drawn": {-1: 0.005, 0: 0.99, 1: 0.005},
    "table of 4": _table(4, 4),
    "table of 6, 12 games": _table(6, 12),
    "small wins, rare disasters": {1 / 12: 12 / 13, -1: 1 / 13},
    "small wins, rarer disasters": {0.03: 100 / 103, -1: 3 / 103},
    "never far apart": {-0.1: 0.2, -0.05: 0.2, 0: 0.2, 0.05: 0.2, 0.1: 0.2},
}


def shifted(shape: Shape, difference: float) -> Shape:
    """Return the shape with another expectation: every probability times exp(t · result), for the t that gives it."""
    low, high = -1000.0, 1000.0
    for _ in range(200):
        t = (low + high) / 2
        most = max(t * result for result in shape)
        weights = {result: p * math.exp(t * result - most) for result, p in shape.items()}
        total = sum(weights.values())
        mean = sum(result * weight for result, weight in weights.items()) / total
        low, high = (t, high) if mean < difference else (low, t)
    return {result: weight / total for result, weight in weights.items()}


class Case(NamedTuple):
    """One true difference, and what is asked."""

    shape: str
    times: float
    """The true difference in units of X."""
    x: float
    error_rate: float = 0.05

    @property
    def difference(self) -> float:
        return self.times * self.x


class Measured(NamedTuple):
    """What came of many comparisons; shares of 1."""

    better: float
    no_difference: float
    worse: float
    wrong: float
    """Answers that are not true."""
    covered: float
    """Intervals at the end that hold the true difference."""
    matches: float
    """Mean number."""


def measure(case: Case, runs: int, seed: int = 1) -> Measured:
    """Simulate comparisons, each to its answer."""
    rng = random.Random(f"{seed} {case}")
    shape = shifted(SHAPES[case.shape], case.difference)
    results, cumulative = list(shape), list(accumulate(shape.values()))
    question = Question(case.x, case.error_rate, LEAST_MATCHES)
    answers: dict[Answer | None, int] = dict.fromkeys([*Answer, None], 0)
    wrong = covered = matches = 0
    for _ in range(runs):
        test = SequentialTest(question)
        answer = None
        while answer is None and test.matches < MOST_MATCHES:
            test.add(*rng.choices(results, cum_weights=cumulative))
            answer = test.answer()
        answers[answer] += 1
        wrong += answer is not None and not is_true(answer, case)
        covered += allows(test, case.difference)
        matches += test.matches
    return Measured(
        better=answers[Answer.BETTER] / runs,
        no_difference=answers[Answer.NO_DIFFERENCE] / runs,
        worse=answers[Answer.WORSE] / runs,
        wrong=wrong / runs,
        covered=covered / runs,
        matches=matches / runs,
    )


def is_true(answer: Answer, case: Case) -> bool:
    """Return whether an answer is true; at the very edge of what it claims it is not."""
    if answer is Answer.NO_DIFFERENCE:
        return abs(case.times) < 1
    return case.times > 0 if answer is Answer.BETTER else case.times < 0


def allows(test: SequentialTest, value: float) -> bool:
    """Return whether a value within ±1 lies in the interval, without computing the interval."""
    return not any(test.is_beyond(value, side, test.question.bound) for side in (1, -1))


def ever_refuted(case: Case, runs: int, matches: int, seed: int = 1) -> float:
    """Return how often the interval does not hold the true difference after at least one of so many matches."""
    rng = random.Random(f"{seed} {case}")
    shape = shifted(SHAPES[case.shape], case.difference)
    results, cumulative = list(shape), list(accumulate(shape.values()))
    refuted = 0
    for _ in range(runs):
        test = SequentialTest(Question(case.x, case.error_rate, LEAST_MATCHES))
        for result in rng.choices(results, cum_weights=cumulative, k=matches):
            test.add(result)
            if not allows(test, case.difference):
                refuted += 1
                break
    return refuted / runs


CASES = [
    *(Case("won or lost", times, 0.2) for times in (0, 0.5, 1, 2)),
    *(
        Case(shape, times, x)
        for shape, x in (
            ("two games", 0.1),
            ("95 % drawn", 0.1),
            ("99 % drawn", 0.1),
            ("table of 4", 0.1),
            ("never far apart", 0.04),
            ("small wins, rare disasters", 0.04),
        )
        for times in (0, 0.5, 1, 2)
    ),
    Case("table of 6, 12 games", 0, 0.1),
    Case("table of 6, 12 games", 1, 0.1),
    Case("small wins, rare disasters", 0, 0.1),
    Case("small wins, rarer disasters", 0, 0.05),
    Case("small wins, rarer disasters", 0, 0.1),
    Case("won or lost", 0, 0.1),
    Case("two games", 0, 0.05),
    Case("two games", 0, 0.3),
    Case("two games", 1, 0.3),
    Case("won or lost", 0, 0.2, 0.2),
    Case("won or lost", 1, 0.2, 0.2),
    Case("won or lost", 0, 0.2, 0.01),
    Case("won or lost", 1, 0.2, 0.01),
]


def table(runs: int) -> Iterator[str]:
    """Yield the lines of the table."""
    heads = (
        "Results of a match",
        "X",
        "true δ",
        "asked",
        "wrong",
        "better",
        "no difference",
        "worse",
        "matches",
    )
    yield f"| {' | '.join(heads)} |"
    yield f"| --- |{' ---: |' * (len(heads) - 1)}"
    for case in CASES:
        found = measure(case, runs)
        rates = (found.wrong, found.better, found.no_difference, found.worse)
        cells = [case.shape, f"{case.x:g}", f"{case.difference:g}", f"{100 * case.error_rate:g} %"]
        cells += [*(f"{100 * rate:.1f} %" for rate in rates), f"{found.matches:.0f}"]
        yield f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    for line in table(2000):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
