"""Reading the shape of a move: what is refused, and in which words."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.core.errors import IllegalMove
from arena.core.move_parsing import read_shape, shown, whole_number

REQUIRED: dict[str, tuple[str, ...]] = {"play": ("card",), "give": ("card", "to"), "stop": ()}
OPTIONAL = {"give": ("word",)}


@pytest.mark.parametrize(
    "raw",
    [
        {"type": "stop"},
        {"type": "play", "card": None},
        {"to": 1, "card": [], "type": "give"},
        {"type": "give", "card": 1, "to": 2, "word": "x"},
    ],
)
def test_moves_of_the_right_shape_are_read(raw: dict[str, Any]) -> None:
    assert read_shape(raw, REQUIRED, OPTIONAL) == (raw["type"], raw)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (None, "a move is a JSON object, not null"),
        ("stop", 'a move is a JSON object, not "stop"'),
        ([{"type": "stop"}], "a move is a JSON object, not a list"),
        (True, "a move is a JSON object, not true"),
        (1.5, "a move is a JSON object, not 1.5"),
        ({}, 'the type of a move is "play", "give" or "stop"; here it is left out'),
        ({"type": "pass"}, 'the type of a move is "play", "give" or "stop"; here it is "pass"'),
        ({"type": None}, 'the type of a move is "play", "give" or "stop"; here it is null'),
        ({"type": ["stop"]}, 'the type of a move is "play", "give" or "stop"; here it is a list'),
        ({"type": {}}, 'the type of a move is "play", "give" or "stop"; here it is an object'),
        ({"type": "play"}, 'a move of type "play" needs "card"'),
        ({"type": "give"}, 'a move of type "give" needs "card" and "to"'),
        ({"type": "give", "to": 1, "word": ""}, 'a move of type "give" needs "card"'),
        ({"type": "stop", "card": "7"}, 'a move of type "stop" has no key "card"'),
        ({"type": "play", "card": "7", "word": ""}, 'a move of type "play" has no key "word"'),
        ({"type": "stop", "x" * 100: 1}, f'a move of type "stop" has no key "{"x" * 40}…"'),
    ],
)
def test_other_shapes_are_refused_in_words(raw: Any, message: str) -> None:
    with pytest.raises(IllegalMove) as refusal:
        read_shape(raw, REQUIRED, OPTIONAL)
    assert str(refusal.value) == message


def test_a_game_with_one_type_of_move_says_so() -> None:
    with pytest.raises(IllegalMove, match=r'^the type of a move is "stop"; here it is 3$'):
        read_shape({"type": 3}, {"stop": ()})


@pytest.mark.parametrize("raw", [True, False, 1.0, "1", None, [1], {}])
def test_only_whole_numbers_are_whole_numbers(raw: Any) -> None:
    with pytest.raises(IllegalMove, match=r"^a position is a whole number, not "):
        whole_number(raw, "a position")
    assert whole_number(-3, "a position") == -3


@given(st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.integers(10**5000, 10**5001))
def test_anything_can_be_shown_on_one_short_line(raw: Any) -> None:
    text = shown(raw)
    assert text.isprintable()
    assert 0 < len(text) <= 500
    text.encode()


def test_what_is_shown_is_plain_and_cut() -> None:
    assert shown("7") == '"7"'
    assert shown("é\n\ud800") == r'"\xe9\n\ud800"'
    assert shown("a" * 41) == '"' + "a" * 40 + '…"'
    assert shown(10**39) == str(10**39)
    assert shown(-(10**5000)) == "a very large number"
