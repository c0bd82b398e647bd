"""The market (source 002, settled): rankings, the scramble, the grab order."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.core.errors import IllegalMove
from arena.games.sandwich import GAME
from arena.games.sandwich.transitions import scramble
from tests.games.sandwich.tables import all_grab, game, grabs, hand, kinds, make, to


def got(rankings: Sequence[Sequence[int]], order: Sequence[int], own_last: bool) -> list[int]:
    return scramble(dict(enumerate(rankings)), order, own_last)


# `last`: only as the last card left


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (1, 0, 3, 2), (3, 2, 1, 0)])
@pytest.mark.parametrize("wishes", [(0, 1), (1, 0)])
def test_last_two_left_with_their_own_cards_swap_whatever_they_want(
    order: tuple[int, ...], wishes: tuple[int, int]
) -> None:
    """Seats 2 and 3 take each other's cards; 0 and 1 both rank their wishes first and have to swap."""
    first, second = wishes
    rankings = [[first, second, 2, 3], [second, first, 2, 3], [3, 0, 1, 2], [2, 0, 1, 3]]
    assert got(rankings, order, own_last=True) == [1, 0, 3, 2]


def test_last_the_later_one_may_be_left_its_own_card() -> None:
    """Card 1 goes to seat 2 at once. Seats 0 and 1 are left, and cards 0 and 2: both rank card 2 first."""
    rankings = [[2, 1, 0], [2, 0, 1], [1, 0, 2]]
    assert got(rankings, (0, 1, 2), own_last=True) == [2, 0, 1]
    assert got(rankings, (1, 0, 2), own_last=True) == [0, 2, 1]


def test_last_own_card_is_passed_over_even_if_nobody_wants_it() -> None:
    rankings = [[0, 1, 2], [2, 0, 1], [0, 1, 2]]
    assert got(rankings, (0, 1, 2), own_last=True) == [1, 2, 0]


# `after_others`: own card if nobody else reaches for it at the same time


def test_after_others_own_card_that_nobody_else_wants() -> None:
    assert got([[0, 1, 2], [2, 0, 1], [1, 0, 2]], (2, 1, 0), own_last=False) == [0, 2, 1]


def test_after_others_the_owner_is_behind_all_others() -> None:
    """Seats 0 and 1 want card 0: its owner gets it only where the other has got something already."""
    assert got([[0, 1, 2], [0, 1, 2], [2, 0, 1]], (0, 1, 2), own_last=False) == [1, 0, 2]


@pytest.mark.parametrize(
    ("order", "first"),
    [((0, 1, 2, 3), 1), ((1, 2, 3, 0), 1), ((3, 0, 1, 2), 3), ((0, 3, 1, 2), 3), ((2, 0, 1, 3), 2)],
)
def test_all_want_the_same_card(order: tuple[int, ...], first: int) -> None:
    """Card 0 goes to the first in grab order, or if that is its owner, seat 0, to the second."""
    assert got([[0, 1, 2, 3]] * 4, order, own_last=False)[first] == 0


def test_all_with_one_ranking_are_served_in_grab_order() -> None:
    """Round by round: card 0 to seat 2, card 1 to seat 0, card 2 to the owner's rival 3, card 3 to seat 1."""
    assert got([[0, 1, 2, 3]] * 4, (2, 0, 3, 1), own_last=False) == [1, 3, 0, 2]


def test_reaches_are_made_at_the_same_time() -> None:
    """Seat 1 is first in grab order but reaches for card 0 only after it lost card 2, and then it is gone."""
    rankings = [[1, 0, 2], [2, 0, 1], [2, 0, 1]]
    assert got(rankings, (1, 2, 0), own_last=False) == [1, 2, 0]
    rankings = [[1, 0, 2], [0, 2, 1], [0, 1, 2]]
    assert got(rankings, (2, 1, 0), own_last=False) == [1, 2, 0]


def by_the_book(rankings: list[list[int]], order: list[int], own_last: bool) -> list[int]:
    """Scramble by the rule's own words, without any cleverness: who reaches, who gets, repeat."""
    seats = range(len(rankings))
    taken: dict[int, int] = {}
    while len(taken) < len(rankings):
        left = [card for card in seats if card not in taken.values()]
        reaches = {}
        for seat in seats:
            if seat not in taken:
                wanted = [card for card in rankings[seat] if card in left]
                if own_last and len(left) > 1:
                    wanted = [card for card in wanted if card != seat]
                reaches[seat] = wanted[0]
        for card in left:
            reachers = [seat for seat in order if reaches.get(seat) == card]
            others = [seat for seat in reachers if seat != card]
            if reachers:
                taken[(others or reachers)[0]] = card
    return [taken[seat] for seat in seats]


@given(st.data())
def test_the_scramble_follows_the_rule_word_for_word(data: st.DataObject) -> None:
    seats = data.draw(st.integers(3, 8))
    rankings = [data.draw(st.permutations(range(seats))) for _ in range(seats)]
    order = data.draw(st.permutations(range(seats)))
    own_last = data.draw(st.booleans())
    found = got(rankings, order, own_last)
    assert found == by_the_book(rankings, order, own_last)
    assert sorted(found) == list(range(seats))


# At the table


def test_the_first_in_grab_order_goes_to_the_end_after_each_turn() -> None:
    state = game(4, orders={0: [2, 0, 3, 1]})
    orders = []
    while state.phase == "grab":
        orders.append(GAME.view(state, 0)["grab_order"])
        state, _ = make(state, all_grab(state))
    assert orders[:5] == [[2, 0, 3, 1], [0, 3, 1, 2], [3, 1, 2, 0], [1, 2, 0, 3], [2, 0, 3, 1]]
    assert len(orders) == 9
    assert GAME.view(state, 0)["grab_order"] == [2, 0, 3, 1]


def test_taken_cards_lie_open_before_their_takers() -> None:
    state = game(3, decks={0: "ham tuna brie apple jam snail"})
    assert GAME.view(state, 2)["market"] == ["ham", "tuna", "brie"]
    state, events = make(state, grabs({0: [2, 1, 0], 1: [2, 0, 1], 2: [1, 2, 0]}))
    assert events[0] == {"kind": "grabbed", "market_turn": 0, "taken": ["brie", "ham", "tuna"]}
    assert kinds(events) == ["grabbed", "turned_up"]
    assert events[1]["market"] == ["apple", "jam", "snail"]
    assert events[1]["grab_order"] == [1, 2, 0]
    assert GAME.view(state, None)["hands"] == [["brie"], ["ham"], ["tuna"]]


def test_every_seat_decides_at_once_and_ranks_all_cards() -> None:
    state = game(4)
    turn = GAME.turn(state)
    assert isinstance(turn, tuple)
    assert [(one.seat, one.kind, one.legal) for one in turn] == [(seat, "grab", None) for seat in range(4)]


@pytest.mark.parametrize(
    ("order", "reason"),
    [
        ([0, 1, 2], "3 is left out"),
        ([0, 1, 2, 3, 0], "0 is there twice"),
        ([0, 1, 2, 2], "2 is there twice"),
        ([0, 1, 2, 4], "there is no 4"),
        ([0, 1, 2, -1], "there is no -1"),
        ([0, 1, 2, True], "a whole number, not true"),
        ([0, 1, 2, 3.0], "a whole number, not 3.0"),
        ("0123", 'a list of positions of the market, not "0123"'),
    ],
)
def test_a_grab_that_is_no_ranking_is_refused(order: object, reason: str) -> None:
    with pytest.raises(IllegalMove, match=reason):
        GAME.parse_move(game(4), 1, {"type": "grab", "order": order})


def test_nine_turns_make_hands_of_nine_and_with_three_players_twelve_of_twelve() -> None:
    four, three = to("serve", game(4)), to("serve", game(3))
    assert [len(cards) for cards in four.hands] == [9] * 4
    assert [len(cards) for cards in three.hands] == [12] * 3
    assert hand(four, 0).split()[0] == "salami"
