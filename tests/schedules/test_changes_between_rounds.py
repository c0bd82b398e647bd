"""Round robins and gauntlets whose field changes between rounds: every round is one of its field, and whole."""

import dataclasses
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.core.errors import UsageError
from arena.schedules import gauntlet, round_robin
from arena.schedules.base import Field, Open, Pairing, Summary, balance
from arena.schedules.gauntlet import GauntletSettings
from arena.schedules.round_robin import RoundRobinSettings


@dataclass
class League:
    """A league whose field changes as soon as the schedule allows it."""

    schedule: Any
    field: Field
    given: Any
    matches: list[Pairing] = dataclasses.field(default_factory=list)
    fields: list[Field] = dataclasses.field(default_factory=list)
    """By match."""

    def summary(self) -> Summary:
        tables = [match.entries for match in self.matches]
        return Summary(
            planned=len(tables),
            matches=Counter(entry for table in tables for entry in table),
            pairs=Counter(pair for table in tables for pair in combinations(sorted(table), 2)),
            latest_tables=lambda matches: [tuple(sorted(table)) for table in tables[-matches:]],
        )

    def play(self, most: int | None = None, keep: int | None = None) -> None:
        """Plan up to that many matches more, keeping `keep` of each block; or all that there are."""
        end = None if most is None else len(self.matches) + most
        while end is None or len(self.matches) < end:
            more = self.schedule.next_matches(self.field, self.given, self.summary())
            if more is None:
                return
            more = more[:keep][: None if end is None else end - len(self.matches)]
            self.matches += more
            self.fields += [self.field] * len(more)

    def change(self, entries: tuple[int, ...], **more: Any) -> bool:
        """Let other entries play from the end of the round on; return False if no round follows."""
        at = self.schedule.changes_at(self.field, self.given, len(self.matches))
        if at is None:
            return False
        assert at >= len(self.matches)
        self.play(at - len(self.matches))
        assert len(self.matches) == at, "a round is finished with its field"
        self.field = replace(
            self.field,
            entries=entries,
            from_match=at,
            from_round=self.matches[-1].round_no + 1 if at else 0,
            joined={**self.field.joined, **{e: at for e in entries if e not in self.field.entries}},
            **more,
        )
        return True

    def rounds(self) -> list[list[int]]:
        """Return the numbers of the matches of each round."""
        numbers = [match.round_no for match in self.matches]
        assert numbers == sorted(numbers)
        assert sorted(set(numbers)) == list(range(len(set(numbers))))
        return [[n for n, of in enumerate(numbers) if of == round_no] for round_no in sorted(set(numbers))]


FIELDS = st.lists(st.integers(0, 12), min_size=4, max_size=7, unique=True).map(lambda e: tuple(sorted(e)))
CHANGES = st.lists(st.tuples(st.integers(0, 30), FIELDS), max_size=4)
"""Fields, each after a number of matches."""
SOME = settings(max_examples=settings().max_examples // 3, deadline=None)


@pytest.fixture(autouse=True, scope="module")
def _short_searches() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(balance, "SWAPS_A_SEAT", 10)
        yield


def changed(
    schedule: Any, given: Any, seats: tuple[int, ...], changes: Any, keep: int | None = None
) -> League:
    league = League(schedule, Field((0, 1, 2, 3, 4), seats), given)
    for matches, entries in changes:
        league.play(matches, keep)
        league.change(entries)
    league.play(keep=keep)
    assert len(league.matches) == schedule.total(league.field, given)
    sizes = schedule.sizes(league.field, given)
    played = Counter(len(match.entries) for match in league.matches)
    assert all(count in (None, played[seats]) for seats, count in sizes.items())
    return league


@SOME
@given(CHANGES, st.sampled_from([(2,), (3,), (2, 4)]), st.integers(1, 4), st.integers(1, 9))
def test_every_round_has_every_table_of_its_field_once(
    changes: Any, seats: tuple[int, ...], rounds: int, keep: int
) -> None:
    league = changed(round_robin.SCHEDULE, RoundRobinSettings(rounds), seats, changes)
    assert len(league.rounds()) == rounds
    for numbers in league.rounds():
        (of,) = {league.fields[number].entries for number in numbers}
        tables = [league.matches[number].entries for number in numbers]
        assert tables == [table for size in seats for table in combinations(of, size)]
    again = changed(round_robin.SCHEDULE, RoundRobinSettings(rounds), seats, changes, keep)
    assert again.matches == league.matches


@SOME
@given(
    CHANGES,
    st.sampled_from([(2,), (3,), (2, 4)]),
    st.integers(1, 4),
    st.integers(1, 6),
    st.integers(1, 9),
)
def test_a_sample_is_balanced_in_each_field_and_can_be_taken_up_anywhere(
    changes: Any, seats: tuple[int, ...], rounds: int, tables: int, keep: int
) -> None:
    given_ = RoundRobinSettings(rounds, tables)
    league = changed(round_robin.SCHEDULE, given_, seats, changes)
    assert len(league.rounds()) == rounds
    for numbers in league.rounds():
        (of,) = {league.fields[number].entries for number in numbers}
        for size in seats:
            of_size = [
                league.matches[number].entries
                for number in numbers
                if len(league.matches[number].entries) == size
            ]
            assert len(of_size) == min(tables, len(list(combinations(of, size))))
            played = [sum(entry in table for table in of_size) for entry in of]
            assert max(played) - min(played) <= 1
            assert all(set(table) <= set(of) for table in of_size)
    assert changed(round_robin.SCHEDULE, given_, seats, changes, keep).matches == league.matches


@SOME
@given(CHANGES, st.sampled_from([(2,), (3,), (2, 4)]), st.integers(1, 3), st.integers(1, 9))
def test_the_challengers_of_each_field_meet_all_others_equally_often(
    changes: Any, seats: tuple[int, ...], rounds: int, keep: int
) -> None:
    given_ = GauntletSettings(2, rounds)
    changes = [(matches, tuple(sorted({0, 1, *entries, 13, 14}))) for matches, entries in changes]
    league = changed(gauntlet.SCHEDULE, given_, seats, changes)
    assert len(league.rounds()) == rounds
    for numbers in league.rounds():
        (of,) = {league.fields[number].entries for number in numbers}
        tables = [league.matches[number].entries for number in numbers]
        assert all(table[0] in (0, 1) for table in tables)
        for size in seats:
            met = Counter((t[0], other) for t in tables if len(t) == size for other in t[1:])
            assert set(met) == {(c, other) for c in (0, 1) for other in of if other > 1}
            assert len(set(met.values())) == 1
    assert changed(gauntlet.SCHEDULE, given_, seats, changes, keep).matches == league.matches


def test_by_hand() -> None:
    league = League(round_robin.SCHEDULE, Field((4, 5, 6), (2,)), RoundRobinSettings(3))
    league.play(4)
    assert league.schedule.changes_at(league.field, league.given, 3) == 3
    assert league.schedule.changes_at(league.field, league.given, 4) == 6
    assert league.schedule.changes_at(league.field, league.given, 7) is None, "the last round has begun"
    assert league.change((4, 6, 7))
    league.play()
    assert [(match.round_no, *match.entries) for match in league.matches] == [
        (0, 4, 5), (0, 4, 6), (0, 5, 6),
        (1, 4, 5), (1, 4, 6), (1, 5, 6),
        (2, 4, 6), (2, 4, 7), (2, 6, 7),
    ]  # fmt: skip
    assert not league.change((4, 5))


@pytest.mark.parametrize(
    ("schedule", "given_", "more"),
    [
        (round_robin.SCHEDULE, RoundRobinSettings(2), RoundRobinSettings(4)),
        (round_robin.SCHEDULE, RoundRobinSettings(2, 4), RoundRobinSettings(4, 4)),
        (gauntlet.SCHEDULE, GauntletSettings(1, 2), GauntletSettings(1, 4)),
    ],
)
def test_more_rounds_go_on_where_the_league_ended(schedule: Any, given_: Any, more: Any) -> None:
    league = League(schedule, Field((0, 1, 2, 3, 4), (3,)), given_)
    league.play(1)
    league.change((0, 1, 2, 3, 4, 5))
    league.play()
    played = len(league.matches)
    assert schedule.changes_at(league.field, given_, played) is None
    league.given = more
    assert schedule.changes_at(league.field, more, played) == played
    league.play()
    whole = League(schedule, Field((0, 1, 2, 3, 4), (3,)), more)
    whole.play(1)
    whole.change((0, 1, 2, 3, 4, 5))
    whole.play()
    assert league.matches == whole.matches
    assert len(league.matches) > played


def test_who_replaces_a_challenger_challenges() -> None:
    labels = dict(enumerate("abcde"))
    league = League(
        gauntlet.SCHEDULE, Field((0, 1, 2, 3), (2,), labels=labels), GauntletSettings(("b", "d"), 4)
    )
    league.play(1)
    assert league.change((0, 2, 3, 4), predecessors={4: 1})
    league.play(1)
    assert league.change((0, 2, 4))
    league.play(1)
    assert league.change((0, 2, 5), predecessors={4: 1, 5: 4})
    league.play()
    assert [(match.round_no, *match.entries) for match in league.matches] == [
        (0, 1, 0), (0, 1, 2), (0, 3, 0), (0, 3, 2),
        (1, 4, 0), (1, 4, 2), (1, 3, 0), (1, 3, 2),
        (2, 4, 0), (2, 4, 2),
        (3, 5, 0), (3, 5, 2),
    ]  # fmt: skip


def test_if_a_challenger_retires_nobody_challenges_instead() -> None:
    league = League(gauntlet.SCHEDULE, Field((0, 1, 2, 3), (2,)), GauntletSettings(2, 3))
    league.play(1)
    assert league.change((1, 2, 3))
    league.play(1)
    assert [match.entries for match in league.matches[4:]] == [(1, 2)]
    assert league.change((2, 3))
    with pytest.raises(UsageError, match="none of the challengers is active"):
        league.schedule.check(league.field, league.given)
    assert league.schedule.next_matches(league.field, league.given, league.summary()) is None


@pytest.mark.parametrize(
    ("schedule", "given_"),
    [
        (round_robin.SCHEDULE, RoundRobinSettings(3)),
        (round_robin.SCHEDULE, RoundRobinSettings(3, 2)),
        (gauntlet.SCHEDULE, GauntletSettings(1, 3)),
    ],
)
@pytest.mark.parametrize(
    ("entries", "authors"),
    [((), {}), ((0,), {}), ((0, 1), {}), ((0, 1, 2), {0: "a", 1: "b", 2: "b"})],
)
def test_a_field_that_fills_no_table_plays_nothing_until_it_changes_again(
    schedule: Any, given_: Any, entries: tuple[int, ...], authors: dict[int, str]
) -> None:
    few = Field(entries, (3,), authors, from_match=10, from_round=1, joined={0: 10})
    with pytest.raises(UsageError):
        schedule.check(few, given_)
    assert schedule.next_matches(few, given_, Summary(10)) is None
    assert schedule.total(few, given_) == 10
    assert isinstance(schedule, Open)
    assert schedule.rests(few, given_, Summary(10)) == ""
    assert schedule.changes_at(few, given_, 10) == 10
