"""Play in `shram` (source 004, settled): neighbours in rank, colours, costs, three and more players."""

import pytest

from arena.core.errors import IllegalMove
from arena.core.game import Outcome
from arena.games.bread_and_chocolate import GAME
from tests.games.bread_and_chocolate.tables import decision, hand, kinds, legal, make, only, table

RANKS = "23456789TJQKA"
COSTS = {
    "ranks": [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14],
    "note": [2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, 11],
}
MANY = "3c 3d 3h 3s 4c 4d 4s 5c 5h 5s 6c 6d 6h 6s"


@pytest.mark.parametrize("place", range(13))
def test_neighbours_in_rank_are_legal_and_nothing_else(place: int) -> None:
    """A 2 is lowest, an ace highest, and the circle is open between them."""
    top = RANKS[place]
    near = [RANKS[other] for other in (place - 1, place + 1) if 0 <= other < 13]
    state = table(" ".join(f"{rank}s" for rank in RANKS), "2c", rules="shram", up=f"{top}h")
    assert sorted(legal(state)) == sorted(f"{rank}s" for rank in near)


def test_the_same_rank_is_never_legal() -> None:
    state = table("8s 8d", "2c", rules="shram", up="8h")
    assert legal(state) == ["draw"]
    with pytest.raises(IllegalMove, match="8s on 8h: a card must be one above or one below the top"):
        make(state, "8s")


def test_an_ace_on_a_two_is_refused() -> None:
    with pytest.raises(IllegalMove, match="the ace above the king only"):
        make(table("As", "2c", rules="shram", up="2h"), "As")


@pytest.mark.parametrize(("card", "top"), [("9s", "8h"), ("7s", "8h"), ("9h", "8c"), ("7d", "8s")])
def test_another_colour_has_no_effect(card: str, top: str) -> None:
    state, events = make(table(f"{card} 2c", "Kc", rules="shram", up=top), card)
    assert events == [{"kind": "played", "seat": 0, "card": card, "effect": "none", "number": 0}]
    assert hand(state, 0) == "2c"


@pytest.mark.parametrize(("card", "top"), [("9s", "8c"), ("7s", "8s"), ("9h", "8d"), ("7d", "8h")])
def test_the_same_colour_draws_its_cost_above_and_below(card: str, top: str) -> None:
    state, events = make(table(f"{card} 2c", "Kc", rules="shram", up=top, stock=MANY), card)
    assert events[0] == {"kind": "played", "seat": 0, "card": card, "effect": "draw", "number": int(card[0])}
    assert hand(state, 0).split() == ["2c", *MANY.split()[: int(card[0])]]
    assert decision(state).seat == 1


@pytest.mark.parametrize("values", ["ranks", "note"])
@pytest.mark.parametrize("place", range(13))
def test_what_each_rank_costs(values: str, place: int) -> None:
    rank = RANKS[place]
    top = RANKS[place - 1] if place else "3"
    state, events = make(
        table(f"{rank}h 2c", "Kc", rules="shram", values=values, up=f"{top}d", stock=MANY), f"{rank}h"
    )
    assert events[0]["number"] == COSTS[values][place]
    assert len(state.held[0]) == 1 + COSTS[values][place]


def test_who_has_no_legal_play_draws_one_and_the_turn_goes_clockwise() -> None:
    state = table("2c", "Kc", "Qd", rules="shram", up="8h", stock="9s Td Tc")
    state, events = make(state, "draw", "draw", "draw")
    assert kinds(events) == ["stuck", "drew"] * 3
    assert [hand(state, seat) for seat in range(3)] == ["2c 9s", "Kc Td", "Qd Tc"]
    assert decision(state).seat == 0
    with pytest.raises(IllegalMove, match="a legal play must be made"):
        make(state, "draw")


def test_a_last_card_of_another_colour_goes_out() -> None:
    """Kc 13, Qd and 2h 14: the cheapest hand is nearest behind, and going out itself scores nothing."""
    state, events = make(table("9s", "Kc", "Qd 2h", rules="shram", up="8h"), "9s")
    assert only(events, "hand_ended") == {
        "kind": "hand_ended",
        "hand_no": 0,
        "winner": 0,
        "points": [0, -13, -14],
        "scores": [0, -13, -14],
    }
    outcome = GAME.turn(state)
    assert isinstance(outcome, Outcome)
    assert (outcome.scores, outcome.ranks) == ((0, -13, -14), (1, 2, 3))


def test_a_last_card_of_the_same_colour_does_not_go_out() -> None:
    state, events = make(table("9s", "Kc", rules="shram", up="8c"), "9s")
    assert "hand_ended" not in kinds(events)
    assert len(state.held[0]) == 7  # six of the stock, then the refilled 8c


def test_below_the_last_card_there_is_always_one_to_draw() -> None:
    """An empty stock is refilled with the card that was laid on, so the last card comes with another."""
    state, _ = make(table("9s", "Kc", rules="shram", up="8c", stock=""), "9s")
    assert hand(state, 0) == "8c"


def test_costs_at_the_limit() -> None:
    state = table("As Kd 2c", "Td", rules="shram", up="6h", turn_limit=40, turns=39, stock="5d 5c")
    _, events = make(state, "draw")
    assert only(events, "hand_ended")["points"] == [-14 - 13 - 2 - 5, -10]
    assert only(events, "hand_ended")["winner"] is None


def test_costs_at_the_limit_by_the_note() -> None:
    state = table(
        "As Kd 2c", "Td", rules="shram", values="note", up="6h", turn_limit=40, turns=39, stock="5d 5c"
    )
    _, events = make(state, "draw")
    assert only(events, "hand_ended")["points"] == [-11 - 10 - 2 - 5, -10]
