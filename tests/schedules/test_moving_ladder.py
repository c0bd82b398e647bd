"""A ladder whose entries come and go: nobody starves, newcomers are placed; a field that stays plays as ever."""

from collections import Counter
from hashlib import sha256
from itertools import combinations
from statistics import median

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.schedules.base import Field, Open, Summary
from arena.schedules.ladder import SCHEDULE, LadderSettings
from arena.schedules.ladder.turns import (
    BLOCK_MATCHES,
    FINAL_LEAD,
    LONGEST_WAIT,
    NEWCOMERS_PART,
    PLACED_MATCHES,
)
from results.ratings.base import Rating, Scale
from tests.schedules.moving_league import BETA, MovingLeague, arrivals, evenly

CHANGES = st.lists(
    st.tuples(st.sampled_from(["join", "join", "retire", "pause", "resume"]), st.integers(0, 40)),
    max_size=12,
)
"""Changes of a field, each after a number of matches."""


def seasoned(entries: int, seats: tuple[int, ...] = (2,), seed: int = 1) -> MovingLeague:
    """Return a league whose entries have played 500 matches each."""
    league = MovingLeague(evenly(range(entries)), seats, seed=seed)
    league.season(500, BETA * (3 / 500) ** 0.5)
    return league


def changed(league: MovingLeague, changes: list[tuple[str, int]], keep: int = BLOCK_MATCHES) -> None:
    """Make the changes that are possible, and play after each."""
    paused: list[int] = []
    for kind, matches in changes:
        if kind == "join":
            new = max(league.strengths) + 1
            league.authors |= {new: f"a{new % 5}"} if league.authors else {}
            league.join(new, 25.0 + new % 7)
        elif kind == "resume" and paused:
            league.join(paused.pop())
        elif kind in ("retire", "pause") and league.active:
            gone = league.active[matches % len(league.active)]
            paused += [gone] if kind == "pause" else []
            league.leave(gone)
        league.play(matches, keep)


@pytest.mark.parametrize(
    ("seats", "authors", "digest"),
    [
        ((2,), {}, "830df5686e6f8c75"),
        ((4,), {entry: f"a{entry % 6}" for entry in range(11)}, "ddaa5faa43281f2e"),
        ((2, 3), {}, "b0569b2aedc6b13b"),
    ],
)
def test_a_ladder_plays_the_same_matches_on_any_machine(
    seats: tuple[int, ...], authors: dict[int, str], digest: str
) -> None:
    league = MovingLeague(evenly(range(11)), seats, authors=authors)
    league.play(320)
    tables = [match.entries for match in league.matches]
    assert sha256(repr(tables).encode()).hexdigest()[:16] == digest


@pytest.mark.parametrize("seats", [2, 4])
def test_nobody_waits_too_long_while_entries_come_and_go(seats: int) -> None:
    league = seasoned(12, (seats,))
    new = arrivals(league, 64, 8)
    league.play(400)
    assert league.longest_wait() <= LONGEST_WAIT
    assert league.least_share() >= 1 / LONGEST_WAIT
    placed = [after for entry in new if (after := league.placed_after(entry)) is not None]
    assert len(placed) >= 6
    assert median(placed) <= 240


def test_a_newcomer_is_placed_soon_and_the_others_keep_half_of_the_tables() -> None:
    league = seasoned(20)
    league.join(20, 25.0)
    league.play(320)
    after = league.placed_after(20)
    assert after is not None
    assert after <= 160
    assert league.counts(end=160)[20] > 160 * 2 / 21 * 1.5, "more than an equal share"
    for first in range(0, 320, BLOCK_MATCHES):
        tables = [match.entries for match in league.matches[first : first + BLOCK_MATCHES]]
        assert sum(20 in table for table in tables) <= BLOCK_MATCHES / 2
    assert (
        len({entry for match in league.matches[:160] if 20 in match.entries for entry in match.entries}) >= 6
    )


def test_many_newcomers_share_half_of_the_tables() -> None:
    league = seasoned(20)
    for entry in range(20, 40):
        league.join(entry, 25.0 + entry % 5)
    league.play(48)
    for first in range(0, 48, BLOCK_MATCHES):
        tables = [match.entries for match in league.matches[first : first + BLOCK_MATCHES]]
        assert sum(max(table) >= 20 for table in tables) <= BLOCK_MATCHES * NEWCOMERS_PART + 1, (
            "one table is drawn from all"
        )
    league.play(400)
    played = league.counts()
    assert max(played[e] for e in range(20, 40)) - min(played[e] for e in range(20, 40)) <= 20
    assert league.longest_wait() <= LONGEST_WAIT


def test_newcomers_that_are_most_of_the_field_get_as_large_a_part_of_the_tables() -> None:
    league = seasoned(4)
    for entry in range(4, 40):
        league.join(entry, 25.0 + entry % 5)
    league.play(160)
    old = sum(league.counts()[entry] for entry in range(4))
    assert old < 160, "four of forty don't take half of the tables"
    assert league.longest_wait() <= LONGEST_WAIT


def test_a_new_version_needs_fewer_matches_to_be_placed() -> None:
    def new_for(rating: Rating | None) -> int:
        league = seasoned(12)
        league.join(12, 25.0, rating)
        league.play(320)
        return sum(match.why.startswith("#12 is new") for match in league.matches)

    assert new_for(Rating(25.0, BETA / 2)) < new_for(None) <= PLACED_MATCHES


def test_an_entry_that_was_paused_is_no_newcomer() -> None:
    league = seasoned(12)
    league.leave(5)
    league.play(320)
    league.join(5)
    league.play(160)
    assert not any("#5 is new" in match.why for match in league.matches)
    assert league.counts(320)[5] >= 160 * 2 / 12 / LONGEST_WAIT
    assert league.counts(320, 320 + BLOCK_MATCHES)[5] <= 8, "nothing is made up for the time it was away"


def test_without_sigma_the_number_of_matches_says_who_is_placed() -> None:
    field = Field(
        (0, 1, 2, 3), (2,), scale=Scale(start=Rating(1500.0), unit=200.0), from_match=800, joined={3: 800}
    )
    played = {0: 600, 1: 600, 2: 400, 3: 0}
    latest = dict.fromkeys(range(3), 799)

    def is_new(matches: int) -> bool:
        summary = Summary(800, 800, matches={**played, 3: matches}, latest=latest)
        pairings = SCHEDULE.next_matches(field, LadderSettings(), summary)
        assert pairings
        return any("#3 is new" in pairing.why for pairing in pairings)

    assert is_new(0)
    assert is_new(10)
    assert not is_new(PLACED_MATCHES)


@settings(max_examples=settings().max_examples // 5, deadline=None)
@given(
    st.integers(1, 8),
    st.sampled_from([(2,), (3,), (2, 4)]),
    st.booleans(),
    CHANGES,
    st.integers(1, BLOCK_MATCHES),
)
def test_any_changes_leave_a_league_that_can_be_played_and_taken_up_anywhere(
    entries: int, seats: tuple[int, ...], authors: bool, changes: list[tuple[str, int]], keep: int
) -> None:
    by = {entry: f"a{entry % 5}" for entry in range(entries)} if authors else {}
    whole, broken = (MovingLeague(evenly(range(entries)), seats, authors=by) for _ in range(2))
    changed(whole, changes)
    changed(broken, changes, keep)
    assert [match.entries for match in whole.matches] == [match.entries for match in broken.matches]
    for span in whole.spans:
        for match in whole.matches[span.first : span.end]:
            assert set(match.entries) <= set(span.active)
            assert len(set(match.entries)) == len(match.entries)
            assert "{" not in match.why
            if authors and len(match.entries) > 2:
                assert len({whole.authors[entry] for entry in match.entries}) == len(match.entries)


@pytest.mark.parametrize(
    ("field", "plays"),
    [
        (Field((), (2,), from_match=9), False),
        (Field((7,), (2, 4), from_match=9), False),
        (Field((1, 2, 3), (3,), {1: "a", 2: "a", 3: "b"}, from_match=9), False),
        (Field((1, 2, 3), (2, 4), from_match=9), True),
    ],
)
def test_it_makes_no_matches_while_no_table_can_be_filled(field: Field, plays: bool) -> None:
    assert (SCHEDULE.next_matches(field, LadderSettings(), Summary(9)) is not None) == plays


def test_it_rests_once_every_entry_has_played_enough_until_another_joins() -> None:
    field, given_ = Field((0, 1, 2), (2,)), LadderSettings(enough=5)
    assert not SCHEDULE.rests(field, given_, Summary(7, matches={0: 5, 1: 5, 2: 4}))
    full = Summary(8, matches={0: 5, 1: 6, 2: 5})
    assert (
        SCHEDULE.rests(field, given_, full)
        == "every bot has played 5 matches; more would hardly change the order"
    )
    assert not SCHEDULE.rests(Field((0, 1, 2, 3), (2,), from_match=8, joined={3: 8}), given_, full)


@pytest.mark.parametrize("seats", [(2,), (4,), (2, 3)])
def test_a_final_is_fair_and_ends(seats: tuple[int, ...]) -> None:
    league = seasoned(9, seats)
    league.join(9, 25.0)
    league.play(100)
    league.begin_final(25)
    assert not league.play(1000)
    played = league.counts(100)
    assert min(played.values()) == 25
    assert max(played.values()) <= 25 + FINAL_LEAD + 1
    assert len(played) == 10
    assert SCHEDULE.changes_at(league.field, LadderSettings(), len(league.matches)) is None
    met = Counter(pair for match in league.matches[100:] for pair in combinations(sorted(match.entries), 2))
    assert len(met) > 10 * 9 / 4, "not always the same opponents"
    assert max(met.values()) < 25 * max(seats) / 4


def test_a_final_broken_off_goes_on_the_same() -> None:
    whole, broken = seasoned(7), seasoned(7)
    for league, keep in ((whole, BLOCK_MATCHES), (broken, 3)):
        league.begin_final(10)
        assert not league.play(200, keep)
    assert whole.matches == broken.matches


def test_changes_hold_from_the_next_match() -> None:
    assert isinstance(SCHEDULE, Open)
    assert SCHEDULE.changes_at(Field((0, 1), (2,)), LadderSettings(), 13) == 13
