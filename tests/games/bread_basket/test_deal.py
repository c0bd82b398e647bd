"""Decks and dealing (source 000): who gets which card of the list, who deals, how many hands."""

from collections import Counter

import pytest

from arena.core.chance import Chance, Stream
from arena.core.errors import BadOption, CorruptReplay
from arena.core.game import Event, Outcome
from arena.core.ruleset import ruleset
from arena.games.bread_basket import GAME
from arena.games.bread_basket.state import State, deck

FIFTY_FIVE = dict.fromkeys(["O", "1", "2", "3", "4", "5", "6", "7", "8", "9"], 5)


def deal(seats: int, decks: list[tuple[str, ...]], chefs: str = "tens") -> tuple[State, tuple[Event, ...]]:
    """Deal a game whose hands have the given decks, in draw order."""
    rules = GAME.resolve(ruleset(GAME.info, chefs, {"hands": len(decks)}), seats)
    return GAME.deal(seats, rules, Chance(record={f"deck/{i}": list(cards) for i, cards in enumerate(decks)}))


def test_the_decks() -> None:
    assert Counter(deck("tens")) == {**FIFTY_FIVE, "C": 5}
    assert Counter(deck("none")) == {**FIFTY_FIVE, "10": 5}
    assert Counter(deck("extra")) == {**FIFTY_FIVE, "10": 5, "C": 5}
    assert deck("extra")[:6] == ("O", "O", "O", "O", "O", "1")
    assert deck("extra")[-6:] == ("10", "C", "C", "C", "C", "C")


@pytest.mark.parametrize(("seats", "size"), [(2, 12), (3, 10), (4, 8), (5, 8), (6, 8)])
@pytest.mark.parametrize("hand_no", [0, 1])
def test_cards_are_dealt_one_at_a_time_clockwise_from_the_left_of_the_dealer(
    seats: int, size: int, hand_no: int
) -> None:
    """Each card of the list goes to the next seat; the card after the last of them starts the line."""
    shuffled = list(deck("tens"))
    Stream(b"deal", "deck").shuffle(shuffled)
    other = tuple(reversed(shuffled))
    state, events = deal(seats, [tuple(shuffled)] if hand_no == 0 else [other, tuple(shuffled)])
    if hand_no == 1:
        rng = Stream(b"deal", "moves")
        while state.hand_no == 0:
            state, events = GAME.apply(state, {state.to_move: GAME.sample_move(state, state.to_move, rng)})
    expected: list[list[str]] = [[] for _ in range(seats)]
    seat = hand_no % seats
    for card in shuffled[: seats * size]:
        expected[seat].append(card)
        seat = (seat + 1) % seats
    dealt = events[-1]
    assert dealt.kind == "dealt"
    assert dealt.data == {
        "hand_no": hand_no,
        "dealer": (hand_no - 1) % seats,
        "held": [size] * seats,
        "card": shuffled[seats * size],
        "stock": 55 - seats * size - 1,
    }
    assert dealt.private == {seat: {"hand": cards} for seat, cards in enumerate(expected)}
    for seat in range(seats):
        view = GAME.view(state, seat)
        assert view["hand"] == expected[seat]
        assert view["line"] == [shuffled[seats * size]]
        assert (view["turn"], view["dealer"]) == (hand_no % seats, (hand_no - 1) % seats)
    stock = [state.stock[i] for i in range(state.stock_at, len(state.stock))]
    assert len(stock) == 55 - seats * size - 1 == state.stock_count


def test_the_stock_comes_in_the_order_of_the_list() -> None:
    """Two seats: 24 cards dealt, one in the line, then the stock from place 25 on."""
    cards = sorted(deck("none"), key=lambda name: (name in ("6", "7"), name))
    state, _ = deal(2, [tuple(cards)], "none")
    names = GAME.view(state, None)["line"]
    state.line.clear()
    state.held = [[5, 1], [1]]
    state.line = [5, 4, 3]
    state, events = GAME.apply(state, {0: 5})
    assert names == [cards[24]]
    assert events[-1].data == {"card": cards[25], "stock": 29}


@pytest.mark.parametrize("seats", range(2, 7))
def test_a_game_has_one_hand_for_each_dealer(seats: int) -> None:
    rules = GAME.resolve(ruleset(GAME.info), seats)
    assert rules.count("hands") == seats
    dealers, first = play_hands(seats, None)
    assert sorted(dealers) == list(range(seats))
    assert dealers[0] == seats - 1
    assert first == [(dealer + 1) % seats for dealer in dealers]


def test_the_number_of_hands_can_be_set() -> None:
    dealers, first = play_hands(3, 5)
    assert dealers == [2, 0, 1, 2, 0]
    assert first == [0, 1, 2, 0, 1]
    assert play_hands(4, 1) == ([3], [0])


def play_hands(seats: int, hands: int | None) -> tuple[list[int], list[int]]:
    """Play a random game; return the dealer of each hand and who had the first turn in it."""
    rng = Stream(b"hands", str(seats))
    rules = GAME.resolve(ruleset(GAME.info, None, {"hands": hands}), seats)
    state, events = GAME.deal(seats, rules, Chance(b"hands"))
    dealers, first = [], []
    while True:
        for event in events:
            if event.kind == "dealt":
                dealers.append(event.data["dealer"])
                first.append(state.to_move)
        if isinstance(GAME.turn(state), Outcome):
            return dealers, first
        state, events = GAME.apply(state, {state.to_move: GAME.sample_move(state, state.to_move, rng)})


def test_every_hand_has_its_own_shuffle() -> None:
    chance = Chance(b"seed")
    GAME.deal(4, GAME.resolve(ruleset(GAME.info), 4), chance)
    assert list(chance.record) == ["deck/0", "deck/1", "deck/2", "deck/3"]
    decks = [tuple(drawn) for drawn in chance.record.values()]
    assert len(set(decks)) == 4
    assert all(sorted(drawn) == sorted(deck("tens")) for drawn in decks)


def test_more_hands_do_not_change_the_first_ones() -> None:
    few, many = Chance(b"seed"), Chance(b"seed")
    GAME.deal(2, GAME.resolve(ruleset(GAME.info), 2), few)
    GAME.deal(2, GAME.resolve(ruleset(GAME.info, None, {"hands": 6}), 2), many)
    assert few.record == {name: many.record[name] for name in few.record}


def test_a_recorded_deck_with_other_cards_is_refused() -> None:
    with pytest.raises(CorruptReplay, match="deck/0"):
        deal(2, [deck("none")], "tens")


@pytest.mark.parametrize("hands", [0, -1, 1001, "two", True, 2.0])
def test_hands_out_of_range_are_refused(hands: object) -> None:
    with pytest.raises(BadOption, match="hands"):
        ruleset(GAME.info, None, {"hands": hands})


def test_an_unknown_deck_is_refused() -> None:
    with pytest.raises(BadOption, match="one of tens, none, extra"):
        ruleset(GAME.info, None, {"chefs": "two"})


@pytest.mark.parametrize("seats", [0, 1, 7, 12])
def test_other_numbers_of_players_are_refused(seats: int) -> None:
    with pytest.raises(BadOption, match=f"2 to 6 players, not {seats}"):
        GAME.resolve(ruleset(GAME.info), seats)


def test_a_ruleset_keeps_its_name_when_its_hands_are_filled_in() -> None:
    assert GAME.resolve(ruleset(GAME.info), 4).name == "tens"
    assert GAME.resolve(ruleset(GAME.info, "extra", {"hands": 8}), 4).name == "extra+hands=8"
