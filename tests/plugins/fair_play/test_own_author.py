"""Bots of one author at one table: what they take there is held against their results elsewhere."""

from itertools import combinations

import numpy as np
import pytest
from arena_fair_play.own_author import own_author

from benchmarks.authors import HONEST, POWER, is_wrongly_flagged, with_author, with_puppets
from benchmarks.coalitions import Rows, league

TWO = {0: "ann", 1: "ann", 2: "bo", 3: "cy"}
"""0 and 1 are by ann; 4 is a reference bot."""


def match(match_no: int, *order: int) -> list[list[int]]:
    """Return a match of one game, which ended in this order."""
    return [[match_no, 0, seat, entry, 1 + seat, -seat, 0] for seat, entry in enumerate(order)]


def rows(*matches: tuple[int, ...], first: int = 0) -> Rows:
    """Return matches of one game each, which ended in these orders."""
    return np.array(
        [row for number, order in enumerate(matches, first) for row in match(number, *order)], dtype=np.int64
    )


def even(entries: int, times: int, apart: dict[int, str]) -> list[tuple[int, ...]]:
    """Return matches in which every two of different authors win equally often."""
    pairs = [pair for pair in combinations(range(entries), 2) if apart.get(pair[0]) != apart.get(pair[1], "")]
    return [pair[::step] for pair in pairs for step in (1, -1) for _ in range(times)]


def test_by_hand() -> None:
    """All are level, and 0 wins all 20 matches against 1: half a share more than expected, and 1 as much less.

    Luck of 20 matches is 0.5 / √20 = 0.11; strengths from 120 others add little to that.
    """
    found = own_author([rows(*even(5, 20, TWO), *[(0, 1)] * 20)], [], TWO)
    assert [one.entry_no for one in found] == [0, 1], "nobody else's author has several"
    first, second = found
    assert (first.matches, first.matches_rated, first.share) == (20, 20, 1)
    assert (first.matches_others, first.share_others) == (120, 0.5)
    assert first.expected == pytest.approx(0.5)
    assert first.difference == pytest.approx(0.5)
    assert first.error == pytest.approx(0.129, abs=0.01)
    assert second.share == 0
    assert second.difference == pytest.approx(-0.5)
    assert [first.is_flagged, second.is_flagged] == [True, True]


def test_what_is_not_rated_is_compared_too_and_changes_no_expectation() -> None:
    others = even(5, 20, TWO)
    unrated = rows(*[(0, 1)] * 20, first=len(others))
    found = own_author([rows(*others)], [unrated], TWO)
    assert (found[0].matches, found[0].matches_rated, found[0].matches_others) == (20, 0, 120)
    assert found[0].difference == pytest.approx(0.5)
    alike = own_author([np.concatenate([rows(*others), unrated])], [], TWO)
    assert [(one.difference, one.chance) for one in found] == [(one.difference, one.chance) for one in alike]


def test_a_strong_bot_that_beats_a_weak_one_of_its_author_is_not_unusual() -> None:
    """Against all others, 0 wins 9 of 10 and 1 loses as many: 0 should win 81 of 82 against 1, and wins all 40."""
    others = [
        match
        for other in (2, 3, 4)
        for match in [(0, other)] * 36 + [(other, 0)] * 4 + [(other, 1)] * 36 + [(1, other)] * 4
    ]
    among = [(one, other) for one in (2, 3, 4) for other in (2, 3, 4) if one != other] * 10
    first, second = own_author([rows(*others, *among, *[(0, 1)] * 40)], [], TWO)
    assert (first.share, second.share) == (1, 0)
    assert first.expected == pytest.approx(81 / 82, abs=0.005)
    assert [first.is_flagged, second.is_flagged] == [False, False]


def test_with_too_few_matches_nothing_is_said() -> None:
    few = own_author([rows(*even(5, 20, TWO), *[(0, 1)] * 7)], [], TWO)
    assert [(one.matches, one.difference, one.is_flagged) for one in few] == [(7, None, False)] * 2
    alone = own_author([rows(*even(5, 1, TWO), *[(0, 1)] * 20)], [], TWO)
    assert [one.difference for one in alone] == [None] * 2, "6 matches with others don't tell what to expect"
    assert own_author([], [], {}) == ()
    unplayed = own_author([], [rows((0, 1))], TWO)
    assert [(one.matches, one.matches_rated, one.difference) for one in unplayed] == [(1, 0, None)] * 2
    assert [one.matches for one in own_author([rows((2, 3))], [], TWO)] == [0, 0]


def test_two_that_share_the_gain_at_tables_of_three_are_found() -> None:
    """0 and 1 always finish above the third; at other tables all are level."""
    apart = [
        order for table in combinations(range(8), 3) if not {0, 1} <= set(table) for order in turned(table)
    ]
    own = [order for third in range(2, 8) for order in ((0, 1, third), (1, 0, third))]
    found = own_author([rows(*apart * 4, *own * 8)], [], TWO)
    assert [one.share for one in found] == [0.75, 0.75]
    assert [one.expected for one in found] == [pytest.approx(0.5, abs=0.01)] * 2
    assert all(one.is_flagged for one in found)


def turned(table: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [table[at:] + table[:at] for at in range(len(table))]


def test_a_bot_with_puppets_is_found_and_nobody_else() -> None:
    rng = np.random.default_rng(1)
    found = with_author(with_puppets(league(POWER._replace(matches=1200), rng), 6, 1.0, rng), 6)
    assert found[0].is_flagged
    assert found[0].difference == pytest.approx(0.5, abs=0.1)
    assert not any(one.is_flagged for one in found[7:])


def test_the_order_of_rows_and_the_numbers_of_entries_make_no_difference() -> None:
    played = rows(*even(5, 20, TWO), *[(0, 1)] * 15, *[(1, 0)] * 5)
    mixed = played[np.random.default_rng(2).permutation(len(played))]
    assert own_author([played], [], TWO) == own_author([mixed], [], TWO)
    other = played.copy()
    other[:, 3] = 9 - played[:, 3]
    turned_round = own_author([other], [], {9 - number: author for number, author in TWO.items()})
    assert [one.difference for one in turned_round] == [
        pytest.approx(one.difference) for one in reversed(own_author([played], [], TWO))
    ]


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(HONEST)), ids=lambda number: HONEST[number][0].words)
def test_honest_leagues_are_hardly_ever_flagged(number: int) -> None:
    """At most 5 % of leagues: of 30, fewer than 7 with a probability of 99.9 %; the benchmark has the figures."""
    assert sum(is_wrongly_flagged(number, at) for at in range(30)) < 7
