"""Whether comparisons notice matches that aren't independent and alike, and how often they are alarmed for nothing."""

import random
import sys
from collections.abc import Callable
from math import sqrt

import pytest

from results.analysis.sequential_test import (
    LEAST_MATCHES,
    SETTLED_MATCHES,
    Answer,
    Doubt,
    Question,
    SequentialTest,
)

X = 0.1
Draw = Callable[[random.Random, list[float]], float]
"""Draws the next expectation, less what is random, given the results so far."""


def game(expectation: float, normal: float) -> float:
    """Return the result of a match of two games, standard deviation 0.59."""
    return max(-1.0, min(1.0, round((expectation + 0.62 * normal) * 2) / 2))


def alike(difference: float) -> Draw:
    return lambda rng, _: game(difference, rng.gauss(0.0, 1.0))


class InFours:
    """Draws results that correlate by 0.5 with the others of their block of four; all are equal on average."""

    def __init__(self) -> None:
        self.block = 0.0

    def __call__(self, rng: random.Random, results: list[float]) -> float:
        if len(results) % 4 == 0:
            self.block = rng.gauss(0.0, 1.0)
        return game(0.0, sqrt(0.5) * self.block + sqrt(0.5) * rng.gauss(0.0, 1.0))


def learner(rng: random.Random, results: list[float]) -> float:
    """Return a result of a bot that is worse by 0.2 at first, and equal after 100 matches."""
    return game(-0.2 if len(results) < 100 else 0.0, rng.gauss(0.0, 1.0))


def compared(draw: Draw, rng: random.Random, least: int | None = None) -> SequentialTest:
    test = SequentialTest(Question(X, 0.05, least))
    results: list[float] = []
    while test.answer() is None and test.matches < 4000:
        results.append(draw(rng, results))
        test.add(results[-1])
    return test


def in_turns(rng: random.Random, results: list[float]) -> float:
    """Return a result of a bot that is better by 0.05 in 250 matches, worse by as much in the next 250, and so on."""
    return game(-0.05 if len(results) // 250 % 2 else 0.05, rng.gauss(0.0, 1.0))


def measured(
    draw: Draw, runs: int, truth: float = 0.0, least: int | None = None
) -> tuple[float, float, float, float]:
    """Return how often the answer is wrong, there is a doubt, it is wrong without one; and the mean of the matches."""
    rng = random.Random(f"{runs} {truth}")
    wrong = warned = blind = matches = 0
    for _ in range(runs):
        test = compared(draw, rng, least)
        answer, doubts = test.answer(), test.doubts()
        true = {
            Answer.BETTER: truth > 0,
            Answer.WORSE: truth < 0,
            Answer.NO_DIFFERENCE: abs(truth) < X,
            None: True,
        }
        wrong += not true[answer]
        warned += bool(doubts)
        blind += not true[answer] and not doubts
        matches += test.matches
    return wrong / runs, warned / runs, blind / runs, matches / runs


def told(results: list[float]) -> tuple[Doubt, ...]:
    test = SequentialTest(Question(X, 0.05))
    for result in results:
        test.add(result)
    return test.doubts()


def test_what_is_doubted() -> None:
    rng = random.Random(3)
    noise = [game(0.0, rng.gauss(0.0, 1.0)) for _ in range(200)]
    assert told(noise) == ()
    assert Doubt.DEPENDENT in told([result for result in noise[:50] for _ in range(4)])
    assert Doubt.DRIFT in told(
        [max(-1.0, r - 0.5) for r in noise[:100]] + [min(1.0, r + 0.5) for r in noise[100:]]
    )
    assert told([0.5] * 100) == told([1.0, -1.0] * 5) == (), "nothing varies, or there are too few"


def test_a_small_difference_waits_and_a_large_one_does_not() -> None:
    small, large = [0.5, 0.5, -0.5, 0.5] * 68, [1.0, 1.0, 0.0, 1.0] * 10
    test = SequentialTest(Question(X, 0.05))
    assert test.take(small) is None
    assert test.answer(is_last=True) is Answer.BETTER, "nothing comes after it"
    assert Doubt.EARLY in test.doubts()
    assert SequentialTest(Question(X, 0.05, LEAST_MATCHES)).take(small) is Answer.BETTER
    assert test.take([0.5] * 3) is Answer.BETTER
    assert test.matches == SETTLED_MATCHES
    assert test.doubts() == ()
    far = SequentialTest(Question(X, 0.05))
    assert far.take(large) is Answer.BETTER
    assert far.doubts() == ()


def test_a_lead_that_fades_takes_more_evidence() -> None:
    even = [0.5, 0.5, 0.5, -0.5, -0.5] * 60
    ahead = [0.5, 0.5, 0.5, 0.5, -0.5] * 20 + [0.5, -0.5] * 100
    assert sorted(even) == sorted(ahead)
    assert SequentialTest(Question(X, 0.05)).take(even) is Answer.BETTER
    test = SequentialTest(Question(X, 0.05))
    assert test.take(ahead) is None
    assert test.interval()[0] > 0
    assert Doubt.DRIFT in test.doubts()


def test_matches_in_fours_are_noticed_and_others_not() -> None:
    assert measured(InFours(), 12)[1] >= 0.75
    assert measured(alike(2 * X), 25, 2 * X)[1] <= 0.12


def test_results_that_go_together_take_more_evidence() -> None:
    rng, block = random.Random(4), 0.0
    fours, alone = SequentialTest(Question(X, 0.05)), SequentialTest(Question(X, 0.05))
    for number in range(200):
        block = rng.choice((-1.0, 1.0)) if number % 4 == 0 else block
        fours.add(block)
        alone.add(float((-1) ** number))
    # Correlations with the three before are about 3/4, 2/4 and 1/4: a mean varies as that of 200 / (1 + 2 · 3/2).
    assert fours.bound == pytest.approx(4 * fours.question.bound, rel=0.2)
    assert alone.bound == alone.question.bound


def test_the_correlations_are_those_of_all_results_at_once() -> None:
    rng = random.Random(5)
    results = [game(0.1, rng.gauss(0.0, 1.0)) for _ in range(40)]
    test = SequentialTest(Question(X, 0.05))
    for result in results:
        test.add(result)
    mean = sum(results) / 40
    off = [result - mean for result in results]
    whole = sum(one * one for one in off)
    near = [
        sum(one * other for one, other in zip(off, off[lag:], strict=False)) / whole + 1 / 40
        for lag in (1, 2, 3)
    ]
    expected = (3 * near[0] + 2 * near[1] + near[2]) * sqrt(40 / 14), max(0.0, sum(near))
    assert test._together() == pytest.approx(expected)


def test_no_answer_comes_before_the_matches_that_were_asked_for() -> None:
    test = SequentialTest(Question(X, 0.05, 100))
    assert test.take([1.0, 0.5] * 49) is None
    assert test.take([1.0, 0.5]) is Answer.BETTER
    assert test.matches == 100


@pytest.mark.slow
@pytest.mark.parametrize("times", [0, 1, 2])
def test_a_comparison_of_matches_that_are_alike_is_seldom_doubted(times: float) -> None:
    wrong, warned, *_ = measured(alike(times * X), 500, times * X)
    assert wrong <= 0.05 or times == 1, "at the very margin, both answers are near"
    assert warned <= 0.05 + 2.3 * sqrt(0.05 * 0.95 / 500)


@pytest.mark.slow
def test_few_answers_of_matches_in_fours_are_wrong_and_not_doubted() -> None:
    wrong, warned, blind, _ = measured(InFours(), 500)
    assert wrong < 0.13, "one in three if matches counted as independent"
    assert warned > 0.9
    assert blind <= 0.05 + 2.3 * sqrt(0.05 * 0.95 / 500)


@pytest.mark.slow
@pytest.mark.parametrize("draw", [learner, in_turns])
def test_bots_that_change_are_compared_for_long_enough(draw: Draw) -> None:
    assert measured(draw, 250)[2] <= 0.05 + 2.3 * sqrt(0.05 * 0.95 / 250)


if __name__ == "__main__":
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    for name, draw, truth in (
        ("alike, equal", alike(0.0), 0.0),
        ("alike, better by X", alike(X), X),
        ("alike, better by 2X", alike(2 * X), 2 * X),
        ("alike, better by 7X", alike(7 * X), 7 * X),
        ("in fours", InFours(), 0.0),
        ("learner", learner, 0.0),
        ("in turns", in_turns, 0.0),
    ):
        for least in (None, LEAST_MATCHES, 600):
            found = measured(draw, runs, truth, least)
            sys.stdout.write(
                f"{name:20} at least {least or '-':>3} matches: {found[3]:4.0f} matches, "
                f"wrong {found[0]:.3f}, warned {found[1]:.3f}, "
                f"wrong and not warned {found[2]:.3f}\n"
            )
            sys.stdout.flush()
