"""How often the sequential test is wrong: no more often than it says, whatever the results look like."""

import math

import pytest

from results.analysis.sequential_test import Answer
from tests.results.simulated_matches import CASES, SHAPES, Case, ever_refuted, is_true, measure, shifted


def most(rate: float, runs: int) -> float:
    """Return a share that a rate does not exceed by chance, but once in some 700 tries."""
    return rate + 3 * math.sqrt(rate * (1 - rate) / runs)


@pytest.mark.parametrize(
    "case",
    [
        *(Case("95 % drawn", times, 0.3) for times in (0, 1)),
        *(
            pytest.param(case, marks=pytest.mark.slow)
            for case in (
                *(Case("two games", times, 0.3) for times in (0, 1)),
                *(Case("won or lost", times, 0.5) for times in (0, 1)),
                Case("table of 4", 0, 0.3),
                Case("small wins, rare disasters", 0, 0.3),
            )
        ),
    ],
    ids=str,
)
def test_answers_are_rarely_wrong(case: Case) -> None:
    runs = 500
    found = measure(case, runs)
    assert found.wrong <= most(case.error_rate, runs)
    assert 1 - found.covered <= most(case.error_rate, runs)
    if case.times == 1:
        assert found.better >= 1 - most(case.error_rate, runs), "a difference of X is found"


def test_wrong_is_what_is_not_true() -> None:
    answers = {
        times: [is_true(a, Case("two games", times, 0.1)) for a in Answer] for times in (-1, 0, 0.5, 1)
    }
    #                      better, no difference, worse
    assert answers == {
        -1: [False, False, True],
        0: [False, True, False],
        0.5: [True, True, False],
        1: [True, False, False],
    }


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_simulated_match_has_the_difference_that_it_should(case: Case) -> None:
    shape = shifted(SHAPES[case.shape], case.difference)
    assert sum(shape.values()) == pytest.approx(1)
    assert sum(result * p for result, p in shape.items()) == pytest.approx(case.difference, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_error_rate_holds_over_1000_comparisons(case: Case) -> None:
    """Halfway to X, better and no difference are both true, and it takes longest: there, 250 tell."""
    runs = 250 if case.times == 0.5 else 1000
    found = measure(case, runs)
    assert found.wrong <= most(case.error_rate, runs)
    assert 1 - found.covered <= most(case.error_rate, runs)
    if case.times >= 1:
        assert found.better >= 1 - most(case.error_rate, runs), "a difference of X is found"


@pytest.mark.slow
@pytest.mark.parametrize(
    "case", [Case("two games", 0, 0.1), Case("two games", 1, 0.2), Case("small wins, rare disasters", 0, 0.1)]
)
def test_the_interval_holds_the_truth_after_every_match(case: Case) -> None:
    runs = 400
    assert ever_refuted(case, runs, matches=1000) <= most(case.error_rate, runs)
