"""TrueSkill's message passing for entries that each play for themselves, in plain numbers.

The trueskill package builds a graph of objects for every match, which takes several times as long as the arithmetic
itself. This module does the same arithmetic in the same order, so its results are those of the package to the last
bit; tests/results/test_trueskill.py compares the two. A belief is a pair of its precision π and its precision-adjusted
mean τ = π μ, as in the package.

Source of the method: Herbrich, Minka and Graepel, "TrueSkill: A Bayesian Skill Rating System" (2007), whose figure 1
shows the graph: prior, performance, difference of neighbours, and truncation by the result.
"""

from collections.abc import Sequence
from math import inf, sqrt
from typing import NamedTuple

from results.ratings import truncated

LEAST_CHANGE = 0.0001
"""Messages are passed until none changes by more, as in the package."""
MOST_PASSES = 10

Belief = tuple[float, float]
"""π and τ."""


class Parameters(NamedTuple):
    """The parameters of all matches of a league."""

    beta: float
    """Spread of a performance."""
    tau: float
    """How much σ grows before each match."""
    margin: float
    """Performances closer than this tie."""


def rated(
    parameters: Parameters, before: Sequence[tuple[float, float]], ranks: Sequence[int]
) -> list[tuple[float, float]]:
    """Return μ and σ of each entry after one match, from those `before`.

    The entries are in the order of finishing, two or more; neighbours of equal rank tied. Raises ArithmeticError or
    ValueError if the numbers fail.
    """
    beta_squared = parameters.beta**2
    priors, performances, shown = [], [], []
    for mu, sigma in before:
        mu, sigma = _moments(_belief(mu, sigma))
        prior = _belief(mu, sqrt(sigma**2 + parameters.tau**2))
        a = 1.0 / (1.0 + beta_squared * prior[0])
        performance = a * prior[0], a * prior[1]
        priors.append(prior)
        performances.append(performance)
        shown.append(_combined(performance))
    learned = _Neighbours(shown, ranks, parameters.margin).learned()
    after = []
    for prior, performance, belief, own in zip(priors, performances, learned, shown, strict=True):
        told = _combined(_without(belief, own))
        # Adding the performance and taking it away again rounds, and so it does in the package.
        pi = performance[0] + told[0] - performance[0]
        tau = performance[1] + told[1] - performance[1]
        a = 1.0 / (1.0 + beta_squared * pi)
        mu, sigma = _moments((prior[0] + a * pi, prior[1] + a * tau))
        after.append(_moments(_belief(mu, sigma)))
    return after


def _belief(mu: float, sigma: float) -> Belief:
    """Return a belief. Raises ArithmeticError for a σ of 0."""
    pi = sigma**-2
    return pi, pi * mu


def _moments(belief: Belief) -> tuple[float, float]:
    """Return μ and σ of a belief."""
    pi, tau = belief
    return (tau / pi, sqrt(1 / pi)) if pi else (0.0, inf)


class _Neighbours:
    """The part of the graph that compares each entry with the next one."""

    def __init__(self, shown: Sequence[Belief], ranks: Sequence[int], margin: float) -> None:
        count = len(shown)
        self._ranks = ranks
        self._margin = margin
        self._performance = list(shown)
        """By entry."""
        self._difference: list[Belief] = [(0.0, 0.0)] * (count - 1)
        """By pair of neighbours: the belief about how far the first is ahead."""
        self._predicted: list[Belief] = [(0.0, 0.0)] * (count - 1)
        """By pair: the message from the two performances to the difference."""
        self._observed: list[Belief] = [(0.0, 0.0)] * (count - 1)
        """By pair: the message from the result to the difference."""
        self._to_first: list[Belief] = [(0.0, 0.0)] * (count - 1)
        """By pair: the message to the performance of the first."""
        self._to_second: list[Belief] = [(0.0, 0.0)] * (count - 1)

    def learned(self) -> list[Belief]:
        """Pass messages until nothing changes any more; return the beliefs about the performances."""
        pairs = len(self._difference)
        for _ in range(MOST_PASSES):
            if pairs == 1:
                self._predict(0)
                change = self._observe(0)
            else:
                change = 0.0
                for pair in range(pairs - 1):
                    self._predict(pair)
                    change = max(change, self._observe(pair))
                    self._tell_second(pair)
                for pair in range(pairs - 1, 0, -1):
                    self._predict(pair)
                    change = max(change, self._observe(pair))
                    self._tell_first(pair)
            if change <= LEAST_CHANGE:
                break
        self._tell_first(0)
        self._tell_second(pairs - 1)
        return self._performance

    def _predict(self, pair: int) -> None:
        """Derive the difference of a pair from the two performances."""
        message = _combined(
            _without(self._performance[pair], self._to_first[pair]),
            _without(self._performance[pair + 1], self._to_second[pair]),
            -1.0,
        )
        self._difference[pair] = _replaced(self._difference[pair], self._predicted[pair], message)
        self._predicted[pair] = message

    def _observe(self, pair: int) -> float:
        """Truncate the difference of a pair by its result; return by how much that changes it."""
        difference, observed = self._difference[pair], self._observed[pair]
        pi, tau = _without(difference, observed)
        root = sqrt(pi)
        mean, margin = tau / root, self._margin * root
        if self._ranks[pair] == self._ranks[pair + 1]:
            v, w = truncated.draw(mean, margin)
        else:
            v, w = truncated.win(mean - margin)
        left = 1.0 - w
        pi, tau = pi / left, (tau + root * v) / left
        self._observed[pair] = (
            pi + observed[0] - difference[0],
            tau + observed[1] - difference[1],
        )
        self._difference[pair] = (pi, tau)
        change = abs(difference[0] - pi)
        return 0.0 if change == inf else max(abs(difference[1] - tau), sqrt(change))

    def _tell_first(self, pair: int) -> None:
        """Let the first of a pair learn from the difference and the second."""
        message = _combined(
            _without(self._difference[pair], self._predicted[pair]),
            _without(self._performance[pair + 1], self._to_second[pair]),
            1.0,
        )
        self._performance[pair] = _replaced(self._performance[pair], self._to_first[pair], message)
        self._to_first[pair] = message

    def _tell_second(self, pair: int) -> None:
        """Let the second of a pair learn from the difference and the first."""
        message = _combined(
            _without(self._performance[pair], self._to_first[pair]),
            _without(self._difference[pair], self._predicted[pair]),
            -1.0,
        )
        self._performance[pair + 1] = _replaced(self._performance[pair + 1], self._to_second[pair], message)
        self._to_second[pair] = message


def _without(belief: Belief, message: Belief) -> Belief:
    """Return what is believed apart from one message."""
    return belief[0] - message[0], belief[1] - message[1]


def _replaced(belief: Belief, old: Belief, new: Belief) -> Belief:
    """Return a belief with one message replaced by another."""
    return belief[0] - old[0] + new[0], belief[1] - old[1] + new[1]


def _combined(one: Belief, other: Belief | None = None, sign: float = 1.0) -> Belief:
    """Return the belief about a quantity, or about one plus or minus another whose errors are independent of it."""
    pi, tau = one
    mean = tau / pi if pi else 0.0
    variance = 1 / pi if pi else inf
    if other is not None:
        pi, tau = other
        mean += sign * (tau / pi if pi else 0.0)
        if variance != inf:
            variance = variance + 1 / pi if pi else inf
    precision = 1.0 / variance
    return precision, precision * mean
