"""The luck of matches: what is measured is what was put in."""

from math import sqrt

import numpy as np
import pytest
from numpy.typing import NDArray

from results.analysis.sample_size import LEAST_FREEDOM, spread

Rows = NDArray[np.int64]

DEAL_SD, GAME_SD, FIRST_SEAT = 70.0, 100.0, 80.0


def league(matches: int, games: int, *, seats: int = 3, gap: float = 0.0, entries: int = 5) -> Rows:
    """Return matches whose luck is known; each entry is `gap` points stronger than the next, the first seat is best."""
    rng = np.random.default_rng([matches, games, seats])
    rows = []
    for match in range(matches):
        table = rng.permutation(entries)[:seats]
        deal = rng.normal(0, DEAL_SD, seats)
        for rotation in range(games):
            at = [int(table[(seat + rotation) % seats]) for seat in range(seats)]
            worth = [
                round(FIRST_SEAT * (seat == 0) - gap * entry + deal[seat] + rng.normal(0, GAME_SD))
                for seat, entry in enumerate(at)
            ]
            rows += [
                (
                    match,
                    rotation,
                    seat,
                    at[seat],
                    1 + sum(other > worth[seat] for other in worth),
                    worth[seat],
                    0,
                )
                for seat in range(seats)
            ]
    return np.array(rows, dtype=np.int64)


@pytest.mark.parametrize("gap", [0.0, 30.0])
@pytest.mark.parametrize(
    ("games", "expected"),
    [
        pytest.param(
            1, sqrt(2 * (DEAL_SD**2 + GAME_SD**2)), id="one game: the deal counts, the seat doesn't"
        ),
        pytest.param(3, sqrt(2 * GAME_SD**2 / 3), id="all seats: the deal evens out"),
    ],
)
def test_the_luck_of_scores_is_what_strengths_and_seats_do_not_explain(
    games: int, expected: float, gap: float
) -> None:
    found = spread([league(600, games, gap=gap)], 3, games)
    assert found is not None
    assert found.score == pytest.approx(expected, abs=4 * found.score_error)
    assert found.score_error < expected / 20
    assert (found.matches, found.games, found.seats) == (600, games, 3)


def test_too_few_matches_and_matches_without_luck_tell_nothing() -> None:
    assert spread([league(LEAST_FREEDOM // 2, 1)], 3, 1) is None
    assert spread([league(100, 1)], 4, 1) is None, "no tables of that size"
    assert spread([league(100, 3)], 3, 1) is None, "no matches of one game"
    level = league(100, 1)
    level[:, 4], level[:, 5] = 1, 0
    assert spread([level], 3, 1) is None
    assert spread([], 3, 1) is None
