"""Trading (source 002, settled): offers, answers, and what is carried out."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.core.errors import IllegalMove
from arena.core.game import JSON
from arena.games.sandwich import GAME
from arena.games.sandwich.ingredients import CARDS
from arena.games.sandwich.state import Offer, State
from arena.games.sandwich.transitions import carry_out
from tests.games.sandwich.tables import game, hand, kinds, make, random_game, to

NO = {"type": "no_offer"}


def offer(to: int, give: str, want: str) -> JSON:
    return {"type": "offer", "to": to, "give": give, "want": want}


def take(*numbers: int) -> JSON:
    return {"type": "answer", "accept": list(numbers)}


def market_over(order: tuple[int, ...] = (0, 1, 2, 3), **options: object) -> State:
    """Return a table of four after the market, each with the nine cards that its left neighbour was dealt."""
    state = to("offer", game(4, options=options, orders={0: order}))
    assert hand(state, 0).startswith("salami turkey")
    assert hand(state, 1).startswith("bacon chorizo")
    assert hand(state, 2).startswith("roast-beef tuna")
    assert hand(state, 3).startswith("ham chicken")
    return state


def offers(events: list[dict[str, Any]]) -> list[tuple[int, int, int, str, str]]:
    (event,) = events
    assert event["kind"] == "offered"
    return [tuple(one[key] for key in ("number", "seat", "to", "give", "want")) for one in event["offers"]]


def test_offers_are_numbered_in_the_rounds_grab_order() -> None:
    """The round's own order, not as it was turned by the market."""
    state = market_over(order=(2, 0, 3, 1))
    moves = {
        0: offer(1, "salami", "bacon"),
        1: NO,
        2: offer(0, "tuna", "turkey"),
        3: offer(0, "ham", "salami"),
    }
    state, events = make(state, moves)
    assert offers(events) == [
        (0, 2, 0, "tuna", "turkey"),
        (1, 0, 1, "salami", "bacon"),
        (2, 3, 0, "ham", "salami"),
    ]
    assert GAME.view(state, 3)["offers"] == events[0]["offers"]
    turn = GAME.turn(state)
    assert isinstance(turn, tuple)
    assert [(one.seat, one.kind, one.legal) for one in turn] == [(0, "answer", None), (1, "answer", None)]


def test_a_trade_is_one_card_for_one_and_public() -> None:
    state, _ = make(market_over(), {0: offer(1, "salami", "bacon"), 1: NO, 2: NO, 3: NO})
    state, events = make(state, {1: take(0)})
    assert events == [
        {
            "kind": "traded",
            "trade_round": 0,
            "trades": [{"number": 0, "seat": 0, "to": 1, "give": "salami", "want": "bacon"}],
        }
    ]
    assert "bacon" in hand(state, 0)
    assert "salami" in hand(state, 1)
    assert [len(cards) for cards in state.hands] == [9] * 4


def test_what_is_refused_stays() -> None:
    before = market_over()
    state, _ = make(before, {0: offer(1, "salami", "bacon"), 1: NO, 2: NO, 3: NO})
    state, events = make(state, {1: take()})
    assert events == [{"kind": "traded", "trade_round": 0, "trades": []}]
    assert state.hands == before.hands


def test_of_two_offers_for_the_same_card_the_dearer_is_carried_out() -> None:
    """Seat 1 may give its bacon only once: the order of its answer decides."""
    moves = {0: offer(1, "salami", "bacon"), 1: NO, 2: offer(1, "tuna", "bacon"), 3: NO}
    for accepted, got in (((0, 1), "salami"), ((1, 0), "tuna")):
        state, _ = make(market_over(), moves)
        state, events = make(state, {1: take(*accepted)})
        assert [trade["number"] for trade in events[0]["trades"]] == [accepted[0]]
        assert got in hand(state, 1)


def test_acceptances_are_carried_out_player_by_player_in_the_grab_order() -> None:
    """Seat 0 wants seat 1's bacon, which seat 1 offers to seat 2: the earlier of the takers 1 and 2 decides."""
    moves = {0: offer(1, "salami", "bacon"), 1: offer(2, "bacon", "tuna"), 2: NO, 3: NO}
    state, _ = make(market_over(order=(3, 1, 2, 0)), moves)
    assert [(one.seat, one.to) for one in state.offers] == [(1, 2), (0, 1)]
    after, events = make(state, {1: take(1), 2: take(0)})
    assert [trade["number"] for trade in events[0]["trades"]] == [1]
    assert "bacon" in hand(after, 0)
    state, _ = make(market_over(order=(2, 1, 3, 0)), moves)
    after, events = make(state, {1: take(1), 2: take(0)})
    assert [trade["number"] for trade in events[0]["trades"]] == [0]
    assert "bacon" in hand(after, 2)


def test_a_card_just_got_may_be_given_on() -> None:
    """Seat 1 gets the ham for its tuna, and gives the ham for the brie."""
    hands = [[CARDS["ham"]], [CARDS["tuna"]], [CARDS["brie"]]]
    give = [Offer(0, 1, CARDS["ham"], CARDS["tuna"]), Offer(2, 1, CARDS["brie"], CARDS["ham"])]
    assert carry_out(hands, give, {1: (0, 1)}, (0, 1, 2)) == [0, 1]
    assert hands == [[CARDS["tuna"]], [CARDS["brie"]], [CARDS["ham"]]]


def test_there_are_as_many_trade_rounds_as_set() -> None:
    state = market_over(trade_rounds=2)
    for trade_round in range(2):
        assert (state.phase, GAME.view(state, 0)["trade_round"]) == ("offer", trade_round)
        want = "bacon" if trade_round == 0 else "salami"
        give = "salami" if trade_round == 0 else "bacon"
        state, _ = make(state, {0: offer(1, give, want), 1: NO, 2: NO, 3: NO})
        state, _ = make(state, {1: take(0)})
    assert state.phase == "serve"


def test_a_trade_round_without_an_offer_ends_the_trading() -> None:
    state, events = make(market_over(), dict.fromkeys(range(4), NO))
    assert events == [{"kind": "offered", "trade_round": 0, "offers": []}]
    assert state.phase == "serve"


def test_without_trading_making_follows_the_market() -> None:
    assert "offer" not in phases("fr")
    assert "offer" in phases("en")
    assert "offer" in phases("fr", trading=True)
    assert "offer" not in phases("de", trading=False)


def phases(name: str, **options: Any) -> set[str]:
    seen: set[str] = set()
    random_game(4, name, watch=lambda state: seen.add(state.phase), **options)
    return seen


def test_with_two_boxes_one_of_two_equal_cards_changes_hands() -> None:
    tuna, ham = CARDS["tuna"], CARDS["ham"]
    hands = [[tuna, tuna], [ham]]
    assert carry_out(hands, [Offer(0, 1, tuna, ham)] * 2, {1: (1, 0)}, (0, 1)) == [1]
    assert hands == [[tuna, ham], [tuna]]


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        (offer(0, "salami", "bacon"), "another seat"),
        (offer(4, "salami", "bacon"), "a seat, 0 to 3, not to 4"),
        (offer(-1, "salami", "bacon"), "a seat, 0 to 3, not to -1"),
        (offer(1, "bacon", "bacon"), "seat 0 holds no bacon"),
        (offer(1, "salami", "tuna"), "seat 1 holds no tuna"),
        (offer(1, "salami", "caviar"), 'want: there is no ingredient "caviar"'),
        (offer(1, "", "bacon"), 'give: there is no ingredient ""'),
        ({"type": "offer", "to": 1, "give": 3, "want": "bacon"}, "give: there is no ingredient 3"),
        (
            {"type": "offer", "to": "1", "give": "salami", "want": "bacon"},
            'a seat is a whole number, not "1"',
        ),
        ({"type": "no_offer", "to": 1}, 'has no key "to"'),
        (take(), 'of type "offer" or "no_offer" now, not "answer"'),
    ],
)
def test_an_offer_that_cannot_be_is_refused(move: JSON, reason: str) -> None:
    with pytest.raises(IllegalMove, match=reason):
        GAME.parse_move(market_over(), 0, move)


@pytest.mark.parametrize(
    ("seat", "move", "reason"),
    [
        (1, take(0, 0), "0 is there twice"),
        (1, take(1), "here of 0: 1 is none"),
        (1, take(7), "7 is none"),
        (1, take(-1), "-1 is none"),
        (1, {"type": "answer", "accept": 0}, "a list of numbers of offers"),
        (0, take(), "seat 0 has got no offer"),
    ],
)
def test_an_answer_that_cannot_be_is_refused(seat: int, move: JSON, reason: str) -> None:
    state, _ = make(
        market_over(), {0: offer(1, "salami", "bacon"), 1: offer(2, "bacon", "tuna"), 2: NO, 3: NO}
    )
    with pytest.raises(IllegalMove, match=reason):
        GAME.parse_move(state, seat, move)


cards = st.integers(0, 5)


@given(st.data())
def test_trades_move_cards_and_lose_none(data: st.DataObject) -> None:
    """Whatever is offered and accepted: the same cards, as many in each hand, both sides got what was named."""
    seats = 4
    hands = [data.draw(st.lists(cards, min_size=3, max_size=3)) for _ in range(seats)]
    pairs = st.permutations(range(seats)).map(lambda order: (order[0], order[1]))
    offers = [
        Offer(seat, to_seat, data.draw(cards), data.draw(cards))
        for seat, to_seat in data.draw(st.lists(pairs, max_size=6))
    ]
    accepted = {
        seat: data.draw(st.permutations([n for n, one in enumerate(offers) if one.to == seat]))
        for seat in range(seats)
    }
    before = [Counter(held) for held in hands]
    done = carry_out(hands, offers, accepted, data.draw(st.permutations(range(seats))))
    assert len(set(done)) == len(done)
    for number in done:
        one = offers[number]
        assert before[one.seat][one.give] > 0
        assert before[one.to][one.want] > 0
        before[one.seat].subtract([one.give])
        before[one.to].subtract([one.want])
        before[one.seat][one.want] += 1
        before[one.to][one.give] += 1
    assert [+held for held in before] == [Counter(held) for held in hands]


def test_random_games_trade_now_and_then() -> None:
    _, events = random_game(4)
    trades = [trade for event in events if event.kind == "traded" for trade in event.data["trades"]]
    assert trades
    assert {"offered", "traded"} <= set(kinds([event.seen_by(None) for event in events]))
