"""Is one version better than the other? A sequential test on match results that can stop after any match.

The result of a match is the difference of two mean shares, −1 to 1. The test is about its expectation δ. Three
claims compete: δ > 0 (better), δ < 0 (worse), |δ| < X (no difference above X, chosen in advance).

Every claim is measured by a generalised log-likelihood ratio: it compares the best-fitting distribution, of any shape,
on the observed results with expectation u to the best-fitting one with expectation v. To refute a value v as too small,
it uses the alternatives v + X, v + 4X, v + 16X …, mixed with weights that are fixed in advance. After every match, the
values that no alternative has refuted form an interval; a claim holds once the interval lies within it. So no answer
contradicts the interval, and each end is wrong with at most half the error rate, however often you look.

Half a match of either extreme is added to the played ones, so that a few matches never look certain.

All this holds if matches are independent and alike. If results seem to go with those of the three matches before, by
more than half a standard error, a mean varies more than independent results say, and claims must reach a bound that is
larger by as much (`SequentialTest.bound`), as if there had been fewer matches.

**A bot that changes** looks like one that differs, and nobody can see what comes after an answer. So small differences
wait: before `SETTLED_MATCHES`, a version is better or worse only if it is by more than `FAR`. And if a lead fades (its
sums run ahead of a straight line, as in a CUSUM test), the claim needs more evidence. `doubts` names what is
significant: that results go with those before (the sum of the correlations, the nearer ones counting more), a lead that
fades or a mean that moves, and an answer that came before small differences have settled, as the matches ran out.
Sources: Newey and West, "A simple, positive
semi-definite, heteroskedasticity and autocorrelation consistent covariance matrix" (1987), for the variance; Box and
Pierce, "Distribution of residual autocorrelations in autoregressive-integrated moving average time series models"
(1970); Brown, Durbin and Evans, "Techniques for testing the constancy of regression relationships over time" (1975).
"""

import math
from collections import deque
from collections.abc import Iterable
from enum import StrEnum
from itertools import accumulate

from msgspec import Struct

NEAREST_WEIGHT = 0.7
"""Weight of the nearest alternative, X away, in the mixture; the others share the rest."""
STEP = 4
"""Each alternative is this many times as far away as the previous one."""
ADDED_MATCHES = 0.5
"""Added at either extreme, −1 and 1."""
LEAST_MATCHES = 8
"""Fewer matches never give an answer."""
SETTLED_MATCHES, FAR = 275, 0.25
"""With fewer matches, only a larger difference than `FAR` is an answer, unless the question says how many it takes."""
LEAST_DIFFERENCE, MOST_DIFFERENCE = 0.0005, 0.5
LEAST_ERROR_RATE, MOST_ERROR_RATE = 0.0001, 0.2
NEIGHBOURS = 3
"""With so many matches before it a result is compared: the nearest counts three times, the next twice."""
_ALL_NEIGHBOURS = math.sqrt(sum(weight**2 for weight in range(1, NEIGHBOURS + 1)))
LEAST_TO_DOUBT = 16
"""Matches."""
WIDENS = 0.5
"""From so many standard errors on, the correlation with neighbours makes the bound larger: it costs comparisons whose
matches are independent 5 % more matches."""
_GOES_WITH, _FADED, _MOVES = 2.4, 1.35, 1.6
"""From these values of the tests on there is a doubt (tests/results/test_doubts.py measures how often). A lead may only
fade, any other mean may move either way."""
FADES, WIDENS_BY = 0.6, 4.0
"""From the first on, a lead that fades makes its bound larger, by the second for each unit more."""
_NO_SPREAD = 1e-9
_ROUNDS = 60
"""Limit for a search that converges in less than ten steps, so that it always ends."""


class Answer(StrEnum):
    """The possible answers of a comparison."""

    BETTER = "better"
    NO_DIFFERENCE = "no difference"
    WORSE = "worse"


class Doubt(StrEnum):
    """Why an answer may be wrong more often than the error rate says."""

    DEPENDENT = "dependent"
    """Results go with those of the matches before them."""
    DRIFT = "drift"
    """The difference changed in the course of the comparison."""
    EARLY = "early"
    """The matches ran out before small differences have settled."""


class Question(Struct, frozen=True):
    """The question that a comparison answers, and how certain the answer must be."""

    difference: float
    """X, as a difference of mean shares: smaller differences don't matter."""
    error_rate: float
    """How often, at most, the answer may be wrong, as a fraction of 1."""
    least_matches: int | None = None
    """Fewer give no answer; None: `SETTLED_MATCHES` or, for a difference that is `FAR`, `LEAST_MATCHES`."""

    def __post_init__(self) -> None:
        if not LEAST_DIFFERENCE <= self.difference <= MOST_DIFFERENCE:
            raise ValueError(
                f"a difference of {self.difference} is not from {LEAST_DIFFERENCE} to {MOST_DIFFERENCE}"
            )
        if not LEAST_ERROR_RATE <= self.error_rate <= MOST_ERROR_RATE:
            raise ValueError(
                f"an error rate of {self.error_rate} is not from {LEAST_ERROR_RATE} to {MOST_ERROR_RATE}"
            )

    @property
    def fewest(self) -> int:
        """With fewer matches, nothing is an answer."""
        return self.least_matches or LEAST_MATCHES

    @property
    def bound(self) -> float:
        """The log-likelihood ratio that a claim must reach: each side may err half as often as the whole."""
        return math.log(2 / self.error_rate)

    @property
    def alternatives(self) -> tuple[tuple[float, float], ...]:
        """The distance of each alternative and the logarithm of its weight; the nearest first."""
        steps = [self.difference]
        while steps[-1] * STEP < 1:
            steps.append(steps[-1] * STEP)
        if len(steps) == 1:
            return ((self.difference, 0.0),)
        others = math.log((1 - NEAREST_WEIGHT) / (len(steps) - 1))
        return ((self.difference, math.log(NEAREST_WEIGHT)), *((step, others) for step in steps[1:]))


class SequentialTest:
    """The match results so far and what they imply. Pure: the same results give the same bits."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.matches = 0
        self._alternatives = question.alternatives
        self._weights: dict[float, float] = {-1.0: ADDED_MATCHES, 1.0: ADDED_MATCHES}
        """How often each result occurred."""
        self._sum = 0.0
        self._squares = 0.0
        self._results: list[float] = []
        self._products = [0.0] * NEIGHBOURS
        """Sums of the products of each result with the one before it, with the one before that, and so on."""
        self._latest: deque[float] = deque(maxlen=NEIGHBOURS)

    def add(self, result: float) -> None:
        """Add the next match. Raises ValueError if the result is not from −1 to 1."""
        if not -1 <= result <= 1:
            raise ValueError(f"a result of {result} is not from -1 to 1")
        self._weights[result] = self._weights.get(result, 0.0) + 1
        self.matches += 1
        self._sum += result
        self._squares += result * result
        for before, other in enumerate(self._latest):
            self._products[before] += result * other
        self._latest.appendleft(result)
        self._results.append(result)

    def take(self, results: Iterable[float]) -> Answer | None:
        """Add matches in order until there is an answer, and return it. Raises ValueError like `add`."""
        answer = self.answer()
        for result in results:
            if answer is not None:
                break
            self.add(result)
            answer = self.answer()
        return answer

    @property
    def estimate(self) -> float | None:
        """The mean result; None before the first match."""
        return self._sum / self.matches if self.matches else None

    @property
    def deviation(self) -> float | None:
        """The standard deviation of the results; None before the second match."""
        if self.matches < 2:
            return None
        return math.sqrt(max(0.0, self._squares - self._sum**2 / self.matches) / (self.matches - 1))

    def answer(self, *, is_last: bool = False) -> Answer | None:
        """Return the claim that holds; None if none does yet. `is_last`: there are no more matches to wait for."""
        if self.matches < self.question.fewest:
            return None
        side, claim = (1, Answer.BETTER) if self._sum > 0 else (-1, Answer.WORSE)
        if self.leads(side, self.question.bound, is_last=is_last):
            return claim
        bound = self.bound
        is_level = (is_last or self.is_settled) and self._none_above(self._fit(0.0), bound) >= bound
        return Answer.NO_DIFFERENCE if is_level else None

    def leads(self, side: int, bound: float, *, is_last: bool = False) -> bool:
        """Return whether evidence of `bound` says that δ lies on a side of 0, after waiting as described above."""
        if not (is_last or self.is_settled or self.is_beyond(side * FAR, side, bound)):
            return False
        if not self.is_beyond(0.0, side, bound):
            return False
        fades = max(0.0, self._farthest(side) - FADES)
        return not fades or self.is_beyond(0.0, side, bound * (1 + WIDENS_BY * fades))

    @property
    def is_settled(self) -> bool:
        """Whether an answer is about bots that may change as they play, for which it takes a number of matches."""
        return self.question.least_matches is not None or self.matches >= SETTLED_MATCHES

    def _farthest(self, side: int) -> float:
        """Return how far the sums were ahead of a straight line, in standard errors of the whole sum; side as above."""
        mean = self.estimate or 0.0
        spread = self._squares - self.matches * mean * mean
        if spread <= _NO_SPREAD * self.matches:
            return 0.0
        return max(side * ahead for ahead in accumulate(one - mean for one in self._results)) / math.sqrt(
            spread
        )

    @property
    def bound(self) -> float:
        """The log-likelihood ratio that a claim must reach: that of the question, and more if results go together."""
        surprise, correlation = self._together()
        return self.question.bound * (1 + 2 * correlation if surprise > WIDENS else 1.0)

    def _together(self) -> tuple[float, float]:
        """Return how results go with those of the matches before.

        That is the sum of the correlations, the nearer ones counting more, in standard errors; and their plain sum,
        which is never below 0 if the first isn't small. Zeros before `LEAST_MATCHES`, or if nothing varies.
        """
        count, mean = self.matches, self.estimate or 0.0
        scatter = self._squares - count * mean * mean
        if count < LEAST_MATCHES or scatter <= _NO_SPREAD * count:
            return 0.0, 0.0
        weighted = plain = first = last = 0.0
        for before in range(NEIGHBOURS):
            first, last = first + self._results[before], last + self._latest[before]
            pairs = count - before - 1
            together = self._products[before] - mean * (2 * self._sum - first - last) + pairs * mean * mean
            # Results that are independent are expected to go apart a little, as their mean is taken from them.
            correlation = together / scatter + 1 / count
            weighted += (NEIGHBOURS - before) * correlation
            plain += correlation
        return weighted * math.sqrt(count) / _ALL_NEIGHBOURS, max(0.0, plain)

    def doubts(self) -> tuple[Doubt, ...]:
        """Return the signs that an answer isn't what it seems; none before `LEAST_TO_DOUBT` matches."""
        if self.matches < LEAST_TO_DOUBT:
            return ()
        side = 1 if self._sum > 0 else -1
        leads = self._refuted(0.0, side, self._fit(0.0)) >= self.bound
        found = []
        if self._together()[0] > _GOES_WITH:
            found.append(Doubt.DEPENDENT)
        if self._farthest(side) > (_FADED if leads else _MOVES) or (
            not leads and self._farthest(-side) > _MOVES
        ):
            found.append(Doubt.DRIFT)
        if leads and not self.is_settled and not self.is_beyond(side * FAR, side, self.question.bound):
            found.append(Doubt.EARLY)
        return tuple(found)

    def evidence(self) -> dict[Answer, float]:
        """Return the log-likelihood ratio of each claim; a claim holds from `bound` on."""
        at_zero = self._fit(0.0)
        return {
            Answer.BETTER: self._refuted(0.0, 1, at_zero),
            Answer.NO_DIFFERENCE: self._none_above(at_zero, -math.inf),
            Answer.WORSE: self._refuted(0.0, -1, at_zero),
        }

    def interval(self) -> tuple[float, float]:
        """Return the values that aren't refuted: with probability 1 − error rate, they contain δ after every match."""
        return self._bound(1), self._bound(-1)

    def is_beyond(self, value: float, side: int, bound: float) -> bool:
        """Return whether evidence of at least `bound` says that δ lies beyond a value, on side 1 (above) or −1 (below).

        It must be more if results go together, as for `SequentialTest.bound`.

        The fit at the value is about a parabola around the mean. Where that is below half of the bound, nobody looks
        more closely, which can only make an answer later.
        """
        count = self.matches + 2 * ADDED_MATCHES
        mean = self._sum / count
        spread = (self._squares + 2 * ADDED_MATCHES) / count - mean * mean
        if side * (mean - value) <= 0 or count * (mean - value) ** 2 < bound * spread:
            return False
        at_value, enough = self._fit(value), bound * self.bound / self.question.bound
        # No alternative fits better than the mean, where the fit is 0: there can't be more evidence than that.
        return -at_value >= enough and self._refuted(value, side, at_value) >= enough

    def _none_above(self, at_zero: float, enough: float) -> float:
        """Return the evidence for |δ| < X, or a bound on it that is below `enough`.

        This uses only the middle alternative of the mixture, which is slightly less than the whole.
        """
        difference, weight = self._alternatives[0]
        nearer = difference if self._sum > 0 else -difference
        first = weight + at_zero - self._fit(nearer)
        return first if first < enough else min(first, weight + at_zero - self._fit(-nearer))

    def _refuted(self, value: float, side: int, at_value: float) -> float:
        """Return the evidence that δ lies beyond a value with that fit, on side 1 (above) or −1 (below)."""
        logs = [
            weight + self._fit(value + side * step) - at_value
            for step, weight in self._alternatives
            if abs(value + side * step) < 1
        ]
        most = max(logs, default=-math.inf)
        return most if math.isinf(most) else most + math.log(sum(math.exp(one - most) for one in logs))

    def _bound(self, side: int) -> float:
        """Return the last refuted value, searching from the end opposite the side."""
        refuted, open_value, bound = -1.0 * side, side * (1 - self.question.difference), self.bound
        for _ in range(40):
            middle = (refuted + open_value) / 2
            if self._refuted(middle, side, self._fit(middle)) >= bound:
                refuted = middle
            else:
                open_value = middle
        return refuted

    def _fit(self, expectation: float) -> float:
        """Return the log-likelihood of the best-fitting distribution with an expectation within ±1.

        It is relative to that of the observed results, so 0 at their mean and less elsewhere. The distribution
        gives a result a the weight w / (1 + θ (a − expectation)); Newton's method finds θ, kept away from
        the bounds between which all weights are positive.
        """
        shifted = [(value - expectation, weight) for value, weight in self._weights.items()]
        low, high = -1 / (1 - expectation), 1 / (1 + expectation)
        theta = 0.0
        for _ in range(_ROUNDS):
            slope = curvature = 0.0
            for offset, weight in shifted:
                part = offset / (1 + theta * offset)
                slope += weight * part
                curvature += weight * part * part
            if slope > 0:
                low = theta
            else:
                high = theta
            step = slope / curvature
            if slope * step <= 1e-14:  # about twice the remaining error
                break
            # Close to a bound, steps are short even if the solution is far away, so never step that close.
            theta += min(max(step, 0.9 * (low - theta)), 0.9 * (high - theta))
        return -sum(weight * math.log1p(theta * offset) for offset, weight in shifted)
