"""Guesses: everything that a seat has seen would have been seen just so in the guessed world."""

from collections import Counter
from typing import Any

import pytest

from arena.core.chance import Chance, Stream
from arena.core.game import Seen
from arena.games.bread_and_chocolate import GAME
from arena.games.bread_and_chocolate.playout_policy import Guesser
from arena.games.bread_and_chocolate.recall import UNKNOWN, Recall
from arena.games.bread_and_chocolate.rules import CARDS, State, names, rules_of
from tests.games.bread_and_chocolate.moments import Moment, moments, replayed
from tests.games.bread_and_chocolate.tables import Events, resolved

TABLES = [("pagat", 2), ("gamerules", 2), ("shram", 2), ("shram", 3), ("shram", 5)]


def check(moment: Moment, seat: int, rng: Stream) -> None:
    """Guess at a moment, and live through the guess."""
    histories = moment.histories(seat, rng)
    recall, at = histories.recall, histories.at
    events, state = replayed(moment, histories)
    assert events == moment.seen_by(seat)
    assert GAME.view(state, seat) == GAME.view(moment.state, seat)
    for pile, places in ((state.stock, recall.stock), (state.up, recall.up), (state.down, recall.down)):
        assert pile == [at[place] for place in places]
    for other in range(moment.seats):
        if other != seat:
            assert histories.hand(other) == state.held[other]


@pytest.mark.parametrize("greed", [pytest.param(0.0, marks=pytest.mark.slow), 0.7])
@pytest.mark.parametrize(
    ("name", "seats"),
    [pytest.param(name, seats, marks=[pytest.mark.slow] * (seats == 5)) for name, seats in TABLES],
)
def test_a_guess_can_be_lived_through(name: str, seats: int, greed: float) -> None:
    """The guessed deck and discards, played by the rules with the same moves, show the seat the same events."""
    rng = Stream(b"guess", f"{name}/{seats}/{greed}")
    checked = 0
    for number in range(6):
        for moment in moments(name, seats, f"{name}/{seats}/{number}", greed):
            if rng.randrange(8) == 0:
                check(moment, rng.randrange(seats), rng)
                checked += 1
    assert checked > 20


@pytest.mark.slow
@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_many_guesses_can_be_lived_through(name: str, seats: int) -> None:
    rng = Stream(b"many", f"{name}/{seats}")
    for number in range(120 if seats == 2 else 30):
        for moment in moments(name, seats, f"many/{name}/{seats}/{number}", number % 3 / 2):
            if rng.randrange(4) == 0:
                check(moment, rng.randrange(seats), rng)


DEALT: dict[str, Any] = {
    "kind": "dealt",
    "hand_no": 0,
    "dealer": 1,
    "held": [6, 6],
    "up": "8h",
    "stock": 38,
    "hand": ["Ac", "2c", "3c", "4c", "5c", "6c"],
}


def guesses(events: Events, count: int = 60, rules: str = "pagat", **view: object) -> list[State]:
    """Return guesses of seat 0 after events; what is not given of the view follows from the events."""
    resolved_rules = resolved(rules)
    recall = Recall(rules_of(resolved_rules), 0, DEALT)
    for event in events:
        recall.hear(event)
    whole = {
        "hand_no": 0,
        "hands": 1,
        "turn": 0,
        "opening": 0,
        "discard": 0,
        "up_count": len(recall.up),
        "down_count": len(recall.down),
        "stock": len(recall.stock),
        "held": recall.held,
        "spread": recall.spread,
        "turns": 9,
        "scores": [0, 0],
        "hand": DEALT["hand"],
        **view,
    }
    guesser = Guesser(resolved_rules, 2, 0, {})
    guesser.hear([DEALT, *events])
    return list(guesser.worlds(whole, count, Stream(b"certain", "guesses")))


def played(seat: int, card: str, effect: str = "none", number: int = 0) -> dict[str, Any]:
    return {"kind": "played", "seat": seat, "card": card, "effect": effect, "number": number}


def discarded(seat: int, *cards: str, count: int = 0, down: int = 0) -> dict[str, Any]:
    told = {"kind": "discarded", "seat": seat, "count": count or len(cards), "down_count": down}
    return {**told, "cards": list(cards)} if cards else told


def reset(up: str) -> dict[str, Any]:
    return {"kind": "reset", "up": up, "up_count": 0, "down_count": 0, "stock": 0}


def drew(seat: int, count: int, *cards: str) -> dict[str, Any]:
    told = {"kind": "drew", "seat": seat, "count": count, "stock": 0}
    return {**told, "cards": list(cards)} if cards else told


def stuck(seat: int) -> dict[str, Any]:
    return {"kind": "stuck", "seat": seat}


def test_at_first_every_unseen_card_may_be_anywhere() -> None:
    states = guesses([], count=400)
    unseen = set(CARDS.values()) - {CARDS[name] for name in [*DEALT["hand"], "8h"]}
    in_hand = Counter(card for state in states for card in state.held[1])
    drawn_next = Counter(state.stock[-1] for state in states)
    down = Counter(card for state in states for card in state.down)
    for met in (in_hand, drawn_next, down):
        assert set(met) == unseen
        assert max(met.values()) < 4 * met.total() / len(unseen)
    assert {len({*state.held[1], *state.stock, *state.down}) for state in states} == {45}


def test_ones_own_discards_lie_where_they_were_laid() -> None:
    """Own discards 4c 6c on the unknown down card."""
    for state in guesses([played(0, "2c", "discard", 2), discarded(0, "4c", "6c")], hand=["Ac", "3c", "5c"]):
        assert names(state.down[1:]) == ["4c", "6c"]


def test_the_flipped_card_lies_on_the_down_pile() -> None:
    for state in guesses([{"kind": "flipped", "seat": 0, "up": "Ks", "down": "8h"}]):
        assert names(state.down) == ["8h"]


def turned_up(*cards: str) -> list[dict[str, Any]]:
    """Return events after which the stock holds one unknown card: all others were turned up, these last.

    Never seen are, but for these, Qc Qd Qh Qs Kc Kd Kh Ks: six in hand, one down, one in the stock.
    """
    rest = [name for name in CARDS if name not in (*DEALT["hand"], "8h", *cards)]
    return [{"kind": "spread", "seat": 0, "cards": [*rest[: 37 - len(cards)], *cards], "stock": 1}]


def test_the_up_pile_is_known_to_the_last_card_as_stock() -> None:
    """`pagat`: one card of the stock goes down unseen; the up pile is drawn from its oldest card."""
    events = [*turned_up("9h", "Th"), stuck(1), reset("Qs")]
    for state in guesses(events):
        assert names(state.stock[:2]) == ["Th", "9h"]
        assert names(state.stock[-1:]) == ["8h"]
        assert names(state.up) == ["Qs"]


def test_a_card_drawn_from_a_known_stock_is_in_that_hand_until_it_is_laid() -> None:
    events = [*turned_up("2d"), stuck(1), reset("Qs"), drew(1, 2)]
    first_two = ["8h", turned_up("2d")[0]["cards"][0]]
    for state in guesses(events):
        assert {CARDS[name] for name in first_two} <= set(state.held[1])
    for state in guesses([*events, played(1, first_two[1])]):
        assert CARDS["8h"] in state.held[1]
        assert CARDS[first_two[1]] not in state.held[1]


def test_a_known_card_may_have_been_discarded_unseen() -> None:
    """Seat 1 has 8h and six more, and discards two of them: 8h is in the hand or one of the two."""
    events = [*turned_up("2d"), stuck(1), reset("Qs"), drew(1, 1), played(1, "Kd"), discarded(1, count=2)]
    states = guesses(events, count=200)
    held = [CARDS["8h"] in state.held[1] for state in states]
    assert all(here or CARDS["8h"] in state.down[1:] for here, state in zip(held, states, strict=True))
    assert 0.4 < sum(held) / len(held) < 0.9


def test_a_known_card_that_is_laid_later_was_not_discarded() -> None:
    events = [*turned_up("2d"), stuck(1), reset("Qs"), drew(1, 1), played(1, "Kd"), discarded(1, count=2)]
    for state in guesses([*events, played(1, "8h")], count=100):
        assert names(state.up)[-1] == "8h"
        assert CARDS["8h"] not in state.down


def test_who_was_stuck_held_nothing_that_could_have_been_laid() -> None:
    """On 8h: no 9 and no black 8; but sevens, as six cards are too few to lay one."""
    states = guesses([stuck(1)], count=200)
    for state in states:
        assert not {"9c", "9d", "9h", "9s", "8c", "8s"} & set(names(state.held[1]))
    for card in ("7d", "8d"):
        assert any(CARDS[card] in state.held[1] for state in states)


def test_with_cards_enough_who_was_stuck_held_none_below_either() -> None:
    events = [drew(1, 2), stuck(1)]
    for state in guesses(events, count=100):
        assert not {"7c", "7d", "7h", "7s"} & set(names(state.held[1]))


def test_what_a_hand_lacked_it_may_have_drawn_since() -> None:
    states = guesses([stuck(1), drew(1, 1)], count=400)
    assert any({"9c", "9d", "9h", "9s"} & set(names(state.held[1])) for state in states)


def test_a_discard_that_is_seen_later_is_known() -> None:
    """The down pile is turned over: its oldest card shows, and so do those drawn by oneself later."""
    events = [
        played(1, "7s", "discard", 2),
        discarded(1, count=2),
        drew(1, 37),
        stuck(0),
        reset("Jd"),
    ]
    for state in guesses(events, count=20):
        assert names(state.up)[-1] == "Jd"
        assert len(state.up) == 3
        assert names(state.stock)[::-1] == ["8h", "7s"]


def seen_at(moment: Moment, seat: int, *, events: Events | None = None) -> Seen:
    return Seen(
        ruleset=moment.rules,
        seats=moment.seats,
        seat=seat,
        private={},
        view=GAME.view(moment.state, seat),
        events=moment.seen_by(seat) if events is None else events,
    )


def late_moment() -> Moment:
    found = [moment for number, moment in enumerate(moments("pagat", 2, "late")) if number < 30]
    return found[-1]


def test_missing_events_are_noticed() -> None:
    moment = late_moment()
    events = moment.seen_by(0)
    with pytest.raises(ValueError, match="do not reach back"):
        GAME.guess(seen_at(moment, 0, events=[]), Stream(b"", ""))
    drawn = max(number for number, event in enumerate(events) if event["kind"] == "drew")
    with pytest.raises(ValueError, match="events are missing"):
        GAME.guess(seen_at(moment, 0, events=events[:drawn] + events[drawn + 1 :]), Stream(b"", ""))
    too_many = [*events, drew(1, 60)]
    with pytest.raises(ValueError, match="do not follow from each other"):
        GAME.guess(seen_at(moment, 0, events=too_many), Stream(b"", ""))


def test_a_card_seen_in_two_places_is_noticed() -> None:
    with pytest.raises(ValueError, match="another card lies"):
        guesses([drew(0, 1, "Ks"), {"kind": "flipped", "seat": 0, "up": "Kd", "down": "8h"}, reset("Qs")])


def test_events_that_are_not_the_games_own_are_passed_over() -> None:
    moment = late_moment()
    events = [*moment.seen_by(0), {"kind": "forfeit", "seat": 1, "verdict": "crash"}]
    first, second = (
        GAME.guess(seen_at(moment, 0, events=one), Stream(b"same", "")) for one in (events, moment.seen_by(0))
    )
    assert first == second


def test_only_this_hand_is_needed() -> None:
    moment = late_moment()
    events = [{"kind": "dealt"}, {"kind": "reset"}, *moment.seen_by(0)]
    assert GAME.view(GAME.guess(seen_at(moment, 0, events=events), Stream(b"", "")), 0) == GAME.view(
        moment.state, 0
    )


def test_later_hands_have_random_decks() -> None:
    rules = resolved(hands=3)
    state, dealt = GAME.deal(2, rules, Chance(b"decks"))
    seen = Seen(rules, 2, 0, {}, GAME.view(state, 0), [event.seen_by(0) for event in dealt])
    guess = GAME.guess(seen, Stream(b"a", ""))
    assert guess.decks[0] == ()
    assert all(sorted(deck) == list(range(52)) for deck in guess.decks[1:])
    assert guess.decks[1] != guess.decks[2]
    assert guess.decks[1:] != state.decks[1:]


def test_places_never_seen_are_unknown() -> None:
    recall = Recall(rules_of(resolved()), 0, DEALT)
    assert [recall.card[place] for place in (*recall.down, *recall.stock)] == [UNKNOWN] * 39
    assert [recall.card[place] for place in recall.up] == [CARDS["8h"]]
    assert len(recall.hidden) == 46
