"""Guesses palates from the rankings that were seen: normal figures, given that some sums of them are positive.

A palate moves from guess to guess as in Pakman and Paninski, "Exact Hamiltonian Monte Carlo for truncated multivariate
Gaussians", 2014: with a random speed, on an arc whose quarter ends where only the speed counts, and back from each wall
where a ranking would change. Without a wall on the way, the next guess doesn't depend on the last.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import acos, atan2, cos, hypot, log, pi, sin, sqrt

from arena.core.chance import Rng
from arena.games.sandwich.ingredients import FAMILY_COUNT, FAMILY_OF, MILLION, NAMES, PAIRS_OF_CARDS
from arena.games.sandwich.state import LIKING_SIGMA, QUIRK_SIGMA, Palate, Sandwich

_SCALES = (LIKING_SIGMA * MILLION,) * FAMILY_COUNT + (QUIRK_SIGMA * MILLION,) * len(NAMES)
_ROUNDING = 6 / MILLION
"""The most that rounding to millionths can change the difference of two sandwiches."""
_PUSHES = 200
"""The most rounds of pushing; each round repairs every violated condition. More than 20 are hardly ever needed."""
_BURN_IN = 12
"""Moves after news, before the next guess."""

_Condition = tuple[tuple[int, ...], tuple[float, ...], float]
"""One sandwich is worth more than another: the sum of weights times figures, plus an offset, is above 0.

Which figures; the weight of each; the offset. The figures are a palate's likings and then its quirks, each divided by
its standard deviation.
"""


class PalateGuesser:
    """Guesses the palate of one seat."""

    def __init__(self) -> None:
        self._conditions: list[_Condition] = []
        self._products: list[list[float]] = []
        """The scalar product of the weights of each two conditions."""
        self._values: list[float] = []
        """Of the conditions, without their offsets, in the last guess."""
        self._new = 0
        """Number of conditions that the last guess doesn't know of."""

    def hear(self, ranking: Sequence[Sandwich]) -> None:
        """Take a ranking by this palate, best first. Equal sandwiches say nothing."""
        for better, worse in pairwise(ranking):
            if sorted(better) != sorted(worse):
                self._conditions.append(_condition(better, worse))
                self._new += 1

    def palate(self, rng: Rng) -> Palate:
        """Return a random palate that gives all rankings, each as likely as it is to be drawn.

        If there is none, as many as possible hold.
        """
        if self._new:
            self._start(rng)
        figures = self._move(rng)
        scaled = [round(figure * scale) for figure, scale in zip(figures, _SCALES, strict=True)]
        return Palate(tuple(scaled[:FAMILY_COUNT]), tuple(scaled[FAMILY_COUNT:]))

    def _start(self, rng: Rng) -> None:
        """Find figures that fulfil all conditions; leave out those that can't be fulfilled."""
        figures = _normals(rng)
        for _ in range(_PUSHES):
            held = True
            for condition in self._conditions:
                short = _value(condition, figures) + condition[2]
                if short <= 0.0:
                    held = False
                    by = (rng.random() - short) / _product(condition, condition)
                    for number, weight in zip(*condition[:2], strict=True):
                        figures[number] += by * weight
            if held:
                break
        self._conditions = [one for one in self._conditions if _value(one, figures) + one[2] > 0.0]
        self._values = [_value(one, figures) for one in self._conditions]
        self._products = [[_product(one, other) for other in self._conditions] for one in self._conditions]
        self._new = 0
        for _ in range(_BURN_IN):
            self._move(rng)

    def _move(self, rng: Rng) -> list[float]:
        """Move on and return the figures."""
        figures = _normals(rng)
        conditions, places = self._conditions, self._values
        speeds = [_value(one, figures) for one in conditions]
        left = pi / 2
        while conditions:
            least, wall = left, None
            for number, (place, speed) in enumerate(zip(places, speeds, strict=True)):
                radius, level = hypot(place, speed), -conditions[number][2]
                if radius > abs(level):
                    angle = atan2(speed, place) + acos(level / radius)
                    if angle <= 0.0:
                        angle += 2 * pi
                    if angle < least:
                        least, wall = angle, number
            c, s = cos(least), sin(least)
            places, speeds = (
                [c * place + s * speed for place, speed in zip(places, speeds, strict=True)],
                [c * speed - s * place for place, speed in zip(places, speeds, strict=True)],
            )
            if wall is None:
                break
            left -= least
            products = self._products[wall]
            by = -2 * speeds[wall] / products[wall]
            speeds = [speed + by * product for speed, product in zip(speeds, products, strict=True)]
            by *= sin(left)
            for number, weight in zip(*conditions[wall][:2], strict=True):
                figures[number] += by * weight
        self._values = places
        return figures


def guess_palate(rankings: Sequence[Sequence[Sandwich]], rng: Rng) -> Palate:
    """Return a random palate that gives these rankings, each of sandwiches from best to worst."""
    guesser = PalateGuesser()
    for ranking in rankings:
        guesser.hear(ranking)
    return guesser.palate(rng)


def _condition(better: Sandwich, worse: Sandwich) -> _Condition:
    weights: dict[int, float] = {}
    offset = 0
    for (a, b, c), sign in ((better, 1), (worse, -1)):
        for card in (a, b, c):
            family, quirk = FAMILY_OF[card], FAMILY_COUNT + card
            weights[family] = weights.get(family, 0.0) + sign * LIKING_SIGMA
            weights[quirk] = weights.get(quirk, 0.0) + sign * QUIRK_SIGMA
        offset += sign * (PAIRS_OF_CARDS[a][b] + PAIRS_OF_CARDS[a][c] + PAIRS_OF_CARDS[b][c])
    bound = {number: weight for number, weight in weights.items() if weight}
    return tuple(bound), tuple(bound.values()), offset / MILLION - _ROUNDING


def _value(condition: _Condition, figures: Sequence[float]) -> float:
    """Return the difference in worth without the offset."""
    return sum([weight * figures[number] for number, weight in zip(condition[0], condition[1], strict=True)])


def _product(one: _Condition, other: _Condition) -> float:
    weights = dict(zip(*other[:2], strict=True))
    return sum([weight * weights.get(number, 0.0) for number, weight in zip(*one[:2], strict=True)])


def _normals(rng: Rng) -> list[float]:
    """Return normal numbers of mean 0 and standard deviation 1 for all figures (Box and Muller)."""
    random = rng.random
    found: list[float] = []
    for _ in range(len(_SCALES) // 2):
        radius, angle = sqrt(-2 * log(1.0 - random())), 2 * pi * random()
        found += (radius * cos(angle), radius * sin(angle))
    return found
