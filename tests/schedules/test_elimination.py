"""Single elimination: brackets, byes, who goes on, and how ties end."""

import pickle
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from arena_conformance.simulated_leagues import Play, Simulated, by_chance, by_strength
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.core.errors import UsageError
from arena.schedules.base import Field, Finished, Placing
from arena.schedules.elimination import SCHEDULE, EliminationSettings
from results.base.scoring import UNIT
from results.ratings.base import Rating


def elimination(
    entries: int, seats: int = 2, play: Play = by_strength, seed: int = 0, **keys: Any
) -> Simulated:
    field = Field(tuple(range(entries)), (seats,))
    return Simulated(SCHEDULE, field, EliminationSettings(**keys), play, seed)


def played(league: Simulated) -> list[tuple[int, tuple[int, ...], int]]:
    """Return round, table and number of matches, in the order in which tables were set first."""
    count = Counter((pairing.round_no, pairing.entries) for pairing in league.pairings)
    return [(*table, matches) for table, matches in count.items()]


def placing(league: Simulated) -> tuple[Placing, ...]:
    return SCHEDULE.placing(league.field, league.settings, league.results)


def places(league: Simulated) -> dict[int, int]:
    return {placed.entry: placed.place for placed in placing(league)}


def test_four_by_hand() -> None:
    """Two matches of three are enough; both semi-finals go on at a time."""
    league = elimination(4)
    assert played(league) == [(0, (0, 3), 2), (0, (1, 2), 2), (1, (0, 1), 2)]
    assert league.blocks == [0, 4]
    assert places(league) == {0: 1, 1: 2, 2: 3, 3: 3}
    assert placing(league)[0].note == "winner"
    assert placing(league)[1].note == "lost the final to #0"


def test_the_best_seeds_have_the_byes() -> None:
    league = elimination(5, third_place=True)
    assert played(league) == [
        (0, (3, 4), 2),
        (1, (0, 3), 2), (1, (1, 2), 2),
        (2, (0, 1), 2), (2, (2, 3), 2),
    ]  # fmt: skip
    assert [(placed.entry, placed.place, placed.byes) for placed in placing(league)] == [
        (0, 1, 1), (1, 2, 1), (2, 3, 1), (3, 4, 0), (4, 5, 0),
    ]  # fmt: skip


def test_of_three_the_loser_of_the_only_semifinal_is_third() -> None:
    league = elimination(3, third_place=True)
    assert played(league) == [(0, (1, 2), 2), (1, (0, 1), 2)]
    assert places(league) == {0: 1, 1: 2, 2: 3}


def drawn(table: tuple[int, ...], rng: Random) -> tuple[int, ...]:
    del rng
    return (UNIT // 2,) * len(table)


def void(table: tuple[int, ...], rng: Random) -> None:
    del table, rng


@pytest.mark.parametrize("play", [drawn, void])
@pytest.mark.parametrize("extra", [0, 1, 2])
def test_where_nothing_decides_the_better_seed_goes_on(play: Play, extra: int) -> None:
    league = elimination(4, play=play, best_of=3, extra=extra)
    assert {matches for _, _, matches in played(league)} == {3 + extra}
    assert places(league) == {0: 1, 1: 2, 2: 3, 3: 3}
    extras = [pairing.why for pairing in league.pairings if "extra match" in pairing.why]
    assert len(extras) == 3 * extra


def in_turn(*shares_of_first: int) -> Play:
    """Return results of a table of two in hundredths of a share for the lower entry, match by match."""
    coming = iter(shares_of_first)

    def play(table: tuple[int, ...], rng: Random) -> tuple[int, ...]:
        del rng
        share = next(coming) * UNIT // 100
        return (share, UNIT - share) if table[0] < table[1] else (UNIT - share, share)

    return play


@pytest.mark.parametrize(
    ("shares", "winner"),
    [
        ((100, 100), 0),
        ((0, 100, 0), 1),
        ((75, 0, 75), 0),  # two matches are more than one, whatever the shares
        ((50, 50, 25), 1),
        ((50, 100, 0), 0),  # level in matches and shares: the extra match, and then the seed
        ((60, 0, 50), 1),  # level in matches: the shares
    ],
)
def test_matches_decide_then_shares(shares: tuple[int, ...], winner: int) -> None:
    league = elimination(2, play=in_turn(*shares, 50), best_of=3)
    assert places(league)[winner] == 1
    level = sum((share > 50) - (share < 50) for share in shares) == 0 and sum(shares) == 50 * len(shares)
    assert len(league.pairings) == len(shares) + level
    decided = " on seed" if level else " on share" if shares == (60, 0, 50) else ""
    assert placing(league)[1].note == f"lost the final to #{winner}{decided}"
    final = SCHEDULE.bracket(league.field, league.settings, league.results)[0].tables[0]
    assert final.decided_by == decided.removeprefix(" on ")


def test_an_extra_match_can_turn_it() -> None:
    assert places(elimination(2, play=in_turn(50, 50, 50, 0)))[1] == 1


def test_seeds_by_rating() -> None:
    starts = {0: Rating(20.0, 1.0), 1: Rating(30.0, 1.0), 2: Rating(30.0, 5.0), 3: Rating(25.0, 1.0)}
    field = Field((0, 1, 2, 3), (2,), starts=starts)
    league = Simulated(SCHEDULE, field, EliminationSettings(seeds="rating"), by_strength)
    assert [pairing.entries for pairing in league.pairings[:2]] == [(1, 0), (2, 3)]


@settings(max_examples=settings().max_examples // 2, deadline=None)
@given(st.integers(2, 20), st.integers(1, 4), st.booleans(), st.integers(0, 1000))
def test_everybody_but_the_winner_loses_once(entries: int, best_of: int, third: bool, seed: int) -> None:
    league = elimination(entries, play=by_chance, seed=seed, best_of=best_of, third_place=third)
    tables = played(league)
    with_third = third and entries > 3
    assert len(tables) == entries - 1 + with_third
    met = Counter(entry for _, table, _ in tables for entry in table)
    final = placing(league)
    for placed in final:
        assert met[placed.entry] == placed.points - placed.byes + (placed.place > 1) + (
            with_third and placed.place in (3, 4)
        )
    rounds = (entries - 1).bit_length()
    assert final[0].points == rounds
    assert sum(placed.byes for placed in final) == 2**rounds - entries
    assert all(placed.byes <= 1 for placed in final)
    assert all(1 <= matches <= best_of + 1 for _, _, matches in tables)


@pytest.mark.parametrize(
    ("entries", "seats", "keys", "sizes"),
    [
        (16, 4, {}, [[4, 4, 4, 4], [4, 4], [4]]),
        (18, 4, {}, [[4, 4, 4, 3, 3], [4, 3, 3], [3, 3], [4]]),
        (9, 3, {"go_on": 1}, [[3, 3, 3], [3]]),
        (9, 3, {}, [[3, 3, 3], [3, 3], [2, 2], [2]]),
        (25, 5, {"go_on": 1}, [[5, 5, 5, 5, 5], [5]]),
        (4, 6, {}, None),
    ],
)
def test_larger_tables(entries: int, seats: int, keys: dict[str, Any], sizes: list[list[int]] | None) -> None:
    if sizes is None:
        with pytest.raises(UsageError, match="cannot fill a table of 6 seats"):
            elimination(entries, seats)
        return
    league = elimination(entries, seats, best_of=1, **keys)
    tables: dict[int, list[int]] = {}
    for round_no, table, _ in played(league):
        tables.setdefault(round_no, []).append(len(table))
    assert [sorted(tables[round_no], reverse=True) for round_no in sorted(tables)] == sizes
    assert set(SCHEDULE.sizes(league.field, league.settings)) == {size for row in sizes for size in row}
    assert places(league)[0] == 1


def test_the_line_between_who_goes_on_and_who_does_not() -> None:
    """At a table of four two go on; a tie above or below the line is none that matters."""

    def shares(*by_entry: int) -> Callable[[tuple[int, ...], Random], tuple[int, ...]]:
        return lambda table, _rng: tuple(by_entry[entry % 4] * UNIT // 6 for entry in table)

    sure = elimination(8, 4, play=shares(5, 5, 1, 1), best_of=1)
    assert [matches for _, _, matches in played(sure)] == [1, 1, 2], (
        "in the last table the first place is open"
    )
    open_line = elimination(8, 4, play=shares(6, 3, 3, 0), best_of=1)
    assert [(table, matches) for _, table, matches in played(open_line)][:2] == [
        ((0, 3, 4, 7), 1),  # 6 and 6 go on, 0 and 0 do not
        ((1, 2, 5, 6), 2),  # all have 3
    ]


def test_seeds_are_spread_over_larger_tables() -> None:
    league = elimination(8, 4, best_of=1)
    assert [table for _, table, _ in played(league)] == [(0, 3, 4, 7), (1, 2, 5, 6), (0, 1, 2, 3)]


def test_the_total_is_told_where_it_is_known() -> None:
    field = Field(tuple(range(6)), (2,))
    assert SCHEDULE.total(field, EliminationSettings()) is None
    assert SCHEDULE.total(field, EliminationSettings(best_of=1, extra=0, third_place=True)) == 6
    assert SCHEDULE.total(Field(tuple(range(16)), (4,)), EliminationSettings(best_of=5, extra=0)) == 35


@pytest.mark.parametrize(
    ("field", "keys", "message"),
    [
        (Field((0, 1, 2), (2, 3)), {}, "tables of one size"),
        (Field((0, 1, 2), (3,)), {"third_place": True}, "third_place"),
        (Field((0, 1, 2), (2,)), {"go_on": 2}, "go_on"),
        (Field((0, 1, 2), (3,), {0: "a", 1: "b", 2: "a"}), {}, "^same_author"),
    ],
)
def test_what_does_not_fit_is_refused(field: Field, keys: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        SCHEDULE.check(field, EliminationSettings(**keys))


def test_a_tally_does_not_grow_with_the_matches_of_a_table() -> None:
    field = Field((0, 1), (2,))
    tally = SCHEDULE.tally(field, EliminationSettings())
    sizes = []
    for number in range(10_000):
        tally.add(Finished(number, 0, (0, 1), (UNIT * (number % 2), UNIT * (1 - number % 2)), 1))
        if number in (99, 9_999):
            sizes.append(len(pickle.dumps(tally)))
    assert sizes[1] < 1.2 * sizes[0]
