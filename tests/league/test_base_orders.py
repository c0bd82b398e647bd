"""Base orders of matches: fixed by the secret, and even over a league whose rotations are balanced."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, pairwise, permutations

import pytest

from arena.core.rotation import Rotations, seatings
from arena.league.running.base_orders import BLOCK_MATCHES, BaseOrders, starting_circle

SECRET = b"s" * 32


def test_the_starting_circle_is_shuffled_for_each_match_and_fixed_by_the_secret() -> None:
    table = (3, 1, 4, 5)
    circles = [starting_circle(SECRET, number, table) for number in range(200)]
    assert all(sorted(circle) == sorted(table) for circle in circles)
    assert len(set(circles)) == 24
    assert any(one != other for one, other in pairwise(circles))
    assert circles == [starting_circle(SECRET, number, table) for number in range(200)]
    assert circles != [starting_circle(b"t" * 32, number, table) for number in range(200)]


@pytest.mark.parametrize(
    ("rotations", "seats"), [("cyclic", 4), ("mirror", 4), ("off", 4), ("balanced", 2), ("balanced", 3)]
)
def test_where_nothing_can_be_evened_the_base_order_is_the_starting_circle(
    rotations: Rotations, seats: int
) -> None:
    table = tuple(range(seats))
    assert chosen(rotations, [table] * 30) == [starting_circle(SECRET, number, table) for number in range(30)]


@pytest.mark.parametrize(("seats", "matches"), [(4, 3), (4, 30), (6, 5), (6, 20), (5, 4), (5, 24)])
def test_at_one_table_all_neighbours_come_equally_often(seats: int, matches: int) -> None:
    after = neighbours(chosen("balanced", [tuple(range(seats))] * matches))
    often = {after[pair] for pair in permutations(range(seats), 2)}
    assert max(often) - min(often) <= {4: 0, 5: 2, 6: 1}[seats]


def test_in_a_round_robin_of_many_tables_no_neighbours_come_much_more_often_than_others() -> None:
    tables = list(combinations(range(7), 4)) * 3
    evened, shuffled = chosen("balanced", tables), chosen("off", tables)
    spread, before = (Counter(neighbours(orders).values()) for orders in (evened, shuffled))
    assert max(spread) - min(spread) <= 1
    assert max(before) - min(before) > 3, "which is what the evening does"
    assert len(set(evened)) > 50, "the seats are still shuffled"


def test_a_league_that_continues_has_the_same_base_orders() -> None:
    tables = list(combinations(range(6), 4)) * 4
    whole = chosen("balanced", tables)
    again = BaseOrders(SECRET, "balanced")
    for number in range(again.first_needed(25), 25):
        again.add(number, whole[number])
    for number in range(25, len(tables)):
        order = again.choose(number, reversed(tables[number]))
        assert order == whole[number]
        again.add(number, order)


def test_a_block_of_matches_depends_on_no_other() -> None:
    orders, table = BaseOrders(SECRET, "balanced"), (0, 1, 2, 3)
    assert orders.first_needed(BLOCK_MATCHES + 7) == BLOCK_MATCHES
    for number in range(5):
        orders.add(number, orders.choose(number, table))
    fresh = BaseOrders(SECRET, "balanced")
    for number in range(BLOCK_MATCHES, BLOCK_MATCHES + 5):
        order = orders.choose(number, table)
        assert order == fresh.choose(number, table)
        orders.add(number, order)
        fresh.add(number, order)


def chosen(rotations: Rotations, tables: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    orders = BaseOrders(SECRET, rotations)
    found = []
    for number, table in enumerate(tables):
        found.append(orders.choose(number, table))
        orders.add(number, found[-1])
    return found


def neighbours(orders: list[tuple[int, ...]]) -> Counter[tuple[int, int]]:
    """Return how often one entry sits right after another in the balanced games of these matches."""
    games = [game for order in orders for game in seatings(order, "balanced")]
    return Counter(pair for game in games for pair in zip(game, (*game[1:], game[0]), strict=True))
