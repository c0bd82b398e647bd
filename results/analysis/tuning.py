"""Which values of a bot's numbers are the best? Simultaneous perturbation by mirrored pairs, and what it found out.

Each parameter has a place from 0, its lowest value, to 1, its highest; together they are a point. A step plays pairs
of points that lie opposite each other, `centre` + s·δ and `centre` − s·δ, with a random sign δ for each parameter. The
result of a pair is the difference y of their mean shares, −1 to 1. The centre moves by y·δ, divided by the root mean
square of all results, so that neither the luck of the game nor the size of the shares has to be known.

**The step adapts.** Spread and movement are parts of the range, large at first and then smaller, more slowly the more
parameters there are. The answer is a mean of the centres in which the latest count most.

**Looks** are steps that turn one parameter alone: at first from its lowest to its highest value, which shows whether
the bot reads it, later from the centre to one end. They tell how much it matters over its whole range: values nearer
to the centre differ less, and pairs in which all parameters change have the luck of all of them.

Sources: Spall, "Multivariate stochastic approximation using a simultaneous perturbation gradient approximation" (1992);
Polyak and Juditsky, "Acceleration of stochastic approximation by averaging" (1992), for the mean of the centres.
"""

import random
from bisect import bisect_left
from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

Point = tuple[float, ...]
"""A place from 0 to 1 for each parameter."""
Pair = tuple[Point, Point]

AHEAD_STEPS = 4
"""A step's points depend on the results of all but so many steps before it, so that no worker waits."""
LOOK_EVERY = 4
"""One step of so many is a look, after those at the beginning."""
NEAR = 0.1
"""A look goes to the other end if the centre is nearer to one."""
SPREAD, SHRINKS = 0.2, 0.3
GAIN, DECAYS = 0.12, 0.3
SLOWLY = 6.0
"""Spread of the first step, and movement for one pair (√n times as much for n of them); both become less by a power
of 1 + step / (`SLOWLY` × parameters)."""
LATEST = 5.0
"""Weight of the latest centre in the mean, times the number of steps."""
_NO_RESULTS = 0.05
"""Square of a result that is supposed before the first."""


class Looked(NamedTuple):
    """A pair that was played."""

    points: Pair
    result: float
    """What the first had more of than the second: the difference of mean shares."""


class Tuner:
    """The steps of a tune so far. Pure: the same results give the same points."""

    def __init__(self, start: Point, pairs: int, least: Sequence[float] = ()) -> None:
        """Begin at a point, with so many pairs a step; `least`: by parameter, the smallest spread that turns it."""
        self.pairs = pairs
        self.steps = 0
        """Steps whose results are known."""
        self.looked: list[Looked] = []
        self.best = start
        """The answer so far."""
        self._centres = [start]
        """By number of known steps."""
        self._least = least or (0.0,) * len(start)
        self._squares, self._results = _NO_RESULTS, 1

    def centre_of(self, step: int) -> Point:
        """Return what the pairs of a step lie around. Raises IndexError, as `points`."""
        return self._centres[max(0, step - AHEAD_STEPS)]

    def looks_at(self, step: int) -> int | None:
        """Return the parameter that a step looks at; None for a step of mirrored pairs."""
        parameters = len(self.best)
        if step < parameters:
            return step
        number, rest = divmod(step - parameters, LOOK_EVERY)
        return number % parameters if rest == LOOK_EVERY - 1 else None

    def points(self, step: int) -> list[Pair]:
        """Return the pairs of a step. Raises IndexError unless all but `AHEAD_STEPS` steps before it are known."""
        centre = self.centre_of(step)
        turned = self.looks_at(step)
        if turned is not None:
            ends = self._ends(step, centre[turned])
            first, second = (
                tuple(end if one == turned else place for one, place in enumerate(centre)) for end in ends
            )
            return [(first, second)] * self.pairs
        return [
            (self._moved(centre, step, signs, 1.0), self._moved(centre, step, signs, -1.0))
            for signs in self._signs(step)
        ]

    def add(self, results: Sequence[float | None]) -> None:
        """Add the results of the next step, one for each pair; None: no match of it counts."""
        step, centre = self.steps, self._centres[-1]
        known = [one for one in results if one is not None]
        for points, result in zip(self.points(step), results, strict=True):
            if result is not None:
                self.looked.append(Looked(points, result))
        if self.looks_at(step) is None and known:
            self._squares += sum(one * one for one in known)
            self._results += len(known)
            signs = self._signs(step)
            by = (
                GAIN / self._slower(step) ** DECAYS * self._spread(step) / sqrt(self._squares / self._results)
            )
            moves = [
                by * sum((result or 0.0) * one[parameter] for result, one in zip(results, signs, strict=True))
                for parameter in range(len(centre))
            ]
            centre = tuple(
                min(1.0, max(0.0, place + move / len(known)))
                for place, move in zip(centre, moves, strict=True)
            )
        self.steps += 1
        self._centres.append(centre)
        weight = min(1.0, LATEST / (self.steps + LATEST - 1))
        self.best = tuple(
            mean + weight * (place - mean) for mean, place in zip(self.best, centre, strict=True)
        )

    def _ends(self, step: int, centre: float) -> tuple[float, float]:
        """Return the two places of a parameter that a step looks at."""
        if step < len(self.best):
            return 0.0, 1.0
        end = float((step - len(self.best)) // LOOK_EVERY // len(self.best) % 2 == 0)
        return (end if abs(end - centre) > NEAR else 1 - end), centre

    def _signs(self, step: int) -> list[list[float]]:
        found = []
        for pair in range(self.pairs):
            bits = random.Random(f"{step}/{pair}").getrandbits(len(self.best))  # noqa: S311 - directions
            found.append([1.0 if bits >> one & 1 else -1.0 for one in range(len(self.best))])
        return found

    def _moved(self, centre: Point, step: int, signs: Sequence[float], side: float) -> Point:
        spread = self._spread(step)
        return tuple(
            min(1.0, max(0.0, place + side * sign * max(spread, least)))
            for place, sign, least in zip(centre, signs, self._least, strict=True)
        )

    def _spread(self, step: int) -> float:
        return SPREAD / float(self._slower(step) ** SHRINKS)

    def _slower(self, step: int) -> float:
        return 1 + step / (SLOWLY * len(self.best))


class Slice(NamedTuple):
    """What is known of one parameter, with the others at the answer."""

    places: tuple[float, ...]
    shares: tuple[float, ...]
    """At each place: the expected difference of mean shares to the answer, −1 to 1."""
    errors: tuple[float, ...]
    """Standard errors of these."""

    def at(self, place: float) -> tuple[float, float]:
        """Return share and error at a place, between the nearest two that are known."""
        after = min(len(self.places) - 1, max(1, bisect_left(self.places, place)))
        part = (place - self.places[after - 1]) / (self.places[after] - self.places[after - 1])
        share, error = (
            values[after - 1] + part * (values[after] - values[after - 1])
            for values in (self.shares, self.errors)
        )
        return share, error

    def most(self) -> float:
        """Return how much the share changes at most along the slice, with 95 % confidence.

        That each place has its own test at 5 %, from one side, is enough for a claim about all: it is wrong only if it
        is wrong about the place that matters most (an intersection-union test).
        """
        return max(
            abs(share) + Z_ONE_SIDE * error for share, error in zip(self.shares, self.errors, strict=True)
        )

    def games_to_be_flat(self, games: int, x: float) -> float:
        """Return about how many games, after so many, `most` takes to fall below x if the parameter does nothing."""
        return games * (Z_IF_NOTHING * max(self.errors) / x) ** 2


PLACES = tuple(number / 10 for number in range(11))
Z95, Z_ONE_SIDE = 1.96, 1.645
Z_IF_NOTHING = 3.3
"""`Slice.most` in largest errors, in most tunes of a parameter that does nothing (`benchmarks/tuners.py --flat`)."""
_SLOPE, _CURVE = 0.4, 0.8
"""Standard deviations, before any result, of how the share changes along a parameter: its slope, its higher terms."""


def slices(looked: Sequence[Looked], answer: Point) -> list[Slice]:
    """Return the landscape along each parameter: a surface fitted to all pairs, with its errors.

    The surface is quadratic, with third and fourth powers of each parameter, since optima are rarely symmetric. Pairs
    that turn one parameter alone have a noise of their own: those of one that changes few moves are often draws.

    Where nothing was played, the errors are as large as before.
    """
    import numpy as np

    parameters = len(answer)
    rows, columns = np.triu_indices(parameters)
    at = np.array(answer)

    def terms(points: "np.ndarray") -> "np.ndarray":
        off = points - at
        return np.concatenate([off, off[:, rows] * off[:, columns], off**3, off**4], axis=1)

    shape = len(looked), parameters
    first = np.array([one.points[0] for one in looked]).reshape(shape)
    second = np.array([one.points[1] for one in looked]).reshape(shape)
    design, results = terms(first) - terms(second), np.array([one.result for one in looked])
    turned = first != second
    of_one = turned & (turned.sum(axis=1, keepdims=True) == 1)
    sizes = np.repeat([_SLOPE, _CURVE, _CURVE, _CURVE], [parameters, len(rows), parameters, parameters])
    prior = sizes**-2.0
    variance = np.full(len(results), (float(results @ results) + _NO_RESULTS) / (len(results) + 1))
    for _ in range(4):  # the noise and the surface, in turns
        inverse = np.linalg.inv(design.T / variance @ design + np.diag(prior))
        found = inverse @ (design.T @ (results / variance))
        left = (results - design @ found) ** 2
        freedom = 1 - np.einsum("ij,jk,ik->i", design, inverse, design) / variance
        variance[:] = whole = (left.sum() + _NO_RESULTS) / (max(0.0, freedom.sum()) + 1)
        for alone in of_one.T if parameters > 1 else ():
            variance[alone] = (left[alone].sum() + whole) / (max(0.0, freedom[alone].sum()) + 1)
    answers = []
    for one in range(parameters):
        points = np.tile(at, (len(PLACES), 1))
        points[:, one] = PLACES
        along = terms(points)
        shares = along @ found
        errors = np.sqrt(np.maximum(0.0, np.einsum("ij,jk,ik->i", along, inverse, along)))
        answers.append(Slice(PLACES, tuple(shares.tolist()), tuple(errors.tolist())))
    return answers
