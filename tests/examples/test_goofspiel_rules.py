"""The rules of examples/goofspiel, by hand-worked cases; the conformance tests hold it to the rest."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.core.chance import Chance, Stream
from arena.core.errors import BadOption, IllegalMove
from arena.core.game import Event, Outcome, Seen
from arena.core.ruleset import Ruleset, ruleset
from tests.support.outside import rules

GAME = rules().GAME


def rules_of(cards: int, ties: str = "carry") -> Ruleset:
    return ruleset(GAME.info, None, {"cards": cards, "ties": ties})


def dealt(seats: int, prizes: list[int], ties: str = "carry") -> Any:
    """Return the first state of a game with the prizes in this order."""
    return GAME.deal(seats, rules_of(len(prizes), ties), Chance(record={"prizes": prizes}))[0]


def bid(state: Any, *bids: int) -> tuple[Any, list[dict[str, Any]]]:
    """Make a bid for each seat; return the state after it and what everybody saw."""
    after, events = GAME.apply(state, dict(enumerate(bids)))
    return after, [event.seen_by(None) for event in events]


def test_the_deal_turns_up_the_first_prize() -> None:
    state, events = GAME.deal(3, rules_of(4), Chance(record={"prizes": [2, 4, 1, 3]}))
    assert events == (Event("turned", {"card": 2, "pile": 3}),)
    assert GAME.view(state, 1) == {
        "stake": [2],
        "pile": 3,
        "hands": [[1, 2, 3, 4]] * 3,
        "scores": [0, 0, 0],
        "seat": 1,
    }
    assert "seat" not in GAME.view(state, None)


def test_all_bid_at_once() -> None:
    turn = GAME.turn(dealt(3, [1, 2, 3]))
    assert [(one.seat, one.kind, one.legal) for one in turn] == [
        (seat, "bid", (1, 2, 3)) for seat in (0, 1, 2)
    ]


def test_the_highest_bid_takes_the_prize() -> None:
    state, events = bid(dealt(2, [3, 1, 2]), 1, 2)
    assert events == [
        {"kind": "shown", "bids": [1, 2]},
        {"kind": "taken", "seat": 1, "cards": [3], "points": 3},
        {"kind": "turned", "card": 1, "pile": 1},
    ]
    assert GAME.scores(state) == (0, 3)
    assert GAME.view(state, None)["hands"] == [[2, 3], [1, 3]]


@pytest.mark.parametrize(
    ("bids", "winner"),
    [((12, 6, 12), 1), ((12, 12, 6, 7), 3), ((8, 8, 3, 3), None), ((5, 5, 5, 1), 3), ((9, 9, 9), None)],
)
def test_bids_that_two_seats_make_do_not_count(bids: tuple[int, ...], winner: int | None) -> None:
    _, events = bid(dealt(len(bids), [10, *range(1, 10), 11, 12, 13]), *bids)
    told: dict[str, Any] = {"kind": "carried", "cards": [10]}
    if winner is not None:
        told = {"kind": "taken", "seat": winner, "cards": [10], "points": 10}
    assert events[1] == told


def test_what_nobody_takes_is_bid_for_together_with_the_next_prize() -> None:
    state, events = bid(dealt(2, [3, 1, 2]), 2, 2)
    assert events[1:] == [{"kind": "carried", "cards": [3]}, {"kind": "turned", "card": 1, "pile": 1}]
    assert GAME.view(state, None)["stake"] == [3, 1]
    state, events = bid(state, 3, 1)
    assert events[1] == {"kind": "taken", "seat": 0, "cards": [3, 1], "points": 4}
    assert GAME.view(state, None)["stake"] == [2]
    assert GAME.scores(state) == (4, 0)


def test_or_it_is_out_of_the_game() -> None:
    state, events = bid(dealt(2, [3, 1, 2], "discard"), 2, 2)
    assert events[1:] == [{"kind": "discarded", "cards": [3]}, {"kind": "turned", "card": 1, "pile": 1}]
    assert GAME.view(state, None)["stake"] == [1]


@pytest.mark.parametrize("ties", ["carry", "discard"])
def test_after_the_last_bid_nothing_is_carried_over(ties: str) -> None:
    state = dealt(2, [3, 1, 2], ties)
    state, _ = bid(state, 1, 1)
    state, _ = bid(state, 2, 3)
    state, events = bid(state, 3, 2)
    assert events[1:] == [{"kind": "taken", "seat": 0, "cards": [2], "points": 2}]
    state = dealt(2, [3, 1, 2], ties)
    for card in (1, 2, 3):
        state, events = bid(state, card, card)
    left = [3, 1, 2] if ties == "carry" else [2]
    assert events[1:] == [{"kind": "discarded", "cards": left}]
    assert GAME.turn(state) == Outcome((0, 0), (1, 1))


def test_the_last_bid_is_forced() -> None:
    state = dealt(2, [3, 1, 2])
    for bids in ((1, 3), (2, 1)):
        assert not any(decision.forced for decision in GAME.turn(state))
        state, _ = bid(state, *bids)
    assert [decision.legal for decision in GAME.turn(state)] == [(3,), (2,)]
    assert all(decision.forced for decision in GAME.turn(state))


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ({"type": "bid", "card": 9}, "which holds no 9"),
        ({"type": "bid", "card": True}, "a whole number, not true"),
        ({"type": "bid"}, 'needs "card"'),
        ({"type": "pass"}, 'the type of a move is "bid"'),
        (3, "a JSON object, not 3"),
    ],
)
def test_a_refusal_names_the_rule(raw: object, message: str) -> None:
    with pytest.raises(IllegalMove, match=message):
        GAME.parse_move(dealt(2, [1, 2, 3]), 0, raw)


def test_every_seat_bids() -> None:
    state = dealt(2, [1, 2, 3])
    for moves in ({0: 1}, {0: 1, 1: 1, 2: 1}, {}):
        with pytest.raises(IllegalMove, match="every seat bids once"):
            GAME.apply(state, moves)


@pytest.mark.parametrize("seats", [1, 5])
def test_other_numbers_of_players_are_refused(seats: int) -> None:
    with pytest.raises(BadOption, match=f"2 to 4 players, not {seats}"):
        GAME.resolve(rules_of(5), seats)


@pytest.mark.parametrize("change", [{"cards": 2}, {"cards": 14}, {"ties": "split"}])
def test_options_out_of_range_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(BadOption):
        ruleset(GAME.info, None, change)


@given(st.data())
def test_every_prize_is_turned_up_once_and_taken_at_most_once(data: st.DataObject) -> None:
    cards = data.draw(st.integers(3, 13))
    seats = data.draw(st.integers(2, 4))
    ties = data.draw(st.sampled_from(["carry", "discard"]))
    state = dealt(seats, data.draw(st.permutations(range(1, cards + 1))), ties)
    rng = Stream(b"moves", str(data.draw(st.integers(0, 1000))))
    gone: list[int] = []
    turns = 0
    while not isinstance(turn := GAME.turn(state), Outcome):
        state, events = bid(state, *[GAME.sample_move(state, one.seat, rng) for one in turn])
        gone += [card for one in events if one["kind"] in ("taken", "discarded") for card in one["cards"]]
        lost = sum(card for one in events if one["kind"] == "discarded" for card in one["cards"])
        turns += 1
    assert sorted(gone) == list(range(1, cards + 1))
    assert turns == cards
    assert sum(turn.scores) <= sum(gone) - lost


def test_a_guess_keeps_what_was_turned_up_and_shuffles_the_rest() -> None:
    state, events = GAME.deal(2, rules_of(13), Chance(seed=b"guess"))
    log = list(events)
    for card in (1, 2, 3):
        state, events = GAME.apply(state, {0: card, 1: card + 1})
        log += events
    seen = Seen(rules_of(13), 2, 0, {}, GAME.view(state, 0), [event.seen_by(0) for event in log])
    guesses = [GAME.guess(seen, Stream(b"guess", str(number))) for number in range(20)]
    assert {guess.prizes[:4] for guess in guesses} == {state.prizes[:4]}
    assert len({guess.prizes[4:] for guess in guesses}) == 20
    assert all(sorted(guess.prizes) == list(range(1, 14)) for guess in guesses)


def test_events_are_told_in_words() -> None:
    _, events = bid(dealt(3, [7, *range(1, 7), *range(8, 14)]), 4, 4, 2)
    assert [GAME.describe(event) for event in events] == [
        "Seat 0 bids 4, seat 1 bids 4, seat 2 bids 2.",
        "Seat 2 takes 7, which scores 7.",
        "The prize 1 is turned up, 11 left in the pile.",
    ]


def test_the_table_is_drawn() -> None:
    state, _ = bid(dealt(2, [3, 1, 2]), 2, 2)
    assert GAME.draw(GAME.view(state, 1), 60) == (
        "At stake  3 1\nPile      1\n\nseat 0  0 points\n  1 3\n\nseat 1  0 points  (you)\n  1 3"
    )
