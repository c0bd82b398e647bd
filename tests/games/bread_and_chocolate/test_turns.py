"""Turns in `pagat` and `gamerules`: one above, one below, the same rank, drawing (sources 001, 003, settled)."""

import pytest

from arena.core.errors import IllegalMove
from arena.core.game import Outcome
from arena.games.bread_and_chocolate import GAME
from tests.games.bread_and_chocolate.tables import (
    cards,
    decision,
    hand,
    kinds,
    legal,
    make,
    only,
    piles,
    table,
)

both = pytest.mark.parametrize("rules", ["pagat", "gamerules"])

RANKS = "A23456789TJQK"


@both
def test_one_above_is_laid_and_its_number_drawn(rules: str) -> None:
    state, events = make(
        table("9s 2c", "Kd Kc", rules=rules, up="8h", stock="Ac 2d 3d 4d 5d 6d 7d 8d 9d Td Jd Qd"), "9s"
    )
    assert hand(state, 0) == "2c Ac 2d 3d 4d 5d 6d 7d 8d 9d"
    assert piles(state) == ("8h 9s", "2h", "Td Jd Qd")
    assert events == [
        {"kind": "played", "seat": 0, "card": "9s", "effect": "draw", "number": 9},
        {"kind": "drew", "seat": 0, "count": 9, "stock": 3},
    ]
    assert decision(state).seat == 1


@both
def test_one_below_is_laid_and_its_number_discarded(rules: str) -> None:
    state, events = make(table("3c Ac Kc Qc Jc", "Kd Kc", rules=rules, up="4h"), "3c")
    assert events == [{"kind": "played", "seat": 0, "card": "3c", "effect": "discard", "number": 3}]
    assert (decision(state).seat, decision(state).kind, decision(state).legal) == (0, "discard", None)
    state, events = make(state, "- Jc Ac Kc")
    assert hand(state, 0) == "Qc"
    assert piles(state)[1] == "2h Jc Ac Kc"
    assert events == [{"kind": "discarded", "seat": 0, "count": 3, "down_count": 4}]
    assert (decision(state).seat, state.turns) == (1, 1)


@both
@pytest.mark.parametrize(("number", "rank"), list(enumerate(RANKS, start=1)))
def test_what_each_rank_draws_when_one_above(rules: str, number: int, rank: str) -> None:
    top = RANKS[number - 2]
    state, _ = make(
        table(f"{rank}s {rank}c", "Kd", rules=rules, up=f"{top}h", stock=" ".join(f"{r}d" for r in RANKS)),
        f"{rank}s",
    )
    assert len(state.held[0]) == 1 + (number if number <= 10 else 0)


@both
@pytest.mark.parametrize(("number", "rank"), list(enumerate(RANKS, start=1)))
def test_what_each_rank_discards_when_one_below(rules: str, number: int, rank: str) -> None:
    top = RANKS[number % 13]
    others = " ".join(f"{other}d" for other in RANKS)
    state, _ = make(table(f"{rank}s {others}", "Kd", rules=rules, up=f"{top}h"), f"{rank}s")
    owed = GAME.view(state, 0)["discard"]
    assert owed == (number if number <= 10 else 0)
    assert decision(state).seat == (0 if owed else 1)


@both
def test_a_card_one_below_needs_as_many_cards_as_its_number(rules: str) -> None:
    state = table("7c Ac 2c 3c 4c 5c", "Kd", rules=rules, up="8h")
    assert legal(state) == ["draw"]
    with pytest.raises(IllegalMove, match="7c on 8h: 7 cards would have to be discarded, and 5 remain"):
        make(state, "7c")
    state.held[0] += cards("6c Tc")
    assert legal(state) == ["7c"]


@both
def test_eight_cards_with_a_seven_go_out_on_an_eight(rules: str) -> None:
    """All seven others must go: forced, in the hand's order, the last on top."""
    state, _ = make(table("Ac 2c 7c 3c 4c 5c 6c Tc", "Kd", rules=rules, up="8h"), "7c")
    assert decision(state).forced
    assert legal(state) == ["- Ac 2c 3c 4c 5c 6c Tc"]
    with pytest.raises(IllegalMove, match="in the order of the hand"):
        make(state, "- 2c Ac 3c 4c 5c 6c Tc")
    state, events = make(state, "- Ac 2c 3c 4c 5c 6c Tc")
    assert kinds(events) == ["discarded", "hand_ended"]
    assert only(events, "hand_ended")["winner"] == 0
    assert piles(state)[1] == "2h Ac 2c 3c 4c 5c 6c Tc"


@both
def test_an_ace_is_above_a_king_and_draws_one(rules: str) -> None:
    state, events = make(table("As 5c", "9d 9c", rules=rules, up="Kd"), "As")
    assert only(events, "played")["number"] == 1
    assert only(events, "drew")["count"] == 1
    assert hand(state, 0) == "5c Ks"


@both
def test_on_an_ace_go_a_king_below_and_a_two_above(rules: str) -> None:
    state = table("Kd 2c 5c", "9d 9c", rules=rules, up="As")
    assert legal(state) == ["2c", "Kd"]
    after, events = make(state, "Kd")
    assert kinds(events) == ["played"]
    assert events[0]["effect"] == "none"
    assert hand(after, 0) == "2c 5c"
    after, _ = make(state, "2c")
    assert hand(after, 0) == "Kd 5c Ks Kh"


@both
def test_an_ace_is_below_a_two_and_discards_one(rules: str) -> None:
    state, _ = make(table("As 5c Kc", "9d 9c", rules=rules, up="2d"), "As", "- Kc")
    assert hand(state, 0) == "5c"
    assert piles(state)[1] == "2h Kc"


@both
def test_a_black_card_goes_on_a_red_one_of_its_rank_without_effect(rules: str) -> None:
    state = table("8s 8d Ac", "Kd", rules=rules, up="8h")
    assert legal(state) == ["8s"]
    with pytest.raises(
        IllegalMove, match="8d on 8h: the same rank is laid black on red, or while a spread lasts"
    ):
        make(state, "8d")
    state, events = make(state, "8s")
    assert events == [{"kind": "played", "seat": 0, "card": "8s", "effect": "spread", "number": 0}]
    assert hand(state, 0) == "8d Ac"


@both
@pytest.mark.parametrize("card", ["8c", "8d", "8s"])
def test_on_a_black_card_goes_nothing_of_its_rank(rules: str, card: str) -> None:
    top = "8c" if card == "8s" else "8s"
    assert legal(table(f"{card} Ac", "Kd", rules=rules, up=top)) == ["draw"]


@both
def test_while_a_spread_lasts_any_colour_goes(rules: str) -> None:
    state, _ = make(table("8s Ac 5c", "8d Kd 5h", rules=rules, up="8h"), "8s")
    assert state.spread
    assert legal(state) == ["8d"]
    state, _ = make(state, "8d")
    assert state.spread


@both
def test_a_card_above_or_below_ends_a_spread(rules: str) -> None:
    state = table("9s Ac", "9c 9d Kh", rules=rules, up="8h 8s", spread=True)
    state, _ = make(state, "9s")
    assert not state.spread
    assert legal(state) == ["draw"]
    state = table("7s Kh Ac 2c 3c 4c 5c 6c", "7c 7d Kh", rules=rules, up="8h 8s", spread=True)
    state, _ = make(state, "7s", "- Kh Ac 2c 3c 4c 5c 6c")
    assert not state.spread


@both
def test_a_reset_ends_a_spread(rules: str) -> None:
    state = table("Ac", "5c 8d", rules=rules, up="8h 8s", down="8c", stock="Ks", spread=True)
    state, events = make(state, "draw")
    assert "reset" in kinds(events)
    assert not state.spread


def test_a_forced_draw_leaves_a_spread_standing_in_pagat_and_ends_it_in_gamerules() -> None:
    hands = ("Ac", "8d 5c")
    state, _ = make(table(*hands, rules="pagat", up="8h 8s", spread=True), "draw")
    assert legal(state) == ["8d"]
    state, _ = make(table(*hands, rules="gamerules", up="8h 8s", spread=True), "draw")
    assert legal(state) == ["draw"]


@both
def test_the_choice_between_the_same_rank_and_others_is_free(rules: str) -> None:
    state = table("9d 8c 7c As 2s 3s 4s 5s 6s", "Kd", rules=rules, up="8h")
    assert legal(state) == ["7c", "8c", "9d"]


@both
def test_a_legal_play_must_be_made(rules: str) -> None:
    with pytest.raises(IllegalMove, match="a legal play must be made"):
        make(table("9d Ac", "Kd", rules=rules, up="8h"), "draw")


@both
def test_who_has_no_legal_play_draws_one_card_that_waits(rules: str) -> None:
    """The drawn 9 could be laid, but the turn is over."""
    state = table("2c Ac", "5d 6c", rules=rules, up="8h", stock="9d Kc Kd")
    assert legal(state) == ["draw"]
    assert decision(state).forced
    state, events = make(state, "draw")
    assert events == [{"kind": "stuck", "seat": 0}, {"kind": "drew", "seat": 0, "count": 1, "stock": 2}]
    assert hand(state, 0) == "2c Ac 9d"
    assert (decision(state).seat, state.turns) == (1, 1)


@both
def test_other_cards_are_refused_with_the_rule(rules: str) -> None:
    state = table("Kd 9c", "2c", rules=rules, up="8h")
    with pytest.raises(
        IllegalMove, match="Kd on 8h: a card must be one above or one below the top, or of its rank"
    ):
        make(state, "Kd")
    with pytest.raises(IllegalMove, match="the hand, which holds no 2c"):
        make(state, "2c")
    with pytest.raises(IllegalMove, match="only after one is laid one below"):
        make(state, "- 9c")


@both
@pytest.mark.parametrize(
    ("move", "rule"),
    [
        ("- Ac", "exactly 2 cards must be discarded, not 1"),
        ("- Ac 3c 4c", "exactly 2 cards must be discarded, not 3"),
        ("- Ac Ac", "only once"),
        ("- Ac 2c", "holds no 2c"),
        ("- Ac Kd", "holds no Kd"),
        ("Ac", "2 cards must be discarded"),
        ("draw", "2 cards must be discarded"),
    ],
)
def test_discards_that_are_none(rules: str, move: str, rule: str) -> None:
    state, _ = make(table("2c Ac 3c 4c 5c", "Kd", rules=rules, up="3h"), "2c")
    with pytest.raises(IllegalMove, match=rule):
        make(state, move)


@both
def test_discards_lie_in_the_order_given(rules: str) -> None:
    state, _ = make(table("2c Ac 3c 4c", "Kd", rules=rules, up="3h", down="9h Th"), "2c", "- 4c Ac")
    assert piles(state)[1] == "9h Th 4c Ac"
    assert hand(state, 0) == "3c"


@both
@pytest.mark.parametrize(
    "raw",
    [
        {"type": "discard", "cards": "Ac 3c"},
        {"type": "discard", "cards": ["Ac", 3]},
        {"type": "discard", "cards": ["Ac", "3C"]},
        {"type": "discard", "cards": ["Ac"] * 60},
        {"type": "play", "card": "1c"},
        {"type": "play", "card": ["Ac"]},
    ],
)
def test_moves_that_are_not_well_formed(rules: str, raw: object) -> None:
    state, _ = make(table("2c Ac 3c 4c 5c", "Kd", rules=rules, up="3h"), "2c")
    with pytest.raises(IllegalMove):
        GAME.parse_move(state, 0, raw)


@both
def test_a_turn_is_one_card_with_its_effect(rules: str) -> None:
    """Play and discard count as one turn, a forced draw as one."""
    state, _ = make(table("2c Ac 3c 4c", "Kd 9c", rules=rules, up="3h"), "2c", "- Ac 4c")
    assert state.turns == 1
    state, _ = make(state, "draw")
    assert state.turns == 2
    assert not isinstance(GAME.turn(state), Outcome)
