"""Round robins by a sample of the tables, and with bots of one author kept apart."""

from collections import Counter
from itertools import combinations

import pytest
from arena_conformance.simulated_leagues import Simulated
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.core.errors import UsageError
from arena.schedules.base import Field, Pairing
from arena.schedules.base.balance import turns
from arena.schedules.round_robin import SCHEDULE, RoundRobinSettings


def matches_of(field: Field, rounds: int, tables: int | None) -> list[Pairing]:
    return Simulated(SCHEDULE, field, RoundRobinSettings(rounds, tables)).pairings


def spread(counts: "list[int]") -> int:
    return max(counts) - min(counts)


def pairs_of(field: Field, matches: list[Pairing]) -> list[int]:
    met = Counter(pair for match in matches for pair in combinations(sorted(match.entries), 2))
    return [met[pair] for pair in combinations(field.entries, 2)]


@settings(max_examples=settings().max_examples // 2, deadline=None)
@given(st.integers(3, 12), st.integers(2, 5), st.integers(1, 20), st.integers(1, 3))
def test_everybody_plays_equally_often(entries: int, seats: int, tables: int, rounds: int) -> None:
    if entries < seats:
        return
    field = Field(tuple(range(entries)), (seats,))
    matches = matches_of(field, rounds, tables)
    a_round = len(matches) // rounds
    for round_no in range(rounds):
        so_far = matches[: (round_no + 1) * a_round]
        assert spread([sum(entry in match.entries for match in so_far) for entry in field.entries]) <= 1
        assert spread(pairs_of(field, so_far)) <= 3, (
            "most differ by one at most; small numbers can force more"
        )


@pytest.mark.parametrize(
    ("entries", "seats", "tables"),
    [(6, 2, 9), (20, 2, 50), (9, 3, 12), (7, 3, 7), (12, 3, 20), (8, 4, 14), (10, 6, 15), (13, 4, 13)],
)
def test_pairs_meet_equally_often_but_for_one(entries: int, seats: int, tables: int) -> None:
    """Among them designs in which all pairs meet exactly equally often."""
    field = Field(tuple(range(entries)), (seats,))
    pairs = pairs_of(field, matches_of(field, 1, tables))
    assert spread(pairs) == int(tables * seats * (seats - 1) % (entries * (entries - 1)) != 0)


def test_a_sample_as_large_as_all_sets_every_table() -> None:
    field = Field(tuple(range(5)), (3,))
    assert SCHEDULE.total(field, RoundRobinSettings(2, 1000)) == 20
    assert spread(pairs_of(field, matches_of(field, 1, 1000))) == 0


def test_each_of_two_sizes_is_sampled() -> None:
    field = Field(tuple(range(10)), (2, 4))
    matches = matches_of(field, 2, 15)
    for seats in field.seats:
        of_size = [match for match in matches if len(match.entries) == seats]
        assert len(of_size) == 30 == SCHEDULE.sizes(field, RoundRobinSettings(2, 15))[seats]
        assert spread([sum(entry in match.entries for match in of_size) for entry in field.entries]) <= 1


@given(st.lists(st.integers(0, 3), min_size=3, max_size=9), st.integers(2, 4))
def test_all_tables_that_authors_allow(authors: list[int], seats: int) -> None:
    field = Field(tuple(range(len(authors))), (seats,), {e: f"a{author}" for e, author in enumerate(authors)})
    allowed = [
        table
        for table in combinations(field.entries, seats)
        if len({authors[entry] for entry in table}) == seats or (seats == 2 and len(set(authors)) == 1)
    ]
    if not allowed:
        with pytest.raises(UsageError, match=r"^same_author|cannot fill"):
            SCHEDULE.check(field, RoundRobinSettings())
        return
    assert SCHEDULE.total(field, RoundRobinSettings(2)) == 2 * len(allowed)
    assert [match.entries for match in matches_of(field, 2, None)] == [*allowed, *allowed]


@settings(max_examples=settings().max_examples // 2, deadline=None)
@given(
    st.lists(st.integers(0, 5), min_size=3, max_size=12),
    st.integers(2, 4),
    st.integers(1, 12),
    st.integers(1, 3),
)
def test_a_sample_keeps_authors_apart_or_is_refused(
    authors: list[int], seats: int, tables: int, rounds: int
) -> None:
    field = Field(tuple(range(len(authors))), (seats,), {e: f"a{author}" for e, author in enumerate(authors)})
    largest = max(Counter(authors).values())
    try:
        SCHEDULE.check(field, RoundRobinSettings(rounds, tables))
    except UsageError as error:
        refused = str(error)
    else:
        refused = ""
    is_dominated = largest * seats > len(authors)
    assert bool(refused) == (len(authors) < seats or (is_dominated and seats > 2))
    if refused:
        return
    matches = matches_of(field, rounds, tables)
    if len(set(authors)) > 1:
        assert all(len({authors[entry] for entry in match.entries}) == seats for match in matches)
    a_round = len(matches) // rounds
    most = Counter(authors).most_common(1)[0][0] if is_dominated and len(set(authors)) > 1 else None
    for side in (True, False):  # of a table of two, if an author has more than half of the bots
        first = [
            sum(entry in match.entries for match in matches[:a_round])
            for entry in field.entries
            if (authors[entry] == most) == side
        ]
        assert spread(first or [0]) <= 1


def test_turns_go_round() -> None:
    group_of = {entry: entry for entry in range(5)}
    taken: Counter[int] = Counter()
    for first in range(0, 60, 6):
        taken.update(turns(range(5), first, 2, 3, group_of))
        assert spread([taken[entry] for entry in range(5)]) <= 1
