"""The benchmark that counts games until the rankings show the true order counts them right."""

import random
from collections.abc import Iterator, Sequence
from typing import cast

import numpy as np
import pytest

from arena.core.ruleset import Rotations
from arena.core.seatings import seatings
from benchmarks.noise.bank import Bank, Deal, Seating
from benchmarks.noise.fields import FIELDS
from benchmarks.noise.leagues import ORDERS, Course, Draws, Way, league
from benchmarks.noise.truth import games_needed, needed, taus

LOOKS = (8, 16, 32, 48, 64, 80, 96, 112, 128, 160, 200, 256, 512)
FIELD = FIELDS["bread-basket-noise"]._replace(games=120)


class MadeUp:
    """In place of a bank: scores without cards, the better players first."""

    def __init__(self) -> None:
        self.deals: list[Deal] = []
        self.bases: list[Seating] = []

    def match(
        self, deal: Deal, rotations: Rotations
    ) -> Iterator[tuple[Seating, Sequence[int], Sequence[int]]]:
        self.deals.append(deal)
        chance = random.Random(f"{deal}")
        base = tuple(chance.sample(deal[0], len(deal[0])))
        self.bases.append(base)
        for seating in seatings(base, rotations):
            scores = [round(20 * chance.gauss(0, 1)) - 5 * player for player in seating]
            yield seating, [1 + sum(other > score for other in scores) for score in scores], scores


def played(way: Way, number: int = 3) -> tuple[MadeUp, Course]:
    bank = MadeUp()
    return bank, league(cast("Bank", bank), FIELD, way, number, Draws(0.1, 0.1))


@pytest.mark.parametrize(
    "way", [Way("round-robin", "cyclic"), Way("round-robin", "off"), Way("ladder", "off")]
)
def test_no_league_plays_a_deal_twice(way: Way) -> None:
    bank, course = played(way)
    assert len(bank.deals) == len(set(bank.deals))
    assert course.values.shape == (len(ORDERS), len(course.games), len(FIELD.players))


@pytest.mark.slow
def test_the_rotations_are_compared_on_the_same_deals() -> None:
    cyclic, balanced, single = (played(Way("round-robin", kind))[0] for kind in ("cyclic", "balanced", "off"))
    matches = len(balanced.deals)
    assert cyclic.deals[:matches] == balanced.deals == single.deals[:matches]
    assert cyclic.bases[:matches] == balanced.bases


def test_tau_is_that_of_the_pairs_whose_order_is_known() -> None:
    course = Course((1, 2), np.array([[[3.0, 2.0, 1.0], [2.0, 2.0, 9.0]]]))
    assert taus(course, [(0, 1), (0, 2), (1, 2)]).tolist() == [[1.0, pytest.approx(-2 / 3)]]
    assert taus(course, [(0, 1)]).tolist() == [[1.0, 0.0]]


def test_games_are_counted_where_the_mean_is_095() -> None:
    assert games_needed(LOOKS, 1 - 5 / np.array(LOOKS)) == pytest.approx(100)
    assert games_needed(LOOKS, np.full(len(LOOKS), 0.93)) == float("inf")


def test_errors_come_from_parts_that_differ() -> None:
    alike = np.array([1 - 5 / np.array(LOOKS)] * 4)
    assert needed((LOOKS, alike), (LOOKS, 1 - 2 * (1 - alike))) == pytest.approx((100, 0, 0.5, 0))
    differing = np.array([1 - times / np.array(LOOKS) for times in (4, 5, 5, 6)])
    found = needed((LOOKS, differing), (LOOKS, alike))
    # The mean of 1 − τ decides, so the error is that of a mean of four.
    assert found.games == pytest.approx(100)
    assert found.error == pytest.approx(20 * np.std([4, 5, 5, 6], ddof=1) / 2, rel=1e-3)


def test_a_nearer_goal_is_read_off_the_looks_around_it() -> None:
    looks = range(8, 97, 4)
    mean = 1 - 5 / np.array(looks)
    assert games_needed(looks, mean, 0.9) == pytest.approx(50)
    assert games_needed(looks, mean) == float("inf")
