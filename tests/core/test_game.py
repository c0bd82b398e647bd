"""Decisions, events and ranks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.core.game import Decision, Event, ranks_of, ranks_with_faults

SCORES = st.lists(st.integers(-20, 20), min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("legal", "forced"), [((1,), True), ((1, 2), False), (None, False)], ids=["one", "two", "composed"]
)
def test_a_decision_with_one_legal_move_is_forced(legal: tuple[int, ...] | None, forced: bool) -> None:
    assert Decision(0, "play", legal).forced is forced


def test_an_event_shows_each_seat_its_own_side() -> None:
    event = Event("dealt", {"counts": [2, 2], "card": None}, {1: {"hand": ["7"], "card": "9"}})
    public = {"kind": "dealt", "counts": [2, 2], "card": None}
    assert event.seen_by(None) == public
    assert event.seen_by(0) == public
    assert event.seen_by(1) == {"kind": "dealt", "counts": [2, 2], "card": "9", "hand": ["7"]}


def test_what_is_seen_of_an_event_is_ones_own() -> None:
    event = Event("dealt", {"counts": 2})
    event.seen_by(0)["counts"] = 3
    assert event.seen_by(0) == {"kind": "dealt", "counts": 2}


@pytest.mark.parametrize(
    ("scores", "ranks"),
    [
        ((5,), (1,)),
        ((3, 9), (2, 1)),
        ((9, 3, 9), (1, 3, 1)),
        ((9, 5, 5, 1), (1, 2, 2, 4)),
        ((0, 0, 0), (1, 1, 1)),
        ((-3, -1, -2), (3, 1, 2)),
    ],
)
def test_equal_scores_share_a_rank(scores: tuple[int, ...], ranks: tuple[int, ...]) -> None:
    assert ranks_of(scores) == ranks


@given(SCORES)
def test_a_rank_is_one_more_than_the_seats_above(scores: list[int]) -> None:
    ranks = ranks_of(scores)
    assert min(ranks) == 1
    for score, rank in zip(scores, ranks, strict=True):
        assert sum(other < rank for other in ranks) == rank - 1
        assert sum(other > score for other in scores) == rank - 1


@pytest.mark.parametrize(
    ("scores", "faults", "ranks"),
    [
        ((9, 3, 5), {}, (1, 3, 2)),
        ((9, 3, 5), {0: 12}, (3, 2, 1)),
        ((9, 3, 5, 5), {0: 12, 2: 7}, (3, 2, 4, 1)),
        ((9, 3, 5, 5), {0: 7, 2: 7}, (3, 2, 3, 1)),
        ((9, 3), {0: 0, 1: 0}, (1, 1)),
        ((9, 3), {0: 0, 1: 4}, (2, 1)),
        ((5, 5, 5), {1: 3}, (1, 3, 1)),
    ],
)
def test_faulted_seats_rank_below_all_others_the_earlier_lower(
    scores: tuple[int, ...], faults: dict[int, int], ranks: tuple[int, ...]
) -> None:
    assert ranks_with_faults(scores, faults) == ranks


@given(SCORES)
def test_without_faults_both_rankings_agree(scores: list[int]) -> None:
    assert ranks_with_faults(scores, {}) == ranks_of(scores)
