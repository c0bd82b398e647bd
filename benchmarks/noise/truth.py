"""Which of two players is better, and how many games it takes until the orders of leagues say so."""

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.noise.bank import Bank
from benchmarks.noise.fields import Field
from benchmarks.noise.leagues import Course
from results.analysis.fit_results import Measure
from results.analysis.match_sums import match_sums
from results.analysis.point_strengths import least_squares
from results.records.query_rows import SeatResult

Floats = NDArray[np.float64]
Pairs = list[tuple[int, int]]
"""Pairs of players, the better one first."""

SURE = 0.99
GOAL = 0.95
"""The mean of Kendall's τ that counts."""
NEARER_GOAL = 0.9
"""The mean that is told as well, for fields in which no way reaches `GOAL`."""
NEAR = (-0.05, 0.03)
"""The means that decide when a goal is reached: from so much below it to so much above."""
LEAST_LOOKS = 3


class Truth(NamedTuple):
    """What is known of the players."""

    pairs: Pairs
    """Those whose order is known."""
    in_doubt: Pairs
    """All others."""
    disputed: Pairs
    """Those of `in_doubt` that scores order one way and places the other, both at `SURE`."""
    games: int
    """Number of games in the banks."""
    shares: Sequence[float]
    """By player: strength by shares, in percent."""
    points: Sequence[float]
    """By player: strength by scores."""


def truth(field: Field, banks: Sequence[Bank]) -> Truth:
    """Return the order of the players, from all games of all banks.

    Levels of noise have a known order. Of other bots, a pair counts if both scores and shares of places tell it apart
    at `SURE`, the same way, and it is `least_points` apart. A deal counts as one match, in whatever seatings it was
    played.
    """
    rows, games = _rows(banks)
    found = [least_squares(match_sums([rows], measure), SURE) for measure in Measure]
    by_scores, by_shares = (
        {(one.entry_no, other) for one in each.strengths for other in one.above or ()} for each in found
    )
    size = len(field.players)
    every = [(a, b) for a in range(size) for b in range(a + 1, size)]
    points = {one.entry_no: one.value for one in found[0].strengths}
    told = {(a, b) for a, b in by_scores & by_shares if points[a] - points[b] >= field.least_points}
    known = set(every) if field.is_ordered else told
    return Truth(
        sorted(known),
        [pair for pair in every if pair not in known and pair[::-1] not in known],
        sorted(by_scores & {(b, a) for a, b in by_shares}),
        games,
        *([one.value for one in each.strengths] for each in reversed(found)),
    )


def _rows(banks: Sequence[Bank]) -> tuple[NDArray[np.int64], int]:
    """Return the seats of all games, each deal as one match, and the number of games."""
    rows: list[SeatResult] = []
    numbers: dict[object, int] = {}
    games_of: dict[int, int] = {}
    for part, bank in enumerate(banks):
        for deal, seating, ranks, scores in bank.all_games():
            match_no = numbers.setdefault((part, deal), len(numbers))
            rotation = games_of[match_no] = games_of.get(match_no, -1) + 1
            rows += [
                SeatResult(match_no, rotation, seat, player, ranks[seat], scores[seat], 0)
                for seat, player in enumerate(seating)
            ]
    return np.array(rows, dtype=np.int64), sum(games_of.values()) + len(games_of)


def taus(course: Course, pairs: Pairs) -> Floats:
    """Return [order, look]: Kendall's τ over these pairs, from −1 to 1; a pair that is level counts 0."""
    better, worse = np.array(pairs).T
    return np.asarray(np.sign(course.values[:, :, better] - course.values[:, :, worse]).mean(axis=2))


class Needed(NamedTuple):
    """How many games it took."""

    games: float
    error: float
    """Its standard error; nan if there is none."""
    ratio: float
    """To the games of the method to compare with."""
    ratio_error: float


def games_needed(games: Sequence[int], mean: Floats, goal: float = GOAL) -> float:
    """Return after how many games the mean τ is `goal`; infinite if it never is.

    A mean of some leagues goes up and down, so this is where the straight line through log(1 − τ) by log(games) is,
    over the looks with a mean in `NEAR` of the goal.
    """
    low, high = (round(goal + away, 9) for away in NEAR)
    at = np.flatnonzero((mean >= low) & (mean <= high))
    if not (mean >= goal).any() or len(at) < LEAST_LOOKS:
        return float("inf")
    slope, level = np.polyfit(np.log(np.array(games)[at]), np.log(1 - mean[at]), 1)
    return float(np.exp((np.log(1 - goal) - level) / slope))


def needed(
    of_method: tuple[Sequence[int], Floats], of_base: tuple[Sequence[int], Floats], goal: float = GOAL
) -> Needed:
    """Return the games of a method and the ratio to those of another, with errors by the jackknife over the parts.

    Both have the numbers of games and [part, look]: the mean τ of the leagues of each part.
    """

    def both(parts: NDArray[np.int64]) -> tuple[float, float]:
        method, base = (
            games_needed(games, found[parts].mean(axis=0), goal) for games, found in (of_method, of_base)
        )
        return method, method / base

    every = np.arange(len(of_method[1]))
    without = np.array([both(np.delete(every, part)) for part in every])
    errors = [_jackknife(column) for column in without.T]
    games, ratio = both(every)
    return Needed(games, errors[0], ratio, errors[1])


def _jackknife(without: Floats) -> float:
    if not np.isfinite(without).all():
        return float("nan")
    parts = len(without)
    return sqrt((parts - 1) / parts * float(((without - without.mean()) ** 2).sum()))
