"""Making sandwiches (source 002): who gets them, what is a legal serve, words, what is told to whom."""

import json
from typing import Any

import pytest

from arena.core.errors import IllegalMove
from arena.core.game import JSON, Event
from arena.games.sandwich import GAME
from arena.games.sandwich.rules import Rules
from arena.games.sandwich.state import State
from tests.games.sandwich.tables import as_held, game, hand, kinds, rules_of, serve_as_held, to

SALAMI = "salami turkey sardine trout goat-cheese lettuce carrot pear fig"
"""What seat 0 of four holds after the market of a plain game."""


def making(name: str = "fr", seats: int = 4, **options: object) -> State:
    return to("serve", game(seats, name, options))


def serve(*sandwiches: str, **more: Any) -> JSON:
    return {"type": "serve", "sandwiches": [sandwich.split() for sandwich in sandwiches], **more}


def receivers(seats: int, round_no: int, **options: object) -> list[tuple[int, ...]]:
    rules = Rules.of(rules_of(seats, "fr", **options), seats)
    return [rules.receivers(seat, round_no) for seat in range(seats)]


# Receivers


def test_one_sandwich_for_each_of_the_three_left_neighbours_nearest_first() -> None:
    assert receivers(4, 0) == [(1, 2, 3), (2, 3, 0), (3, 0, 1), (0, 1, 2)]
    assert receivers(6, 1)[4] == (5, 0, 1)
    assert receivers(5, 0)[4] == (0, 1, 2)


def test_with_three_players_two_to_the_left_then_two_to_the_right() -> None:
    assert receivers(3, 0) == [(1, 1, 2, 2), (2, 2, 0, 0), (0, 0, 1, 1)]
    assert receivers(3, 1) == receivers(3, 0)


def test_alternate_goes_to_the_right_in_every_second_round() -> None:
    assert receivers(6, 0, alternate=True)[0] == (1, 2, 3)
    assert receivers(6, 1, alternate=True)[0] == (5, 4, 3)
    assert receivers(6, 2, alternate=True)[0] == (1, 2, 3)
    assert receivers(6, 1)[0] == (1, 2, 3)
    assert receivers(5, 1, alternate=True)[1] == (0, 4, 3)


def test_alternate_at_the_table() -> None:
    """Six players: round 1 goes to the left, round 2 to the right, round 3 to the left."""
    state = game(6, "fr", {"alternate": True})
    for direction, nearest in (("left", 1), ("right", 5), ("left", 1)):
        state = to("serve", state)
        assert GAME.view(state, 0)["direction"] == direction
        assert GAME.view(state, 0)["receivers"][0] == nearest
        state, events = serve_as_held(state)
        served = [event for event in events if event["kind"] == "served"]
        assert [event["receivers"][0] for event in served] == [(seat + nearest) % 6 for seat in range(6)]
        eaten = next(event for event in events if event["kind"] == "tasted")
        giver_of_first = (0 - nearest) % 6
        assert giver_of_first in eaten["makers"]


def test_everybody_gets_as_many_sandwiches_as_it_makes() -> None:
    for seats in range(3, 13):
        options = {"boxes": 1 if seats < 7 else 2}
        rules = Rules.of(rules_of(seats, "fr", **options), seats)
        for round_no in (0, 1):
            given = [
                (to_seat, (maker, place))
                for maker in range(seats)
                for place, to_seat in enumerate(rules.receivers(maker, round_no))
            ]
            for seat in range(seats):
                assert sorted(one for to_seat, one in given if to_seat == seat) == sorted(
                    rules.givers(seat, round_no)
                )
                assert len(rules.givers(seat, round_no)) == (4 if seats == 3 else 3)


def test_the_nearest_giver_comes_first() -> None:
    assert Rules.of(rules_of(5, "fr"), 5).givers(0, 0) == ((4, 0), (3, 1), (2, 2))
    assert Rules.of(rules_of(5, "fr", alternate=True), 5).givers(0, 1) == ((1, 0), (2, 1), (3, 2))
    assert Rules.of(rules_of(3, "fr"), 3).givers(0, 0) == ((2, 0), (2, 1), (1, 2), (1, 3))


# What is a legal serve


def test_all_decide_at_once() -> None:
    turn = GAME.turn(making())
    assert isinstance(turn, tuple)
    assert [(one.seat, one.kind, one.legal) for one in turn] == [(seat, "serve", None) for seat in range(4)]


def test_every_way_to_use_every_card_once_is_legal() -> None:
    assert hand(making(), 0) == SALAMI
    GAME.parse_move(
        making(), 0, serve("salami pear goat-cheese", "fig sardine carrot", "turkey trout lettuce")
    )


@pytest.mark.parametrize(
    ("sandwiches", "reason"),
    [
        (
            ["salami turkey sardine", "trout goat-cheese salami", "carrot pear fig"],
            "salami is used twice and held once; left out: lettuce$",
        ),
        (
            ["salami turkey bacon", "trout goat-cheese lettuce", "carrot pear fig"],
            "holds no bacon; left out: sardine$",
        ),
        (["salami turkey", "trout goat-cheese lettuce", "carrot pear fig"], "sandwich 0 has 2"),
        (
            ["salami turkey sardine", "trout goat-cheese lettuce carrot", "pear fig"],
            "sandwich 1 has 4",
        ),
        (
            ["salami turkey sardine", "trout goat-cheese lettuce"],
            "3 sandwiches, one for each receiver, not 2",
        ),
        (["salami turkey sardine"] * 4, "not 4"),
        ([], "not 0"),
        (
            ["salami turkey sardine", "trout goat-cheese lettuce", "carrot pear tofu"],
            'ingredient "tofu"',
        ),
    ],
)
def test_a_serve_that_breaks_a_rule_is_refused_and_says_which(sandwiches: list[str], reason: str) -> None:
    with pytest.raises(IllegalMove, match=reason):
        GAME.parse_move(making(), 0, serve(*sandwiches))


def test_a_card_forgotten_among_two_equal_ones_is_named() -> None:
    """Two boxes, and both hams in one hand: using one of them and another card twice leaves one out."""
    deck = " ".join(
        card
        for turn in range(9)
        for card in (["ham", "tuna"][turn] if turn < 2 else f"{MORE[turn]}", *ROWS[turn])
    )
    state = game(5, "en", {"boxes": 2, "trading": False}, decks={0: deck})
    while state.phase == "grab":
        state, _ = GAME.apply(
            state,
            {
                seat: GAME.parse_move(
                    state,
                    seat,
                    {"type": "grab", "order": [seat, *(other for other in range(5) if other != seat)]},
                )
                for seat in range(5)
            },
        )
    assert hand(state, 0) == "ham tuna ham apple pear melon mango fig grape"
    GAME.parse_move(state, 0, serve("ham tuna ham", "apple pear melon", "mango fig grape"))
    with pytest.raises(IllegalMove, match="tuna is used twice and held once; left out: ham"):
        GAME.parse_move(state, 0, serve("ham tuna tuna", "apple pear melon", "mango fig grape"))
    with pytest.raises(IllegalMove, match="ham is used 3 times and held twice; left out: tuna"):
        GAME.parse_move(state, 0, serve("ham ham ham", "apple pear melon", "mango fig grape"))


MORE = ["", "", "ham", "apple", "pear", "melon", "mango", "fig", "grape"]
ROWS = [
    ["brie", "feta", "gouda", "trout"],
    ["honey", "jam", "caramel", "snail"],
    ["carrot", "onion", "tomato", "lettuce"],
    ["mustard", "pesto", "ketchup", "hummus"],
    ["salmon", "herring", "anchovy", "sardine"],
    ["bacon", "salami", "turkey", "chicken"],
    ["cricket", "seaweed", "wasabi", "popcorn"],
    ["cheddar", "mozzarella", "spinach", "beetroot"],
    ["chocolate", "marshmallow", "chorizo", "mackerel"],
]


# Words


def worded(*words: Any) -> JSON:
    return {**as_held(making("fr", open=True), 0), "words": list(words)}


def test_words_may_go_with_sandwiches_given_face_up() -> None:
    state = making("fr", open=True)
    GAME.parse_move(state, 0, worded("so fresh", "", "x" * 200))
    GAME.parse_move(state, 0, as_held(state, 0))


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["a", "b", "x" * 201], "at most 200 characters, and that for sandwich 2 has 201"),
        (["a", "b"], "3 words, one for each sandwich, or none; not 2"),
        (["a", "b", "c", "d"], "not 4"),
        ([], "or left out"),
        (["a", None, "c"], "a word is text, and that for sandwich 1 is null"),
        (["a", "\ud800", "c"], "half of a surrogate pair"),
    ],
)
def test_words_that_cannot_be_are_refused(words: list[Any], reason: str) -> None:
    with pytest.raises(IllegalMove, match=reason):
        GAME.parse_move(making("fr", open=True), 0, worded(*words))


def test_words_must_be_a_list() -> None:
    with pytest.raises(IllegalMove, match='"words" is a list of words'):
        GAME.parse_move(making("fr", open=True), 0, {**worded(), "words": "tasty"})


def test_words_are_illegal_with_sandwiches_given_face_down() -> None:
    state = making("fr")
    with pytest.raises(IllegalMove, match="only with sandwiches given face up"):
        GAME.parse_move(state, 0, {**as_held(state, 0), "words": ["a", "b", "c"]})


# Who is told what


def served_by(state: State, seat: int, **more: Any) -> Event:
    """Return the event of one seat's serve."""
    moves = {
        other: GAME.parse_move(state, other, as_held(state, other)) for other in range(state.rules.seats)
    }
    moves[seat] = GAME.parse_move(state, seat, {**as_held(state, seat), **more})
    _, events = GAME.apply(state, moves)
    return next(event for event in events if event.kind == "served" and event.data["seat"] == seat)


def test_face_down_only_the_maker_sees_what_it_made() -> None:
    state = making("fr", tasting="free")
    event = served_by(state, 0)
    assert event.seen_by(None) == {"kind": "served", "seat": 0, "receivers": [1, 2, 3]}
    assert event.seen_by(1) == event.seen_by(None)
    assert event.seen_by(0)["sandwiches"] == as_held(state, 0)["sandwiches"]


def test_face_up_all_see_them() -> None:
    state = making("fr", open=True)
    event = served_by(state, 0)
    assert all(event.seen_by(seat) == event.seen_by(None) for seat in range(4))
    assert event.seen_by(None)["sandwiches"] == as_held(state, 0)["sandwiches"]


def test_a_word_is_given_on_to_the_receiver_alone() -> None:
    event = served_by(making("fr", open=True), 0, words=["one", "two", "three"])
    assert "words" not in event.seen_by(None)
    assert event.seen_by(0)["words"] == ["one", "two", "three"]
    assert event.seen_by(1)["words"] == ["one", None, None]
    assert event.seen_by(3)["words"] == [None, None, "three"]
    assert "words" not in served_by(making("fr", open=True), 0).seen_by(1)


def test_with_three_players_a_receiver_gets_two_words_and_in_a_larger_circle_some_get_none() -> None:
    three = served_by(making("fr", 3, open=True), 0, words=["a", "b", "c", "d"])
    assert three.seen_by(1)["words"] == ["a", "b", None, None]
    assert three.seen_by(2)["words"] == [None, None, "c", "d"]
    six = served_by(making("fr", 6, open=True), 0, words=["a", "b", "c"])
    assert "words" not in six.seen_by(4)


def test_the_longest_words_fit_a_line() -> None:
    """Twelve players, every word 200 control characters, which JSON writes with six bytes each."""
    state = making("en", 12, open=True, boxes=2, trading=False)
    words = ["\x01" * 200] * 3
    moves = {
        seat: GAME.parse_move(state, seat, {**as_held(state, seat), "words": words}) for seat in range(12)
    }
    _, events = GAME.apply(state, moves)
    line = json.dumps([[event.seen_by(3) for event in events], GAME.view(state, 3)])
    assert 10_000 < len(line) < GAME.info.line_bytes - 10_000
    assert len(json.dumps(GAME.format_move(moves[0]))) < GAME.info.line_bytes


def test_words_of_any_kind_are_told_in_one_plain_line() -> None:
    event = served_by(making("fr", open=True), 0, words=["a\nb", "\x1b[2J", "ünï"])
    for seat in range(4):
        told = GAME.describe(json.loads(json.dumps(event.seen_by(seat))))
        assert told.isascii()
        assert told.isprintable()
    assert r"to seat 1: 'a\nb'" in GAME.describe(event.seen_by(1))


def test_sandwiches_face_down_are_in_nobodys_view() -> None:
    state = making("fr", tasting="free")
    after, events = serve_as_held(state)
    assert kinds(events) == ["served"] * 4 + ["read_out"]
    for seat in (None, 0, 1, 2, 3):
        view = GAME.view(after, seat)
        assert view["hands"] == [[]] * 4
        assert view["plates"] == [[], [None] * 3, [None] * 3, [None] * 3]


def test_sandwiches_face_up_lie_in_every_view() -> None:
    state = making("fr", tasting="free", open=True)
    after, _ = serve_as_held(state)
    nearest = as_held(state, 0)["sandwiches"][0]
    assert GAME.view(after, None)["plates"][1][0] == nearest
    assert GAME.view(after, None)["plates"][0] == []
