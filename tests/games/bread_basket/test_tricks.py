"""Sandwiches and soups (source 000), by hand and against the definition itself."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.games.bread_basket.state import NAMES, RANKS, gains, longest_trick, trick_start, worth
from tests.games.bread_basket.tables import cards, line, make, table, taken

lines = st.lists(st.integers(0, 11), max_size=14)
few_ranks = st.lists(st.sampled_from([0, 4, 5, 10, 11]), max_size=14)


@pytest.mark.parametrize(
    ("before", "card", "trick", "points", "after"),
    [
        ("5 4 3", "5", "sandwich", 9, ""),
        ("3 6 7 4", "3", "soup", 5, ""),
        ("2 4 5 1 2", "5", "sandwich", 5, "2 4"),
        ("O 3 1", "O", "soup", 4, ""),
        ("9 O 2", "9", "sandwich", -1, ""),
        ("C 9 9", "C", "sandwich", 20, ""),
        ("10 O O", "C", "sandwich", -8, ""),
        ("C 1 2 3", "10", "sandwich", 8, ""),
        ("9 10 C", "9", "soup", 4, ""),
        ("2 C 3 10", "2", "soup", 5, ""),
        ("6 5 7 5 1 2", "5", "sandwich", 5, "6 5 7"),
        ("1 7 2 6", "1", "soup", 5, ""),
    ],
)
def test_what_is_taken(before: str, card: str, trick: str, points: int, after: str) -> None:
    state = table(f"{card} 1", "1", line=before)
    state, events = make(state, card)
    in_the_trick = f"{before} {card}"[len(after) :].strip()
    assert taken(events) == [(trick, in_the_trick, points)]
    assert line(state) == after
    assert state.scores == [points, 0]


@given(lines)
def test_the_gain_of_each_rank_is_that_of_playing_it(before: list[int]) -> None:
    for card, rank in enumerate(RANKS):
        after = [*before, card]
        first = trick_start(after, len(before))
        assert gains(before)[rank] == (worth(after[first:])[1] if first >= 0 else 0)


@pytest.mark.parametrize(
    ("before", "card", "why"),
    [
        ("2 4 5 1", "2", "inside both higher and lower"),
        ("4 4 3", "4", "4-3-4 is too short, and 4-4-3-4 has a 4 inside"),
        ("4 3", "4", "three cards"),
        ("4", "4", "two cards"),
        ("", "4", "one card"),
        ("5 4 5 3", "5", "the end of a sandwich is inside"),
        ("3 6 3 7", "3", "the end of a soup is inside"),
        ("C 9 10 8", "C", "a 10 inside equals a Chef"),
        ("4 5 4 5", "4", "4-5-4 is too short both times"),
        ("5 1 2 3", "4", "the ends differ"),
        ("O O O", "O", "nothing but equal cards"),
    ],
)
def test_what_is_nothing(before: str, card: str, why: str) -> None:
    state, events = make(table(f"{card} 1", "1", line=before), card)
    assert taken(events) == [], why
    assert line(state) == f"{before} {card}".strip()
    assert state.scores == [0, 0]


def by_definition(row: Sequence[int], first: int, last: int) -> bool:
    """Whether the cards from first to last are a trick, in the words of the source."""
    ranks = [RANKS[card] for card in row[first : last + 1]]
    inside = ranks[1:-1]
    return (
        len(ranks) >= 4
        and ranks[0] == ranks[-1]
        and (all(rank < ranks[0] for rank in inside) or all(rank > ranks[0] for rank in inside))
    )


def all_tricks(row: Sequence[int]) -> list[tuple[int, int]]:
    return [
        (first, last) for last in range(len(row)) for first in range(last) if by_definition(row, first, last)
    ]


def without_tricks(row: list[int]) -> list[int]:
    """Return what is left of a row when tricks are taken until there is none."""
    while tricks := all_tricks(row):
        first, last = tricks[0]
        row = row[:first] + row[last + 1 :]
    return row


def best(tricks: list[tuple[int, int]]) -> tuple[int, int]:
    """Return the longest trick, of equally long ones the one nearest the front."""
    return min(tricks, key=lambda ends: (ends[0] - ends[1], ends[0]))


@given(lines | few_ranks)
def test_the_trick_that_ends_at_a_card(row: list[int]) -> None:
    for last in range(len(row)):
        starts = [first for first in range(last) if by_definition(row, first, last)]
        assert [first for first in [trick_start(row, last)] if first >= 0] == starts


@given(lines | few_ranks, st.data())
def test_the_trick_that_a_gap_makes(row: list[int], data: st.DataObject) -> None:
    """In any line without a trick: what is found once a card is out is the longest, the front one of equals."""
    row = without_tricks(row)
    if not row:
        return
    gap = data.draw(st.integers(0, len(row) - 1))
    del row[gap]
    tricks = all_tricks(row)
    assert longest_trick(row, gap) == (best(tricks) if tricks else None)


@given(few_ranks, st.data())
def test_the_ability_takes_trick_after_trick(row: list[int], data: st.DataObject) -> None:
    """After a Chef's ability no trick is left, and each one taken was the right one at its moment."""
    row = without_tricks(row)
    if not row:
        return
    position = data.draw(st.integers(0, len(row) - 1))
    _, events = make(table("C 4", "2 2", line=" ".join(NAMES[card] for card in row)), f"@{position}")
    del row[position]
    for event in events[1:]:
        first, last = best(all_tricks(row))
        assert event["position"] == first
        assert event["cards"] == [NAMES[card] for card in row[first : last + 1]]
        del row[first : last + 1]
    assert not all_tricks(row)


@given(lines | few_ranks)
def test_a_played_card_ends_the_only_trick(row: list[int]) -> None:
    """Play the cards one after another: at each moment at most one trick, and it ends the line."""
    played: list[int] = []
    for card in row:
        played.append(card)
        tricks = all_tricks(played)
        assert len(tricks) <= 1
        for first, last in tricks:
            assert last == len(played) - 1
            del played[first:]


@given(st.sampled_from(["O", "1", "5", "9", "10", "C"]), st.lists(st.integers(0, 11), min_size=2, max_size=9))
def test_the_worth_of_a_trick(end: str, inside: list[int]) -> None:
    row = [*cards(end), *inside, *cards(end)]
    if not by_definition(row, 0, len(row) - 1):
        return
    trick, points = worth(row)
    if RANKS[inside[0]] < RANKS[row[0]]:
        assert (trick, points) == ("sandwich", 2 + sum(RANKS[card] or -5 for card in inside))
    else:
        assert (trick, points) == ("soup", len(row))
