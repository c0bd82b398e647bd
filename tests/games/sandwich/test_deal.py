"""Dealing and rounds (source 002, settled): who gets which card of the list, how many, and the end."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.core.chance import Chance
from arena.core.errors import CorruptReplay
from arena.core.game import Outcome
from arena.games.sandwich import GAME
from arena.games.sandwich.ingredients import NAMES
from arena.games.sandwich.state import State
from tests.games.sandwich.tables import game, random_game, record, rules_of, serve_as_held, to, told


def test_cards_are_dealt_one_at_a_time_beginning_left_of_the_dealer() -> None:
    """Round 0 is dealt by the last seat, round 1 by seat 0: its left neighbour, seat 1, gets the first card."""
    decks = {0: "ham tuna brie lettuce apple pesto", 1: "honey snail mango onion feta trout"}
    state = game(3, "fr", decks=decks)
    assert GAME.view(state, None)["market"] == ["ham", "tuna", "brie"]
    _, events = GAME.deal(3, rules_of(3), Chance(record=record(rules_of(3), 3, decks=decks)))
    assert told(events)[0] == {"kind": "dealt", "round_no": 0, "dealer": 2, "pile": 12, "direction": "both"}
    state, after = serve_as_held(to("serve", state))
    assert [event for event in after if event["kind"] == "dealt"] == [
        {"kind": "dealt", "round_no": 1, "dealer": 0, "pile": 12, "direction": "both"}
    ]
    assert GAME.view(state, None)["market"] == ["mango", "honey", "snail"]


def test_piles_are_turned_up_in_the_order_dealt() -> None:
    """Four seats: the cards of turn t are those at 4t to 4t + 3 of the list."""
    markets: list[list[str]] = []

    def watch(state: State) -> None:
        if state.phase == "grab":
            markets.append(GAME.view(state, None)["market"])

    random_game(4, "fr", seed=3, watch=watch, rounds=1)
    chance = Chance(b"3")
    GAME.deal(4, rules_of(4, "fr", rounds=1), chance)
    assert [name for market in markets for name in market] == chance.record["deck/0"][:36]


def test_the_pile_shrinks_and_nobody_sees_what_is_in_it() -> None:
    seen: list[int] = []

    def watch(state: State) -> None:
        if state.phase == "grab":
            seen.append(GAME.view(state, 1)["pile"])

    random_game(4, "fr", watch=watch, rounds=1)
    assert seen == [8, 7, 6, 5, 4, 3, 2, 1, 0]


def test_the_rest_is_out_until_the_next_round() -> None:
    """With three players 20 cards of 56 are out, with six players two; each round has all of them again."""
    for seats, out in ((3, 20), (6, 2)):
        _, events = random_game(seats, "fr")
        rounds: list[Counter[str]] = []
        for event in events:
            if event.kind == "dealt":
                rounds.append(Counter())
            elif event.kind == "turned_up":
                rounds[-1].update(event.data["market"])
        assert len(rounds) == 3
        assert all(set(cards.values()) == {1} and len(cards) == 56 - out for cards in rounds)
        assert len({frozenset(cards) for cards in rounds}) > 1


def test_twelve_players_and_two_boxes_deal_108_of_112_cards() -> None:
    state = game(12, options={"boxes": 2})
    assert len(state.deal.decks[0]) == 112
    assert Counter(state.deal.decks[0]) == Counter(dict.fromkeys(range(56), 2))
    _, events = random_game(12, "fr", boxes=2, rounds=1)
    turned = Counter(name for event in events if event.kind == "turned_up" for name in event.data["market"])
    assert turned.total() == 108
    assert max(turned.values()) == 2


@given(st.integers(0, 10_000), st.sampled_from([(3, 1), (4, 1), (5, 2), (6, 1), (9, 2)]), st.booleans())
def test_no_card_is_lost_or_made(seed: int, table: tuple[int, int], free: bool) -> None:
    """All that was turned up so far is in hands, on the market, or in sandwiches; sandwiches have three cards."""
    seats, boxes = table

    def watch(state: State) -> None:
        visible = Counter(card for hand in state.hands for card in hand) + Counter(state.market)
        waiting = Counter(card for plate in state.plates for one in plate for card in one)
        if state.phase == "taste":
            assert not visible
            left = seats - state.taster
            assert waiting.total() == left * state.rules.pile
        else:
            assert not waiting
            turned = state.market_turn + 1 if state.phase == "grab" else state.market_turn
            assert visible == Counter(state.deal.decks[state.round_no][: turned * seats])
            cards_each = turned - 1 if state.phase == "grab" else turned
            assert {len(hand) for hand in state.hands} == {cards_each}

    tasting = "free" if free else "palate"
    _, events = random_game(seats, "en", seed, watch, boxes=boxes, tasting=tasting, rounds=2)
    eaten = [event for event in events if event.kind == "tasted"]
    assert len(eaten) == 2 * seats
    each = 4 if seats == 3 else 3
    assert all(len(event.data["sandwiches"]) == each for event in eaten)
    assert all(len(one) == 3 for event in eaten for one in event.data["sandwiches"])
    for number in range(2):
        of_round = eaten[number * seats : (number + 1) * seats]
        cards = Counter(name for event in of_round for one in event.data["sandwiches"] for name in one)
        assert cards.total() == seats * 3 * each
        assert max(cards.values()) <= boxes


@given(st.integers(0, 10_000), st.integers(3, 6))
def test_each_taster_gives_out_its_points_and_scores_add_up(seed: int, seats: int) -> None:
    end, events = random_game(seats, "en", seed)
    scores = [0] * seats
    for event in events:
        if event.kind == "tasted":
            assert event.data["taster"] not in event.data["makers"]
            for maker, points in zip(event.data["makers"], event.data["points"], strict=True):
                scores[maker] += points
        elif event.kind == "round_ended":
            assert event.data["scores"] == scores
    assert tuple(scores) == GAME.scores(end)
    assert sum(scores) == 3 * seats * (6 if seats == 3 else 5)


def test_after_the_last_round_the_most_points_win_and_equal_totals_share_the_rank() -> None:
    """Everybody likes everything alike, and of equal sandwiches the nearest giver's is best: all have 5 a round."""
    state = game(4, "fr", {"rounds": 1, "points": (3, 3, 3)})
    state, _ = serve_as_held(to("serve", state))
    assert GAME.turn(state) == Outcome((9, 9, 9, 9), (1, 1, 1, 1))
    state, _ = serve_as_held(to("serve", game(3, "fr", {"rounds": 1, "points3": (1, 0, 0, 0)})))
    outcome = GAME.turn(state)
    assert isinstance(outcome, Outcome)
    assert sum(outcome.scores) == 3


@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_there_are_as_many_rounds_as_set(rounds: int) -> None:
    _, events = random_game(4, "fr", rounds=rounds)
    assert [event.data["round_no"] for event in events if event.kind == "round_ended"] == list(range(rounds))


# Chance


def drawn(
    seats: int, name: str = "fr", seed: bytes = b"streams", **options: object
) -> dict[str, list[object]]:
    chance = Chance(seed)
    GAME.deal(seats, rules_of(seats, name, **options), chance)
    return chance.record


def test_every_use_of_chance_has_its_own_stream() -> None:
    record = drawn(4, rounds=2)
    assert set(record) == {
        *(f"{what}/{number}" for what in ("deck", "grab_order") for number in range(2)),
        *(f"{what}/{seat}" for what in ("likings", "quirks") for seat in range(4)),
    }
    free = drawn(4, rounds=2, tasting="free")
    assert set(free) - set(record) == {f"shown/{number}/{seat}" for number in range(2) for seat in range(4)}


def test_an_option_more_moves_no_other_draw() -> None:
    """Another round, free tasting, other points: what was drawn before is drawn again."""
    record = drawn(4)
    for more in (drawn(4, rounds=7), drawn(4, tasting="free"), drawn(4, "de"), drawn(4, open=True)):
        assert {name: more[name] for name in record} == record


def test_each_round_has_its_own_grab_order() -> None:
    record = drawn(6, rounds=8)
    orders = {tuple(record[f"grab_order/{number}"]) for number in range(8)}
    assert len(orders) > 4
    assert all(sorted(order, key=str) == list(range(6)) for order in orders)


@pytest.mark.parametrize(
    ("stream", "value"),
    [
        ("deck/1", [*NAMES[1:], "ham", "ham"]),
        ("deck/1", list(NAMES[:-1])),
        ("grab_order/0", [0, 1, 2, 2]),
        ("likings/3", [0.0] * 7),
        ("quirks/0", ["much"] * 56),
    ],
)
def test_a_recorded_deal_that_cannot_be_is_refused(stream: str, value: list[object]) -> None:
    with pytest.raises(CorruptReplay, match=stream):
        GAME.deal(4, rules_of(4), Chance(record={**drawn(4), stream: value}))
