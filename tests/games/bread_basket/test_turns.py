"""The course of a turn and of a hand (source 000): one card or two, stopping, skipping, refilling, ending."""

import pytest

from arena.core.errors import IllegalMove
from arena.core.game import Outcome
from arena.games.bread_basket import GAME
from tests.games.bread_basket.tables import decision, hand, kinds, legal, line, make, table, taken


def test_a_turn_of_one_card_and_a_stop() -> None:
    state, events = make(table("7 3", "2 2", line="5"), "7")
    assert (state.to_move, decision(state).kind) == (0, "second_card")
    assert GAME.view(state, None)["played"] == ["7"]
    state, more = make(state, "stop")
    assert [*events, *more] == [
        {"kind": "played", "seat": 0, "card": "7"},
        {"kind": "stopped", "seat": 0},
    ]
    assert (state.to_move, decision(state).kind) == (1, "first_card")
    assert GAME.view(state, None)["played"] == []
    assert line(state) == "5 7"
    assert hand(state, 0) == "3"


def test_a_turn_of_two_cards_ends_by_itself() -> None:
    state, events = make(table("7 3 1", "2 2", line="5"), "7", "3")
    assert kinds(events) == ["played", "played"]
    assert state.to_move == 1
    assert line(state) == "5 7 3"


def test_a_second_card_may_follow_a_trick() -> None:
    state, events = make(table("5 3 1", "2 2", line="6 5 4 3"), "5", "3")
    assert kinds(events) == ["played", "taken", "played"]
    assert line(state) == "6 3"
    assert state.to_move == 1


def test_both_cards_of_a_turn_may_take_a_trick() -> None:
    state, events = make(table("5 9 1", "2 2", line="9 8 7 5 1 2"), "5", "9")
    assert taken(events) == [("sandwich", "5 1 2 5", 5), ("sandwich", "9 8 7 9", 17)]
    assert state.scores == [22, 0]


def test_the_second_card_is_decided_with_the_new_card_shown() -> None:
    state, events = make(table("5 3 1", "2 2", line="5 4 3", stock="8 6"), "5")
    assert events[-1] == {"kind": "refilled", "card": "8", "stock": 1}
    assert (state.to_move, decision(state).kind) == (0, "second_card")
    assert line(state) == "8"
    assert legal(state) == ["1", "3", "stop"]


def test_an_emptied_line_gets_one_card_of_the_stock_at_a_time() -> None:
    _, events = make(table("5 5 1", "2 2", line="5 4 3", stock="8 6"), "5")
    assert events == [
        {"kind": "played", "seat": 0, "card": "5"},
        {
            "kind": "taken",
            "seat": 0,
            "trick": "sandwich",
            "position": 0,
            "cards": ["5", "4", "3", "5"],
            "points": 9,
        },
        {"kind": "refilled", "card": "8", "stock": 1},
    ]


def test_an_emptied_line_stays_empty_without_a_stock() -> None:
    state, events = make(table("5 C 1", "2 C", line="5 4 3"), "5")
    assert kinds(events) == ["played", "taken"]
    assert line(state) == ""
    state, events = make(state, "stop")
    assert legal(state) == ["2", "C"]
    state, events = make(state, "2")
    assert line(state) == "2"


def test_the_last_card_ends_the_turn() -> None:
    state, events = make(table("7", "2 2", line="5"), "7")
    assert kinds(events) == ["played"]
    assert state.to_move == 1


def test_the_last_two_cards_are_one_turn() -> None:
    state, _ = make(table("7 3", "2 2", line="5"), "7")
    assert legal(state) == ["3", "stop"]
    state, _ = make(state, "3")
    assert state.to_move == 1


def test_stopping_is_never_forced_and_always_a_choice_after_the_first_card() -> None:
    state, _ = make(table("7 3 3", "2", line="5"), "7")
    assert legal(state) == ["3", "stop"]
    assert not decision(state).forced


def test_players_without_cards_are_skipped() -> None:
    state = table("7 7 1", "", "4 1", "", line="5")
    state, _ = make(state, "7", "stop")
    assert state.to_move == 2
    state, _ = make(state, "4", "stop")
    assert state.to_move == 0


def test_the_last_player_has_several_turns_in_a_row() -> None:
    state = table("", "9 8 2 1 1", "", line="5")
    state.to_move = 1
    for moves in (("9", "stop"), ("8", "2"), ("1", "stop")):
        state, events = make(state, *moves)
        assert state.to_move == 1
        assert decision(state).kind == "first_card"
    state, events = make(state, "1")
    assert kinds(events) == ["played", "hand_ended"]


def test_a_single_card_is_forced() -> None:
    state = table("7 7", "2", line="5")
    assert legal(state) == ["7"]
    assert decision(state).forced
    state = table("C", "2", line="")
    assert legal(state) == ["C"]
    assert decision(state).forced


def test_legal_moves_are_in_canonical_order_and_identical_cards_once() -> None:
    state = table("C 10 9 1 O 9 C 2", "1", line="5 3")
    assert legal(state) == ["O", "1", "2", "9", "10", "C", "@0", "@1"]
    state, _ = make(state, "9")
    assert legal(state) == ["O", "1", "2", "9", "10", "C", "stop"]


def test_of_identical_cards_the_first_leaves_the_hand() -> None:
    state, _ = make(table("9 1 9 2", "1", line="5"), "9")
    assert hand(state, 0) == "1 9 2"


def test_a_hand_ends_when_nobody_holds_a_card() -> None:
    state = table("7", "3", line="5 8", stock="1 1 1", scores=[4, 6])
    state, events = make(state, "7", "3")
    assert events[-1] == {"kind": "hand_ended", "hand_no": 0, "points": [0, 0], "scores": [4, 6]}
    assert GAME.turn(state) == Outcome(scores=(4, 6), ranks=(2, 1))
    assert GAME.view(state, None)["turn"] is None


def test_the_line_is_refilled_even_by_the_last_card_of_a_hand() -> None:
    state, events = make(table("5", "", line="5 4 3", stock="8 6", scores=[1, 30]), "5")
    assert kinds(events) == ["played", "taken", "refilled", "hand_ended"]
    assert events[-1]["points"] == [9, 0]
    assert events[-1]["scores"] == [10, 30]
    assert line(state) == "8"


def test_what_is_left_in_the_line_scores_nothing() -> None:
    state, _ = make(table("9", "", line="9 8 C 7"), "9")
    assert GAME.turn(state) == Outcome(scores=(0, 0), ranks=(1, 1))


def test_equal_totals_share_the_rank() -> None:
    state, _ = make(table("1", "", "", "", line="5", scores=[3, 9, 3, -2]), "1")
    assert GAME.turn(state) == Outcome(scores=(3, 9, 3, -2), ranks=(2, 1, 2, 4))


@pytest.mark.parametrize(
    ("moves", "message"),
    [
        (("stop",), "a turn has one or two cards: stopping is possible only after the first"),
        (("8",), "a card is played from the hand, which holds no 8"),
        (("7", "7"), "a card is played from the hand, which holds no 7"),
        (("10",), "a card is played from the hand, which holds no 10"),
        (("@0",), "a Chef's ability needs a Chef, and the hand holds none"),
    ],
)
def test_refused_moves_name_the_rule(moves: tuple[str, ...], message: str) -> None:
    with pytest.raises(IllegalMove) as refusal:
        make(table("7 3 1", "2 2", line="5"), *moves)
    assert str(refusal.value) == message


def test_only_the_seat_whose_turn_it_is_moves() -> None:
    state = table("7 3 1", "2 2", line="5")
    for refuse in (
        lambda: GAME.parse_move(state, 1, {"type": "play", "card": "2"}),
        lambda: GAME.apply(state, {1: 2}),
    ):
        with pytest.raises(IllegalMove) as refusal:
            refuse()
        assert str(refusal.value) == "it is the turn of seat 0, not of seat 1"
    with pytest.raises(IllegalMove, match="one seat moves at a time, and there are 2 moves"):
        GAME.apply(state, {0: 7, 1: 2})
    with pytest.raises(IllegalMove, match="one seat moves at a time, and there are 0 moves"):
        GAME.apply(state, {})


def test_nobody_moves_after_the_end() -> None:
    state, _ = make(table("1", "", line="5"), "1")
    with pytest.raises(IllegalMove) as refusal:
        GAME.parse_move(state, 0, {"type": "stop"})
    assert str(refusal.value) == "the game is over"
