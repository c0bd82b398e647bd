"""Guesses a palate that ranks sandwiches as observed.

A palate is 64 independent normal numbers. Each sandwich ranked above another says that one linear function of some of
them is positive. So a guess draws normal numbers under such conditions: random numbers are pushed until the
conditions hold, and then moved at random in a way that preserves the conditions and the distribution (elliptical
slice sampling), so that little remains of the push.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import cos, pi, sin
from statistics import NormalDist

from arena.core.chance import Rng
from arena.games.sandwich.ingredients import FAMILY_COUNT, FAMILY_OF, MILLION, NAMES, PAIRS_OF_CARDS
from arena.games.sandwich.palates import LIKING_SIGMA, QUIRK_SIGMA, Palate, Sandwich, millionths

_FIGURES = FAMILY_COUNT + len(NAMES)
_PUSHES = 200
"""The most rounds of pushing; each round repairs every violated condition. More than 20 are hardly ever needed."""
_MOVES = 10
"""Random moves after the push."""
_TRIES = 4

_quantile = NormalDist().inv_cdf


@dataclass(frozen=True, slots=True)
class _Condition:
    """One sandwich is worth more than another: `offset` + the sum of weights times figures is above 0.

    The figures are a palate's likings and then its quirks, each divided by its standard deviation.
    """

    weights: tuple[tuple[int, float], ...]
    """The index of a figure and its weight."""
    offset: float

    def among(self, bound: Sequence[int]) -> "_Condition":
        """Return the condition with figures numbered by their index in a list."""
        return _Condition(
            tuple([(bound.index(number), weight) for number, weight in self.weights]), self.offset
        )

    def value(self, figures: Sequence[float]) -> float:
        """Return the difference in worth without the offset, which comes from the pairs."""
        return sum([weight * figures[number] for number, weight in self.weights])


def guess_palate(rankings: Sequence[Sequence[Sandwich]], rng: Rng) -> Palate:
    """Return a random palate that gives these rankings, each of sandwiches from best to worst.

    Without rankings, it is drawn like any palate. If no palate gives all rankings, as many as possible hold.
    """
    conditions = [
        _condition(better, worse)
        for ranking in rankings
        for better, worse in pairwise(ranking)
        if sorted(better) != sorted(worse)
    ]
    figures = _normals(_FIGURES, rng)
    bound = sorted({number for condition in conditions for number, _ in condition.weights})
    conditions = [condition.among(bound) for condition in conditions]
    for _ in range(_TRIES if conditions else 0):
        found = _move(_push(_normals(len(bound), rng), conditions, rng), conditions, rng)
        for number, figure in zip(bound, found, strict=True):
            figures[number] = figure
        if all(_agrees(_palate(figures), ranking) for ranking in rankings):
            break
    return _palate(figures)


def _condition(better: Sandwich, worse: Sandwich) -> _Condition:
    weights: dict[int, float] = {}
    offset = 0
    for (a, b, c), sign in ((better, 1), (worse, -1)):
        for card in (a, b, c):
            family, quirk = FAMILY_OF[card], FAMILY_COUNT + card
            weights[family] = weights.get(family, 0.0) + sign * LIKING_SIGMA
            weights[quirk] = weights.get(quirk, 0.0) + sign * QUIRK_SIGMA
        offset += sign * (PAIRS_OF_CARDS[a][b] + PAIRS_OF_CARDS[a][c] + PAIRS_OF_CARDS[b][c])
    return _Condition(
        tuple([(number, weight) for number, weight in weights.items() if weight]), offset / MILLION
    )


def _push(figures: list[float], conditions: Sequence[_Condition], rng: Rng) -> list[float]:
    """Move the figures in place, as little as needed plus a random amount, until all conditions hold."""
    for _ in range(_PUSHES):
        held = True
        for condition in conditions:
            short = condition.value(figures) + condition.offset
            if short <= 0.0:
                held = False
                by = (rng.random() - short) / sum([weight * weight for _, weight in condition.weights])
                for number, weight in condition.weights:
                    figures[number] += by * weight
        if held:
            break
    return figures


def _move(figures: list[float], conditions: Sequence[_Condition], rng: Rng) -> list[float]:
    """Return the figures after several random moves that keep the conditions."""
    for _ in range(_MOVES):
        other = _normals(len(figures), rng)
        lines = [(one.value(figures), one.value(other), one.offset) for one in conditions]
        angle = rng.random() * 2 * pi
        low, high = angle - 2 * pi, angle
        while angle and any(a * cos(angle) + b * sin(angle) + offset <= 0.0 for a, b, offset in lines):
            if angle < 0.0:
                low = angle
            else:
                high = angle
            angle = low + rng.random() * (high - low) if high - low > 1e-9 else 0.0
        by, of_other = cos(angle), sin(angle)
        figures = [by * here + of_other * there for here, there in zip(figures, other, strict=True)]
    return figures


def _normals(count: int, rng: Rng) -> list[float]:
    """Return normal numbers of mean 0 and standard deviation 1."""
    return [_quantile(rng.random() or 0.5) for _ in range(count)]


def _palate(figures: Sequence[float]) -> Palate:
    return Palate(
        millionths([LIKING_SIGMA * figure for figure in figures[:FAMILY_COUNT]]),
        millionths([QUIRK_SIGMA * figure for figure in figures[FAMILY_COUNT:]]),
    )


def _agrees(palate: Palate, ranking: Sequence[Sandwich]) -> bool:
    worths = [palate.worth(sandwich) for sandwich in ranking]
    return all(better >= worse for better, worse in pairwise(worths))
