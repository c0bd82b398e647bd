"""The sequential test: worked by hand, against a plain search for the best fit, and as it must behave."""

import math
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from results.analysis.sequential_test import (
    ADDED_MATCHES,
    LEAST_MATCHES,
    SETTLED_MATCHES,
    Answer,
    Question,
    SequentialTest,
)

QUESTION = Question(0.1, 0.05)
RESULTS = st.lists(st.sampled_from([-1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0]), max_size=200)


def after(results: list[float], question: Question = QUESTION) -> SequentialTest:
    """Return the test after all of these results, answered or not."""
    test = SequentialTest(question)
    for result in results:
        test.add(result)
    return test


def test_wins_alone_worked_by_hand() -> None:
    question = Question(0.5, 0.05)  # no alternative but the one that is X away
    test = after([1.0] * 20, question)
    # Two results, so the fit with expectation u is the only one: a win has (1 + u) / 2, a loss (1 - u) / 2.
    wins, losses = 20 + ADDED_MATCHES, ADDED_MATCHES
    better = wins * math.log(1.5) + losses * math.log(0.5)
    assert test.evidence()[Answer.BETTER] == pytest.approx(better)
    worse = wins * math.log(0.5) + losses * math.log(1.5)
    assert test.evidence()[Answer.WORSE] == pytest.approx(worse)
    assert test.evidence()[Answer.NO_DIFFERENCE] == pytest.approx(min(-better, -worse))
    # ln(2 / 0.05) = 3.689 is passed by 9.5 ln 1.5 - 0.5 ln 2 = 3.505 not yet, by 10.5 ln 1.5 - 0.5 ln 2 = 3.911 well.
    assert question.bound == pytest.approx(3.6889, abs=1e-4)
    at_once = Question(0.5, 0.05, LEAST_MATCHES)
    assert after([1.0] * 9, at_once).answer() is None
    assert after([1.0] * 10, at_once).answer() is Answer.BETTER


def test_the_mixture_worked_by_hand() -> None:
    question = Question(0.2, 0.05)
    assert [step for step, _ in question.alternatives] == [0.2, 0.8]
    assert [math.exp(log) for _, log in question.alternatives] == pytest.approx([0.7, 0.3])
    wins, losses = 12.5, 0.5
    near, far = (wins * math.log(1 + u) + losses * math.log(1 - u) for u in (0.2, 0.8))
    expected = math.log(0.7 * math.exp(near) + 0.3 * math.exp(far))
    assert after([1.0] * 12, question).evidence()[Answer.BETTER] == pytest.approx(expected)


def test_alternatives_reach_as_far_as_results_do() -> None:
    assert [step for step, _ in Question(0.05, 0.05).alternatives] == pytest.approx([0.05, 0.2, 0.8])
    assert [step for step, _ in Question(0.25, 0.05).alternatives] == [0.25]
    for difference in (0.001, 0.01, 0.1, 0.5):
        weights = [math.exp(log) for _, log in Question(difference, 0.05).alternatives]
        assert sum(weights) == pytest.approx(1)


def best_fit(results: list[float], expectation: float) -> float:
    """Return the log-likelihood of the best distribution on −1, 0, 1 with an expectation, by plain search."""
    count = Counter(results)
    weights = {-1: count[-1] + ADDED_MATCHES, 0: count[0], 1: count[1] + ADDED_MATCHES}

    def likelihood(losses: float) -> float:
        p = {-1: losses, 0: 1 - 2 * losses - expectation, 1: losses + expectation}
        if min(p.values()) <= 0:
            return -math.inf
        return sum(weight * math.log(p[value]) for value, weight in weights.items() if weight)

    low, high = max(0.0, -expectation), (1 - expectation) / 2
    for _ in range(200):  # it is concave: the best lies in the middle third or beside it
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (a, high) if likelihood(a) < likelihood(b) else (low, b)
    return likelihood((low + high) / 2)


@given(st.integers(0, 40), st.integers(1, 60), st.integers(0, 40), st.sampled_from([0.25, 0.3, 0.4, 0.5]))
def test_the_fit_is_the_best_there_is(losses: int, draws: int, wins: int, difference: float) -> None:
    results = [-1.0] * losses + [0.0] * draws + [1.0] * wins
    evidence = after(results, Question(difference, 0.05)).evidence()
    zero, above, below = (best_fit(results, u) for u in (0.0, difference, -difference))
    assert evidence[Answer.BETTER] == pytest.approx(above - zero, abs=1e-6)
    assert evidence[Answer.WORSE] == pytest.approx(below - zero, abs=1e-6)
    assert evidence[Answer.NO_DIFFERENCE] == pytest.approx(min(zero - above, zero - below), abs=1e-6)


def fit_by_halving(results: list[float], expectation: float) -> float:
    """Return the log-likelihood of the best fit for results of any values, relative to that at their mean."""
    weights = Counter({-1.0: ADDED_MATCHES, 1.0: ADDED_MATCHES})
    weights.update(results)
    low, high = -1 / (1 - expectation), 1 / (1 + expectation)
    for _ in range(100):
        middle = (low + high) / 2
        slope = sum(w * (a - expectation) / (1 + middle * (a - expectation)) for a, w in weights.items())
        low, high = (middle, high) if slope > 0 else (low, middle)
    return -sum(w * math.log1p(low * (a - expectation)) for a, w in weights.items())


@given(
    st.lists(st.one_of(st.integers(-60, 60).map(lambda n: n / 60), st.floats(-1, 1)), max_size=80),
    st.sampled_from([0.25, 0.3, 0.4, 0.5]),
)
def test_the_fit_is_found_however_many_values_there_are(results: list[float], difference: float) -> None:
    evidence = after(results, Question(difference, 0.05)).evidence()
    zero, above, below = (fit_by_halving(results, u) for u in (0.0, difference, -difference))
    assert evidence[Answer.BETTER] == pytest.approx(above - zero, abs=1e-6)
    assert evidence[Answer.WORSE] == pytest.approx(below - zero, abs=1e-6)


def test_a_step_of_the_search_does_not_end_beside_its_bound() -> None:
    results = [twelfths / 12 for twelfths in (3, 4, 1, -3, 7, 8, 4, 2)]
    test = after(results, QUESTION)
    assert test.estimate == pytest.approx(26 / 96)
    assert test.evidence()[Answer.BETTER] > 0 > test.evidence()[Answer.NO_DIFFERENCE]


@given(RESULTS)
def test_the_interval_holds_the_estimate_and_agrees_with_the_answer(results: list[float]) -> None:
    test = after(results)
    low, high = test.interval()
    assert -1 <= low < high <= 1
    if test.estimate is not None:
        # the half matches that are added pull to the middle
        assert low <= test.estimate * test.matches / (test.matches + 2 * ADDED_MATCHES) <= high
    answer = test.answer()
    close = 1e-9
    if answer is Answer.BETTER:
        assert low >= -close
    if answer is Answer.WORSE:
        assert high <= close
    if answer is Answer.NO_DIFFERENCE:
        assert -QUESTION.difference - close <= low < high <= QUESTION.difference + close
    evidence = test.evidence()
    holding = {claim for claim, ratio in evidence.items() if ratio >= test.bound}
    if test.matches < LEAST_MATCHES or not holding:
        assert answer is None
    else:
        assert answer in holding


@given(RESULTS)
def test_who_is_which_does_not_matter(results: list[float]) -> None:
    there, back = after(results), after([-result for result in results])
    opposite = {Answer.BETTER: Answer.WORSE, Answer.WORSE: Answer.BETTER}
    answer = there.answer()
    assert back.answer() is (opposite.get(answer, answer) if answer else None)
    low, high = there.interval()
    assert back.interval() == pytest.approx((-high, -low), abs=1e-6)


@given(RESULTS)
def test_one_more_win_is_never_evidence_of_being_worse(results: list[float]) -> None:
    before, then = after(results).evidence(), after([*results, 1.0]).evidence()
    assert then[Answer.WORSE] <= before[Answer.WORSE] + 1e-9
    assert then[Answer.BETTER] >= before[Answer.BETTER] - 1e-9


def test_draws_alone_show_that_there_is_no_difference() -> None:
    test = SequentialTest(QUESTION)
    assert test.take([0.0] * 1000) is Answer.NO_DIFFERENCE
    assert test.matches == SETTLED_MATCHES
    at_once = SequentialTest(Question(0.1, 0.05, LEAST_MATCHES))
    assert at_once.take([0.0] * 1000) is Answer.NO_DIFFERENCE
    assert LEAST_MATCHES < at_once.matches < 200


@pytest.mark.parametrize(("mean", "expected"), [(0.18, Answer.NO_DIFFERENCE), (0.22, Answer.BETTER)])
def test_between_0_and_x_the_first_answer_that_holds_is_given(mean: float, expected: Answer) -> None:
    test = SequentialTest(Question(0.4, 0.05))
    rng = random.Random(2)
    while not any(ratio >= test.bound for ratio in test.evidence().values()):
        assert test.answer() is None
        results = [1.0 if i < 50 + 50 * mean else -1.0 for i in range(100)]
        rng.shuffle(results)
        for result in results:
            test.add(result)
    assert test.answer() is expected
    assert 300 < test.matches < 900


def test_few_matches_are_no_answer_and_nothing_is_taken_after_one() -> None:
    test = SequentialTest(Question(0.5, 0.2))
    assert test.take([1.0] * (LEAST_MATCHES - 1)) is None
    assert test.take([1.0] * 100) is Answer.BETTER
    matches = test.matches
    assert test.take([-1.0] * 100) is Answer.BETTER
    assert test.matches == matches


def test_before_the_first_match_nothing_is_known() -> None:
    test = SequentialTest(QUESTION)
    assert test.estimate is None
    assert test.answer() is None
    low, high = test.interval()
    assert (low, high) == pytest.approx((-1, 1), abs=0.1)


def test_the_estimate_is_the_mean() -> None:
    assert after([1.0, 0.0, 0.5, 0.5]).estimate == 0.5


@pytest.mark.parametrize("result", [-1.01, 1.5, math.nan])
def test_what_is_no_result_is_refused(result: float) -> None:
    with pytest.raises(ValueError, match="is not from -1 to 1"):
        SequentialTest(QUESTION).add(result)


@pytest.mark.parametrize(("difference", "error_rate"), [(0, 0.05), (0.6, 0.05), (0.1, 0), (0.1, 0.5)])
def test_what_is_no_question_is_refused(difference: float, error_rate: float) -> None:
    with pytest.raises(ValueError, match=r"is not from [\d.]+ to [\d.]+"):
        Question(difference, error_rate)
