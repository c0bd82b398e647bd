"""What nobody is told: rankings of the market, answers, piles, palates, makers of what is read out."""

import json
from collections.abc import Mapping
from itertools import permutations
from typing import Any

from arena.core.chance import Chance
from arena.core.game import JSON
from arena.games.sandwich import GAME
from arena.games.sandwich.state import Deal, State
from tests.games.sandwich.tables import game, grabs, make, random_game, record, rules_of, serve_as_held, to

SEATS: tuple[int | None, ...] = (None, 0, 1, 2, 3)


def all_told(state: State) -> str:
    return json.dumps([GAME.view(state, seat) for seat in SEATS])


def test_two_grabs_with_the_same_result_look_the_same() -> None:
    """What was ranked behind the card that one got is known to nobody."""
    state = game(4)
    one, events_of_one = make(
        state, grabs({0: [1, 2, 3, 0], 1: [2, 3, 0, 1], 2: [3, 0, 1, 2], 3: [0, 1, 2, 3]})
    )
    other, events_of_other = make(
        state, grabs({0: [1, 0, 3, 2], 1: [2, 0, 1, 3], 2: [3, 2, 1, 0], 3: [0, 3, 2, 1]})
    )
    assert events_of_one == events_of_other
    assert all_told(one) == all_told(other)


def test_an_offer_taken_too_late_looks_like_one_refused() -> None:
    offers: Mapping[int, JSON] = {
        0: {"type": "offer", "to": 1, "give": "salami", "want": "bacon"},
        1: {"type": "no_offer"},
        2: {"type": "offer", "to": 1, "give": "tuna", "want": "bacon"},
        3: {"type": "no_offer"},
    }
    state, _ = make(to("offer", game(4)), offers)
    one, events_of_one = make(state, {1: {"type": "answer", "accept": [0]}})
    other, events_of_other = make(state, {1: {"type": "answer", "accept": [0, 1]}})
    assert events_of_one == events_of_other
    assert all_told(one) == all_told(other)


def test_nobody_sees_a_pile_not_even_its_owner() -> None:
    """Other cards below the first ones: not a byte differs for anybody, events of the deal included."""
    rules = rules_of(4)
    first = "ham tuna brie lettuce"
    told = set()
    for below in ("apple pesto honey snail", "snail apple honey pesto", "trout jam fig onion"):
        chance = Chance(record=record(rules, 4, decks={0: f"{first} {below}"}))
        state, events = GAME.deal(4, rules, chance)
        told.add(all_told(state) + json.dumps([event.seen_by(seat) for event in events for seat in SEATS]))
    assert len(told) == 1


def test_a_palate_is_told_to_its_seat_alone_and_once() -> None:
    """Others' likings change no byte of a start, a view or an event, until a ranking shows them."""
    told = set()
    for likings in ({}, {1: {"meat": 2.0}}, {1: {"sweet": -1.5}, 2: {"fish": 0.3}}):
        state = game(4, likings=likings)
        parts: list[Any] = [GAME.private(state, 0), GAME.private(state, 3)]
        while state.phase != "serve":
            parts.append(all_told(state))
            state = to("offer" if state.phase == "grab" else "serve", state)
        told.add(json.dumps(parts))
    assert len(told) == 1
    assert "likings" not in all_told(game(4))


def test_the_order_read_out_tells_nothing_of_the_makers() -> None:
    """The same sandwiches from other makers, shown in the same order: the same bytes to everybody."""
    before = to("serve", game(4, "fr", {"tasting": "free"}))
    state, _ = serve_as_held(before)
    plate = state.plates[0]
    told = set()
    for way in permutations(range(3)):
        other = state.copy()
        other.plates[0] = tuple(plate[place] for place in way)
        shown = tuple(way.index(place) for place in range(3))
        orders = ((shown, *state.deal.shown[0][1:]), *state.deal.shown[1:])
        other.deal = Deal(state.deal.decks, state.deal.grab_orders, state.deal.palates, orders)
        assert other.read_out() == state.read_out()
        turn = GAME.turn(other)
        assert isinstance(turn, tuple)
        legal = [GAME.format_move(move) for move in turn[0].legal or ()]
        told.add(all_told(other) + json.dumps(legal))
    assert len(told) == 1


def test_the_orders_read_out_are_drawn_apart_for_each_taster_and_round() -> None:
    chance = Chance(b"shown")
    GAME.deal(6, rules_of(6, "fr", tasting="free", rounds=4), chance)
    orders = [tuple(chance.record[f"shown/{number}/{seat}"]) for number in range(4) for seat in range(6)]
    assert len(set(orders)) == 6


def test_what_lies_face_down_is_in_no_event_to_others() -> None:
    """Until it is read out, a sandwich is told to its maker alone."""
    _, events = random_game(5, "fr", tasting="free", rounds=1)
    for event in events:
        if event.kind == "served":
            maker = event.data["seat"]
            assert "sandwiches" in event.seen_by(maker)
            assert not any("sandwiches" in event.seen_by(seat) for seat in range(5) if seat != maker)
