"""Who surely beats whom, and circles: by hand, and no more often wrong than promised."""

from itertools import count
from math import log

import pytest

from benchmarks.circles import SETTINGS, Setting, wrongly_told
from results.analysis.betting_test import STAKES, Meetings, Sureness, circles, claims, evidence
from results.base.scoring import UNIT


def needed(entries: int) -> int:
    """Return how many matches in a row are enough, by definition: the mean wealth reaches n (n − 1) / 5 %."""
    enough = entries * (entries - 1) / 0.05
    return next(k for k in count() if sum((1 + stake) ** k for stake in STAKES) / len(STAKES) >= enough)


def beats(*pairs: tuple[int, int], matches: int = 100) -> list[Meetings]:
    return [Meetings(one, other, matches, matches, 0) for one, other in pairs]


@pytest.mark.parametrize("entries", [2, 5, 40])
def test_by_hand_one_that_always_wins(entries: int) -> None:
    enough = needed(entries)
    assert claims([Meetings(7, 3, enough - 1, enough - 1, 0)], entries) == ()
    assert claims([Meetings(7, 3, enough, enough, 0)], entries) == (Meetings(7, 3, enough, enough, 0),)
    assert claims([Meetings(3, 7, enough + 4, 0, 4)], entries) == (Meetings(7, 3, enough + 4, enough, 4),)


def test_claims_are_those_that_a_settled_order_rests_on() -> None:
    """Bets on single games that are won, tied or lost are the same as those of `ordering`."""
    for above, tied, below in ((12, 3, 1), (9, 0, 0), (8, 0, 0), (40, 9, 20), (60, 0, 25), (0, 8, 11)):
        sureness = Sureness((1, 2), 0.05)
        for ahead, times in ((UNIT, above), (0, tied), (-UNIT, below)):
            for _ in range(times):
                sureness.add((1, 2), (max(ahead, 0), max(-ahead, 0)), 1)
        found = claims([Meetings(1, 2, above + tied + below, above, tied)], 2)
        if found:  # `Sureness` remembers that it was sure once, so it may claim more
            assert sureness.is_above(found[0].entry_no, found[0].opponent_no)
    assert evidence(9, 0) == pytest.approx(log(sum((1 + stake) ** 9 for stake in STAKES) / len(STAKES)))


def test_one_entry_claims_nothing() -> None:
    assert claims([], 1) == ()


def test_a_circle_of_three() -> None:
    assert circles(beats((2, 0), (0, 1), (1, 2))) == ((0, 1, 2),)


def test_an_order_has_no_circle() -> None:
    assert circles(beats(*((a, b) for a in range(6) for b in range(a + 1, 6)))) == ()


def test_of_the_circles_of_an_entry_a_shortest_is_told() -> None:
    """1, 2, 3, 4 go round, and 1, 2, 3 do too."""
    assert circles(beats((1, 2), (2, 3), (3, 4), (4, 1), (3, 1))) == ((1, 2, 3), (1, 2, 3, 4))


def test_clones_are_in_circles_of_their_own() -> None:
    """0 and 3 are rocks."""
    found = circles(beats((0, 1), (3, 1), (1, 2), (2, 0), (2, 3)))
    assert found == ((0, 1, 2), (1, 2, 3))


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS, ids=lambda one: one.words)
def test_claims_and_circles_are_hardly_ever_wrong(setting: Setting) -> None:
    """At most 5 % of leagues: of 100, fewer than 13 with a probability of 99.9 %."""
    wrong, circled = zip(*(wrongly_told(setting, number) for number in range(100)), strict=True)
    assert sum(wrong) < 13
    assert sum(circled) < 13


def test_tables_on_one_deal_are_one_bet_on_their_mean() -> None:
    """Two entries that meet at two tables of a deal, a win and a tie, have won by a half of a share."""
    together, by_hand = Sureness((1, 2, 3), 0.05), Sureness((1, 2, 3), 0.05)
    for _ in range(12):
        assert not together.is_above(1, 2)
        together.add_deal([((1, 2), (UNIT, 0), 1), ((2, 1), (UNIT // 2, UNIT // 2), 1)])
        by_hand.add((1, 2), (3 * UNIT // 4, UNIT // 4), 1)
        assert together.is_above(1, 2) == by_hand.is_above(1, 2)
    assert not together.is_above(1, 2)
    for _ in range(20):
        together.add_deal([((1, 2), (UNIT, 0), 1), ((2, 1), (UNIT // 2, UNIT // 2), 1)])
        by_hand.add((1, 2), (3 * UNIT // 4, UNIT // 4), 1)
    assert together.is_above(1, 2)
    assert by_hand.is_above(1, 2)
