"""Going out, the turn limit, scores, and one hand after the other."""

import pytest

from arena.core.chance import Chance
from arena.core.game import Outcome
from arena.games.bread_and_chocolate import GAME
from arena.games.bread_and_chocolate.rules import NAMES
from tests.games.bread_and_chocolate.tables import decision, hand, kinds, make, only, piles, resolved, table

both = pytest.mark.parametrize("rules", ["pagat", "gamerules"])


@both
@pytest.mark.parametrize(
    ("card", "top"), [("Js", "Th"), ("Qs", "Jh"), ("Ks", "Qh"), ("Js", "Qh"), ("Ks", "Ah")]
)
def test_a_last_court_card_goes_out_above_or_below(rules: str, card: str, top: str) -> None:
    state, events = make(table(card, "9c 2c", rules=rules, up=top), card)
    assert only(events, "hand_ended")["winner"] == 0
    assert isinstance(GAME.turn(state), Outcome)


@both
def test_a_last_card_of_the_same_rank_goes_out(rules: str) -> None:
    _, events = make(table("8s", "9c 2c", rules=rules, up="8h"), "8s")
    assert only(events, "hand_ended")["winner"] == 0


@both
def test_a_last_card_one_above_draws_and_so_does_not_go_out(rules: str) -> None:
    state, events = make(table("9s", "Tc 2c", rules=rules, up="8h"), "9s")
    assert "hand_ended" not in kinds(events)
    assert state.held[0]


def test_a_draw_that_finds_nothing_goes_out() -> None:
    """`pagat`: one card in the stock is never drawn. `gamerules`: a reset that leaves one card ends the draw."""
    _, events = make(table("As", "Tc 2c", rules="pagat", up="Kh", stock="Ts"), "As")
    assert kinds(events) == ["played", "reset", "hand_ended"]
    assert only(events, "hand_ended")["winner"] == 0
    state, events = make(table("As", "Tc 2c", rules="gamerules", up="Kh", stock="Ts"), "As")
    assert kinds(events) == ["played", "reset", "drew", "reset"]
    assert hand(state, 0) == "Kh"


@both
def test_the_last_card_one_below_is_not_enough_for_its_discard(rules: str) -> None:
    assert decision(table("7s", "Tc", rules=rules, up="8h")).legal == ((2,),)


@both
def test_an_ace_and_one_card_go_out_on_a_two(rules: str) -> None:
    """All left must go, though a discard is a decision: forced."""
    state, _ = make(table("As 5c", "9c 2c 3c", rules=rules, up="2d"), "As")
    assert decision(state).forced
    state, events = make(state, "- 5c")
    assert only(events, "hand_ended") == {
        "kind": "hand_ended",
        "hand_no": 0,
        "winner": 0,
        "points": [10, -3],
        "scores": [10, -3],
    }


@both
def test_the_one_who_goes_out_scores_the_option_and_the_other_counts_cards(rules: str) -> None:
    state = table("Js", "9c 2c", rules=rules, up="Th", going_out=7, scores=[-20, 30])
    state, _ = make(state, "Js")
    outcome = GAME.turn(state)
    assert isinstance(outcome, Outcome)
    assert (outcome.scores, outcome.ranks) == ((-13, 28), (2, 1))


@both
def test_at_the_limit_nobody_has_the_ten(rules: str) -> None:
    state = table("5c 4c", "9c", rules=rules, up="Kd", turns=499)
    _, events = make(state, "draw")
    assert only(events, "hand_ended") == {
        "kind": "hand_ended",
        "hand_no": 0,
        "winner": None,
        "points": [-3, -1],
        "scores": [-3, -1],
    }


@both
def test_the_last_turn_before_the_limit_is_played_and_may_win(rules: str) -> None:
    _, events = make(table("5c", "9c", rules=rules, up="Kd", turns=498), "draw")
    assert "hand_ended" not in kinds(events)
    _, events = make(table("Js", "9c", rules=rules, up="Td", turns=499), "Js")
    assert only(events, "hand_ended")["winner"] == 0


@both
def test_a_discard_belongs_to_the_last_turn(rules: str) -> None:
    state, events = make(table("2c Ac 3c 4c", "9c", rules=rules, up="3h", turns=499), "2c")
    assert kinds(events) == ["played"]
    _, events = make(state, "- Ac 3c")
    assert only(events, "hand_ended")["points"] == [-1, -1]


@both
def test_equal_scores_share_the_rank(rules: str) -> None:
    state, _ = make(table("5c 4c", "9c 3c Jc", rules=rules, up="Kd", turns=499), "draw")
    outcome = GAME.turn(state)
    assert isinstance(outcome, Outcome)
    assert (outcome.scores, outcome.ranks) == ((-3, -3), (1, 1))


@both
def test_the_next_hand_is_dealt_at_once_by_the_other(rules: str) -> None:
    """Hand 1 is dealt by seat 0: seat 1 gets the first card and acts first."""
    deck = " ".join(NAMES)
    state, events = make(table("Js", "9c 2c", rules=rules, up="Th", later=[deck]), "Js", seen_by=1)
    assert kinds(events) == ["played", "hand_ended", "dealt"]
    assert events[-1] == {
        "kind": "dealt",
        "hand_no": 1,
        "dealer": 0,
        "held": [6, 6],
        "up": "4d",
        "stock": 38,
        "hand": ["Ac", "Ah", "2c", "2h", "3c", "3h"],
    }
    assert hand(state, 0) == "Ad As 2d 2s 3d 3s"
    assert piles(state) == ("4d", "4c", " ".join(NAMES[14:]))
    assert (decision(state).seat, decision(state).kind) == (1, "opening")
    assert (state.turns, state.spread, state.scores) == (0, False, [10, -2])


@pytest.mark.parametrize("seats", range(2, 6))
def test_cards_are_dealt_one_at_a_time_beginning_left_of_the_dealer(seats: int) -> None:
    decks = {f"deck/{hand_no}": NAMES for hand_no in range(seats)}
    state, events = GAME.deal(seats, resolved("shram", seats), Chance(record=decks))
    for seat in range(seats):
        assert hand(state, seat).split() == list(NAMES[seat : 6 * seats : seats])
        assert events[0].seen_by(seat)["hand"] == list(NAMES[seat : 6 * seats : seats])
    assert piles(state) == (
        NAMES[6 * seats + 1],
        NAMES[6 * seats],
        " ".join(NAMES[6 * seats + 2 :]),
    )
    assert events[0].data["dealer"] == seats - 1
    assert decision(state).seat == 0
