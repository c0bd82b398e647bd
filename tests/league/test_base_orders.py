"""Base orders of matches: fixed by the secret, and even over a league whose rotations are balanced."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, pairwise, permutations

import pytest

from arena import registry
from arena.core.ruleset import Rotations
from arena.core.seatings import seatings
from arena.league.running.base_orders import BLOCK_MATCHES, BaseOrders, starting_circle
from arena.schedules.base import Field, Summary

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


@pytest.mark.parametrize(
    ("kind", "settings"),
    [("round-robin", {"rounds": 2}), ("round-robin", {"rounds": 10, "tables": 20}), ("ladder", {})],
)
def test_neighbours_stay_even_over_a_league_of_each_schedule(kind: str, settings: dict[str, int]) -> None:
    """Of what the tables allow: how often an entry sits right after another at each table where both sit, is even."""
    tables = scheduled(kind, settings, entries=9, seats=4, matches=200)
    met = Counter(pair for table in tables for pair in permutations(table, 2))
    after = {way: neighbours(chosen(way, tables), way) for way in ("balanced", "cyclic")}
    seats = Counter(entry for order in chosen("balanced", tables) for entry in order)
    beyond = {way: [abs(after[way][pair] - 4 * met[pair] / 3) for pair in met] for way in after}
    assert len(seats) == 9
    assert max(beyond["balanced"]) <= 2
    assert max(beyond["cyclic"]) > 8, "the circle of a match is kept in all of its games"


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


def scheduled(
    kind: str, settings: dict[str, int], entries: int, seats: int, matches: int
) -> list[tuple[int, ...]]:
    """Return the tables of a league in which nobody is ever stronger than the others."""
    schedule = registry.schedule(kind)
    field, given = Field(tuple(range(entries)), (seats,)), schedule.settings(**settings)
    tables: list[tuple[int, ...]] = []
    while len(tables) < matches:
        seen = schedule.sees(field, given, len(tables))
        summary = Summary(
            len(tables),
            seen,
            matches=Counter(entry for table in tables for entry in table),
            unseen=Counter(entry for table in tables[seen:] for entry in table),
            pairs=Counter(pair for table in tables for pair in combinations(sorted(table), 2)),
            seated=Counter((entry, seats) for table in tables for entry in table),
        )
        more = schedule.next_matches(field, given, summary)
        if more is None:
            break
        tables += [pairing.entries for pairing in more]
    return tables[:matches]


def neighbours(orders: list[tuple[int, ...]], rotations: Rotations = "balanced") -> Counter[tuple[int, int]]:
    """Return how often one entry sits right after another in the games of these matches."""
    games = [game for order in orders for game in seatings(order, rotations)]
    return Counter(pair for game in games for pair in zip(game, (*game[1:], game[0]), strict=True))
