"""What a ladder knows: how much a match reveals, and what that depends on."""

from collections.abc import Sequence
from math import erf, exp, pi, sqrt
from random import Random

import numpy as np
import pytest

from arena.schedules.base import Field, Summary
from arena.schedules.ladder.information import FEW, RIVALS, Aim, Information, Needs, _told
from results.ratings.base import Rating

ENTRIES = tuple(range(4 * FEW))


def information(rng: Random, aim: Aim | None = None) -> Information:
    """Return a field in the middle of a league, the same for the same random numbers."""
    ratings = {
        entry: Rating(rng.gauss(25, 6), rng.uniform(0.5, 8)) for entry in ENTRIES if rng.random() < 0.9
    }
    summary = Summary(800, 700, dict.fromkeys(ENTRIES, 20), {3: 2, 5: 1}, {(3, 5): 4}, ratings=ratings)
    return Information(Field(ENTRIES, (4,)), summary, 50, aim or Aim())


def of(mus: Sequence[float], sigma: float = 1.0, aim: Aim | None = None) -> Information:
    ratings = {entry: Rating(mu, sigma) for entry, mu in enumerate(mus)}
    return Information(Field(tuple(ratings), (2,)), Summary(0, ratings=ratings), 0, aim or Aim())


@pytest.mark.parametrize("z", [0.0, 0.5, 1.0, 2.0, 3.0])
def test_what_a_result_says_is_nearly_that_of_the_probit_model(z: float) -> None:
    above = (1 + erf(z / sqrt(2))) / 2
    exact = (exp(-z * z / 2) / sqrt(2 * pi)) ** 2 / (above * (1 - above))
    assert float(_told(np.array(z * z))) == pytest.approx(exact, rel=0.05, abs=0.01)


def test_the_need_of_an_entry_is_its_variance_squared_times_what_is_open() -> None:
    found = of([25.0, 24.0], sigma=2.0)
    # The difference of 1 has a variance of 4 + 4; the need is 4² (2 / π) exp(−0.39 / 8) / 8.
    assert found.needs.tolist() == pytest.approx([16 * 2 / pi * exp(-0.39 / 8) / 8] * 2, rel=1e-3)


def test_the_neediest_is_the_one_with_the_greatest_need_of_all() -> None:
    for seed in range(3):
        rng = Random(seed)
        found = information(rng)
        half = Needs(found, ENTRIES[::2])
        for _ in range(30):
            among = set(ENTRIES) if rng.random() < 0.5 else set(rng.sample(ENTRIES, 3 * FEW))
            best = found.neediest(among)
            assert found.needs[found.place[best]] == max(found.needs[found.place[one]] for one in among)
            first = half.first(among)
            assert first is not None
            assert first[-1] == min(
                among & set(ENTRIES[::2]), key=lambda e: (-found.needs[found.place[e]], found.place[e])
            )
            found.count([best, *rng.sample(sorted(set(ENTRIES) - {best}), 3)])


def test_those_who_await_results_need_less() -> None:
    found = information(Random(1))
    needs = found.needs.copy()
    found.count((7, 8))
    assert {found.order[place] for place in np.flatnonzero(found.needs < needs)} == {7, 8}


def test_a_block_taken_up_in_the_middle_knows_the_same() -> None:
    found, unseen = information(Random(1)), {3: 2, 5: 1}
    table = (3, 9, 11, 12)
    found.count(table)
    rng = Random(1)
    again = information(rng)
    summary = Summary(
        801,
        700,
        {entry: 20 + (entry in table) for entry in ENTRIES},
        {**unseen, 3: 3, 9: 1, 11: 1, 12: 1},
        {(3, 5): 4, (3, 9): 1, (3, 11): 1, (3, 12): 1, (9, 11): 1, (9, 12): 1, (11, 12): 1},
        ratings={entry: Rating(again.mu[entry], again.sigma(entry)) for entry in ENTRIES},
    )
    taken_up = Information(Field(ENTRIES, (4,)), summary, 50)
    assert taken_up.needs.tolist() == found.needs.tolist()
    rivals = found.rivals(20)
    assert taken_up.best_joining([20], rivals, [20]) == found.best_joining([20], rivals, [20])


def test_near_opponents_come_first_and_those_met_all_the_time_later() -> None:
    mus = [25.0, 24.9, 24.5, 15.0]
    assert of(mus).best_joining([0], [1, 2, 3], [0]) == 1
    ratings = {entry: Rating(mu, 1.0) for entry, mu in enumerate(mus)}
    summary = Summary(9, 9, dict.fromkeys(range(4), 9), pairs={(0, 1): 9}, ratings=ratings)
    met = Information(Field((0, 1, 2, 3), (2,)), summary, 0)
    assert met.best_joining([0], [1, 2, 3], [0]) == 2


def test_at_a_cut_those_near_it_need_most() -> None:
    found = of([30.0 - place for place in range(30)], aim=Aim(top=10))
    neediest = sorted(range(30), key=lambda entry: -found.needs[found.place[entry]])
    assert set(neediest[:4]) == {8, 9, 10, 11}
    assert found.best_joining([9], range(30), [9]) == 10
    assert of([30.0 - place for place in range(30)]).needs[:2].argmax() == 1, "the order: all but the ends"


def test_for_one_bot_it_needs_most_and_then_those_near_it() -> None:
    found = of([30.0 - place for place in range(30)], aim=Aim(entry=20))
    neediest = sorted(range(30), key=lambda entry: -found.needs[found.place[entry]])
    assert neediest[0] == 20
    assert set(neediest[1:5]) == {18, 19, 21, 22}


def test_rivals_are_the_neighbours_in_the_ratings() -> None:
    found = of([float(-place) for place in range(100)])
    assert found.rivals(50) == [*range(50 - RIVALS, 50), *range(51, 51 + RIVALS)]
    assert found.rivals(0) == list(range(1, 1 + RIVALS))
