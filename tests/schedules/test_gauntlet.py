"""Gauntlet: challengers meet all others, equally often, and never one another."""

from collections import Counter
from itertools import combinations

import pytest
from arena_conformance.simulated_leagues import Simulated
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.core.errors import UsageError
from arena.schedules.base import Field, Summary
from arena.schedules.gauntlet import SCHEDULE, GauntletSettings


def gauntlet(field: Field, keys: GauntletSettings) -> list[tuple[int, tuple[int, ...]]]:
    return [(pairing.round_no, pairing.entries) for pairing in Simulated(SCHEDULE, field, keys).pairings]


def test_by_hand() -> None:
    field = Field((4, 5, 6, 7), (2,), labels={4: "old", 5: "a", 6: "new", 7: "b"})
    assert gauntlet(field, GauntletSettings(rounds=2)) == [
        (0, (4, 5)), (0, (4, 6)), (0, (4, 7)), (1, (4, 5)), (1, (4, 6)), (1, (4, 7)),
    ]  # fmt: skip
    assert gauntlet(field, GauntletSettings(challengers=("new", "old"))) == [
        (0, (6, 5)), (0, (6, 7)), (0, (4, 5)), (0, (4, 7)),
    ]  # fmt: skip


@settings(max_examples=settings().max_examples // 2, deadline=None)
@given(st.integers(2, 12), st.integers(1, 3), st.integers(2, 5), st.integers(1, 3))
def test_each_challenger_meets_all_others_equally_often(
    others: int, challengers: int, seats: int, rounds: int
) -> None:
    if others < seats - 1:
        return
    field = Field(tuple(range(challengers + others)), (seats,))
    matches = gauntlet(field, GauntletSettings(challengers, rounds))
    met = Counter(pair for _, table in matches for pair in combinations(sorted(table), 2))
    assert all(sum(entry < challengers for entry in table) == 1 for _, table in matches)
    for round_no in range(rounds):
        of_round = Counter(
            (table[0], other) for number, table in matches if number == round_no for other in table[1:]
        )
        assert set(of_round) == {
            (c, o) for c in range(challengers) for o in range(challengers, len(field.entries))
        }
        assert len(set(of_round.values())) == 1
    among = [met[pair] for pair in combinations(range(challengers, len(field.entries)), 2)]
    assert max(among, default=0) - min(among, default=0) <= 3 if seats > 2 else not any(among)


def test_small_rounds_are_planned_many_at_a_time_and_none_in_part() -> None:
    field = Field((0, 1, 2, 3), (2,))
    at_once = SCHEDULE.next_matches(field, GauntletSettings(rounds=100), Summary(0))
    assert at_once is not None
    assert [one.round_no for one in at_once] == [number // 3 for number in range(63)]
    last = SCHEDULE.next_matches(field, GauntletSettings(rounds=100), Summary(298))
    assert last is not None
    assert [(one.round_no, one.entries) for one in last] == [(99, (0, 2)), (99, (0, 3))]


def test_tables_of_two_sizes() -> None:
    field = Field(tuple(range(5)), (2, 3))
    matches = gauntlet(field, GauntletSettings())
    assert (
        Counter(len(table) for _, table in matches)
        == {2: 4, 3: 2}
        == dict(SCHEDULE.sizes(field, GauntletSettings()))
    )


def test_authors_are_kept_apart() -> None:
    authors = {0: "me", **{entry: "abc"[entry % 3] for entry in range(1, 10)}}
    matches = gauntlet(Field(tuple(range(10)), (4,), authors), GauntletSettings(rounds=3))
    assert matches
    assert all(len({authors[entry] for entry in table}) == 4 for _, table in matches)


@pytest.mark.parametrize(
    ("field", "keys", "message"),
    [
        (
            Field((0, 1, 2), (3,)),
            GauntletSettings(2),
            "1 bot besides the challengers cannot fill a table of 3 seats",
        ),
        (Field((0, 1), (2,), labels={0: "a", 1: "b"}), GauntletSettings(("c",)), "no bot labelled 'c'"),
        (Field((0, 1), (2,), labels={0: "a", 1: "b"}), GauntletSettings(("a", "a")), "twice"),
        (Field((0, 1), (2,), labels={0: "a", 1: "b"}), GauntletSettings(()), "no challenger is named"),
        (
            Field((0, 1, 2), (3,), {0: "x", 1: "x", 2: "y"}),
            GauntletSettings(),
            "^same_author: x has a challenger",
        ),
        (Field((0, 1, 2), (3,), {0: "y", 1: "x", 2: "x"}), GauntletSettings(), "^same_author: 2 of the 2"),
    ],
)
def test_what_does_not_fit_is_refused(field: Field, keys: GauntletSettings, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        SCHEDULE.check(field, keys)


def test_labels_that_are_not_known_yet_are_not_refused() -> None:
    field = Field((0, 1, 2), (2,), labels={0: "a"})
    assert SCHEDULE.total(field, GauntletSettings(("later",))) == 2
