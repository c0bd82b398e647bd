"""No peeking: who is told what, and that nothing else shows in what is sent."""

from typing import Any

import pytest
from arena_conformance.random_games import as_bytes, decision_json

from arena.core.chance import Chance, Stream
from arena.core.errors import IllegalMove
from arena.core.game import Outcome
from arena.games.bread_and_chocolate import GAME
from arena.games.bread_and_chocolate.rules import NAMES
from tests.games.bread_and_chocolate.moments import Moment, deck_of, moments, replayed
from tests.games.bread_and_chocolate.tables import make, only, resolved, table


def all_sent(state: Any, seat: int) -> bytes:
    """Return what a seat would be sent now, but for the events."""
    turn = GAME.turn(state)
    own = [] if isinstance(turn, Outcome) else [decision_json(GAME, one) for one in turn if one.seat == seat]
    return as_bytes([GAME.view(state, seat), own])


def test_a_hand_is_told_to_its_seat_alone() -> None:
    _, events = GAME.deal(2, resolved(), Chance(b"deal"))
    assert [set(events[0].seen_by(seat)) - set(events[0].data) for seat in (0, 1)] == [{"kind", "hand"}] * 2
    assert "hand" not in events[0].seen_by(None)
    assert events[0].seen_by(0)["hand"] != events[0].seen_by(1)["hand"]


def test_drawn_cards_are_told_to_who_draws() -> None:
    state = table("9s 2c", "Kd", up="8h", stock="Ac 2d 3d 4d 5d 6d 7d 8d 9d Td Jd Qd")
    assert only(make(state, "9s", seen_by=0)[1], "drew")["cards"][:2] == ["Ac", "2d"]
    for other in (1, None):
        assert only(make(state, "9s", seen_by=other)[1], "drew") == {
            "kind": "drew",
            "seat": 0,
            "count": 9,
            "stock": 3,
        }


def test_discarded_cards_are_told_to_who_discards() -> None:
    state, _ = make(table("2c Ac 3c 4c", "Kd", up="3h"), "2c")
    assert only(make(state, "- 4c Ac", seen_by=0)[1], "discarded")["cards"] == ["4c", "Ac"]
    for other in (1, None):
        assert "cards" not in only(make(state, "- 4c Ac", seen_by=other)[1], "discarded")


def test_of_a_pile_turned_over_only_its_new_top_is_shown() -> None:
    """Discards of seat 0 under 2h: even seat 0 is told no more than that 2h is up."""
    state = table("Ac 2c", "Kd", up="8h", down="2h 5c 6c", stock="Ks")
    for seat in (0, 1, None):
        assert only(make(state, "draw", seen_by=seat)[1], "reset") == {
            "kind": "reset",
            "up": "2h",
            "up_count": 3,
            "down_count": 1,
            "stock": 1,
        }


def test_a_view_holds_the_top_the_counts_and_the_own_hand() -> None:
    state = table("Ac 2c", "Kd", up="8h 9s", down="2h 5c 6c", stock="Ks Kh", turns=7, scores=[-3, 8])
    public = {
        "hand_no": 0,
        "hands": 1,
        "dealer": 1,
        "turn": 0,
        "turns": 7,
        "opening": 0,
        "discard": 0,
        "up": "9s",
        "up_count": 2,
        "down_count": 3,
        "stock": 2,
        "spread": False,
        "held": [2, 1],
        "scores": [-3, 8],
    }
    assert GAME.view(state, None) == public
    assert GAME.view(state, 0) == {**public, "seat": 0, "hand": ["Ac", "2c"]}
    assert GAME.view(state, 1) == {**public, "seat": 1, "hand": ["Kd"]}
    assert GAME.private(state, 0) == {}


def exchanged(moment: Moment, one: int, other: int) -> Moment:
    """Return the same moves on a deck with two cards exchanged. Raises IllegalMove where that is not possible."""
    deck = list(moment.deck)
    deck[one], deck[other] = deck[other], deck[one]
    chance = Chance(record={"deck/0": [NAMES[card] for card in deck]})
    state, dealt = GAME.deal(moment.seats, moment.rules, chance)
    changed = Moment(moment.rules, tuple(deck), moment.moves, list(dealt), state)
    for seat, move in moment.moves:
        changed.state, events = GAME.apply(changed.state, {seat: move})
        changed.events += events
    return changed


@pytest.mark.parametrize(("name", "seats"), [("pagat", 2), ("gamerules", 2), ("shram", 3)])
def test_cards_that_change_places_unseen_change_no_byte(name: str, seats: int) -> None:
    """Exchange two cards of the deck; whoever was told the same must be sent the same."""
    rng = Stream(b"exchange", name)
    alike = different = 0
    for moment in moments(name, seats, f"exchange/{name}"):
        if rng.randrange(4):
            continue
        for _ in range(15):
            try:
                changed = exchanged(moment, rng.randrange(52), rng.randrange(52))
            except IllegalMove:
                continue
            for seat in range(seats):
                if changed.seen_by(seat) == moment.seen_by(seat):
                    assert all_sent(changed.state, seat) == all_sent(moment.state, seat)
                    alike += changed.deck != moment.deck
                else:
                    different += 1
    assert alike > 20
    assert different > 20


@pytest.mark.parametrize(("name", "seats"), [("pagat", 2), ("gamerules", 2), ("shram", 3)])
def test_worlds_that_a_seat_cannot_tell_apart_send_it_the_same_bytes(name: str, seats: int) -> None:
    """Whole other worlds, found by guessing, with other discards too: every message of the hand is the same."""
    rng = Stream(b"worlds", name)
    others = 0
    for number in range(3):
        for moment in moments(name, seats, f"worlds/{name}/{number}", 0.5):
            if rng.randrange(10):
                continue
            seat = rng.randrange(seats)
            histories = moment.histories(seat, rng)
            events, state = replayed(moment, histories)
            assert as_bytes(events) == as_bytes(moment.seen_by(seat))
            assert all_sent(state, seat) == all_sent(moment.state, seat)
            others += tuple(deck_of(moment, histories)) != moment.deck
    assert others > 10
