"""Round robin: every table once a round, in an order that can be taken up anywhere."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.core.errors import UsageError
from arena.schedules.base import Field, Pairing, Summary
from arena.schedules.round_robin import BLOCK_MATCHES, SCHEDULE, RoundRobinSettings


def all_matches(field: Field, rounds: int, block: int | None = None) -> list[Pairing]:
    """Return the whole schedule, taken block by block, or pairing by pairing of each block."""
    settings = RoundRobinSettings(rounds)
    matches: list[Pairing] = []
    while (more := SCHEDULE.next_matches(field, settings, Summary(len(matches)))) is not None:
        assert more, "a round robin waits for nothing"
        assert len(more) <= BLOCK_MATCHES
        matches += more[:block]
    assert len(matches) == SCHEDULE.total(field, settings)
    return matches


def test_by_hand() -> None:
    field = Field((4, 5, 6), (2,))
    assert all_matches(field, 2) == [
        Pairing(0, (4, 5)), Pairing(0, (4, 6)), Pairing(0, (5, 6)),
        Pairing(1, (4, 5)), Pairing(1, (4, 6)), Pairing(1, (5, 6)),
    ]  # fmt: skip


@given(st.integers(2, 9), st.lists(st.integers(2, 9), min_size=1, max_size=3, unique=True), st.integers(1, 3))
def test_every_table_of_every_size_once_a_round(entries: int, sizes: list[int], rounds: int) -> None:
    field = Field(tuple(range(entries)), tuple(size for size in sizes if size <= entries) or (2,))
    a_round = [table for seats in field.seats for table in combinations(field.entries, seats)]
    assert all_matches(field, rounds) == [
        Pairing(round_no, table) for round_no in range(rounds) for table in a_round
    ]


def test_taken_up_anywhere_it_goes_on_the_same() -> None:
    field = Field(tuple(range(9)), (4, 2))
    assert all_matches(field, 2, block=1) == all_matches(field, 2) == all_matches(field, 2, block=7)


@given(st.integers(3, 8), st.integers(2, 4))
def test_everybody_meets_everybody_equally_often(entries: int, seats: int) -> None:
    seats = min(seats, entries)
    matches = all_matches(Field(tuple(range(entries)), (seats,)), 1)
    met = Counter(pair for match in matches for pair in combinations(match.entries, 2))
    assert len(set(met.values())) == 1
    assert len(met) == entries * (entries - 1) // 2


def test_a_large_field_is_taken_up_without_going_through_what_was() -> None:
    field, settings = Field(tuple(range(300)), (6,)), RoundRobinSettings(1000)
    total = SCHEDULE.total(field, settings)
    assert total == 962_822_846_700 * 1000
    assert SCHEDULE.next_matches(field, settings, Summary(total)) is None
    last = SCHEDULE.next_matches(field, settings, Summary(total - 3))
    assert last is not None
    assert [match.entries[-3:] for match in last] == [(297, 298, 299)] * 3
    assert [match.entries[:3] for match in last] == [(293, 294, 296), (293, 295, 296), (294, 295, 296)]
    middle = SCHEDULE.next_matches(field, settings, Summary(10**12))
    assert middle is not None
    assert len(set(middle)) == BLOCK_MATCHES


@pytest.mark.parametrize("sizes", [(4,), (2, 4)])
def test_too_few_bots_are_refused(sizes: tuple[int, ...]) -> None:
    with pytest.raises(UsageError, match="3 bots cannot fill a table of 4 seats"):
        SCHEDULE.check(Field((0, 1, 2), sizes), RoundRobinSettings())


def test_as_many_bots_as_seats_make_one_match_a_round() -> None:
    assert all_matches(Field((3, 1, 2), (3,)), 2) == [Pairing(0, (3, 1, 2)), Pairing(1, (3, 1, 2))]


def test_a_sample_of_more_tables_than_there_are_is_remarked() -> None:
    field = Field((0, 1, 2), (2, 3))
    assert SCHEDULE.remarks(field, RoundRobinSettings(tables=1)) == []
    assert SCHEDULE.remarks(field, RoundRobinSettings()) == []
    assert SCHEDULE.remarks(field, RoundRobinSettings(tables=1_000)) == [
        (("schedule", "tables"), "3 bots make 3 tables of 2, so a round has 3, not 1,000"),
        (("schedule", "tables"), "3 bots make 1 table of 3, so a round has 1, not 1,000"),
    ]
