"""How long comparisons take: the forecast agrees with the test itself."""

import math

import pytest

from results.analysis.sample_size import comparison_length
from results.analysis.sequential_test import LEAST_MATCHES, SETTLED_MATCHES, Question, SequentialTest
from tests.results.simulated_matches import SHAPES, Case, measure, shifted


def deviation(shape: str) -> float:
    found = shifted(SHAPES[shape], 0)
    return math.sqrt(sum(p * result**2 for result, p in found.items()))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "times", "x"),
    [
        ("won or lost", 0, 0.2),
        ("won or lost", 1, 0.2),
        ("two games", 1, 0.1),
        ("two games", 0, 0.1),
        ("two games", 0.5, 0.1),
        ("table of 4", 0, 0.1),
        ("table of 4", 1, 0.1),
        ("never far apart", 1, 0.04),
        ("table of 6, 12 games", 1, 0.1),
    ],
)
def test_the_forecast_is_the_mean_of_comparisons(shape: str, times: float, x: float) -> None:
    taken = measure(Case(shape, times, x), 200).matches
    forecast = comparison_length(Question(x, 0.05, LEAST_MATCHES), deviation(shape), times * x)
    assert forecast.mean == pytest.approx(taken, rel=0.2 if times else 0.12), "standard errors of 4 % each"
    assert forecast.most > forecast.mean


def test_smaller_differences_and_smaller_error_rates_take_longer() -> None:
    at = comparison_length(Question(0.1, 0.05, LEAST_MATCHES), 0.5, 0.1).mean
    assert at == pytest.approx(10.2 * (0.5 / 0.1) ** 2, rel=0.15), "more for leads that fade by chance"
    assert comparison_length(Question(0.05, 0.05, LEAST_MATCHES), 0.5, 0.05).mean > 3 * at
    assert comparison_length(Question(0.1, 0.001, LEAST_MATCHES), 0.5, 0.1).mean > 1.5 * at
    assert comparison_length(Question(0.1, 0.05, LEAST_MATCHES), 0.5, 0.3).mean < at / 3
    waits, far = (comparison_length(Question(0.1, 0.05), 0.5, difference).mean for difference in (0.2, 0.6))
    assert waits == pytest.approx(SETTLED_MATCHES, rel=0.05)
    assert far < SETTLED_MATCHES / 4


def test_what_is_left_depends_on_the_results_so_far() -> None:
    question = Question(0.1, 0.05, LEAST_MATCHES)
    clear = comparison_length(question, 0.5, None, matches=150, estimate=0.12)
    halfway = comparison_length(question, 0.5, None, matches=150, estimate=0.05)
    assert clear.mean < 150
    assert halfway.mean > 2 * clear.mean


def test_the_deviation_of_results() -> None:
    test = SequentialTest(Question(0.1, 0.05))
    test.add(0.5)
    assert test.deviation is None
    for result in (-0.5, 1.0, -1.0, 0.0):
        test.add(result)
    assert test.deviation == pytest.approx(math.sqrt(2.5 / 4)), "the half matches added don't count"
