"""The codec under any bytes whatever: messages round-trip, and all else is MalformedLine."""

import json
from collections.abc import Callable
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from protocol.codec import decode, decode_arena, encode
from protocol.errors import MalformedLine
from protocol.limits import DEFAULT_CLOCK, DEFAULT_LIMITS, DEPTH, NOTE_CHARS
from protocol.messages import (
    LARGEST_INTEGER,
    ArenaMessage,
    Ask,
    BotMessage,
    End,
    Hello,
    HelloReply,
    Move,
    Quit,
    Ready,
    Start,
    Time,
)
from protocol.strict_json import parse

wire_integers = st.integers(-LARGEST_INTEGER, LARGEST_INTEGER)
wire_text = st.text(st.characters(exclude_categories=["Cs"]))
wire_values = st.recursive(
    st.none() | st.booleans() | wire_integers | st.floats(allow_nan=False, allow_infinity=False) | wire_text,
    lambda children: st.lists(children, max_size=4) | st.dictionaries(wire_text, children, max_size=4),
    max_leaves=12,
)
wire_objects = st.dictionaries(wire_text, wire_values, max_size=4)
bot_messages = st.one_of(
    st.builds(HelloReply, wire_integers),
    st.just(Ready()),
    st.builds(Move, wire_integers, wire_values, st.none() | wire_text.map(lambda text: text[:NOTE_CHARS])),
)
natural = st.integers(0, LARGEST_INTEGER)
times = st.builds(Time, natural, natural)
ask_heads = (natural, wire_text, wire_objects, st.lists(wire_objects, max_size=3), times)
arena_messages = st.one_of(
    st.builds(Hello, st.lists(wire_integers)),
    st.builds(
        Start,
        game=wire_text,
        ruleset=wire_text,
        options=wire_objects,
        seat=natural,
        seats=st.integers(1, 12),
        bot_seed=natural,
        clock=st.just(DEFAULT_CLOCK),
        limits=st.just(DEFAULT_LIMITS),
        private=wire_objects,
    ),
    st.builds(Ask, *ask_heads, legal=st.lists(wire_values, max_size=3)),
    st.builds(Ask, *ask_heads, example=wire_values),
    st.builds(End, st.lists(natural), st.lists(wire_integers), st.lists(st.none() | wire_text), st.just([])),
    st.just(Quit()),
)


@given(bot_messages)
def test_bot_messages_round_trip(message: BotMessage) -> None:
    line = encode(message, line_bytes=1 << 20)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert decode(line[:-1], line_bytes=1 << 20) == message


@given(arena_messages)
def test_arena_messages_round_trip(message: ArenaMessage) -> None:
    line = encode(message, line_bytes=1 << 20)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert decode_arena(line[:-1]) == message


json_like = st.recursive(
    st.sampled_from(
        [
            "null",
            "true",
            "0",
            "-1",
            "17",
            "1.5",
            "1e999",
            "NaN",
            "9007199254740993",
            '"a"',
            '"a:b"',
            '"\\ud800"',
            "'",
        ]
    )
    | wire_text.map(json.dumps),
    lambda children: st.one_of(
        st.lists(children, max_size=4).map(lambda items: "[" + ",".join(items) + "]"),
        st.lists(
            st.tuples(st.sampled_from(["a", "b", "type", "id", "a:b", "\\u0061"]), children), max_size=4
        ).map(lambda pairs: "{" + ",".join(f'"{key}":{value}' for key, value in pairs) + "}"),
    ),
    max_leaves=10,
)
almost_messages = st.lists(
    st.tuples(
        st.sampled_from(["type", "id", "move", "note", "protocol", "other", "ty\\u0070e"]),
        st.sampled_from(['"move"', '"ready"', '"hello"', "1", "true", "null"]) | json_like,
    ),
    max_size=6,
).map(lambda pairs: ("{" + ",".join(f'"{key}":{value}' for key, value in pairs) + "}").encode())


@st.composite
def spoilt_messages(draw: st.DrawFn) -> bytes:
    line = bytearray(encode(draw(bot_messages), line_bytes=1 << 20)[:-1])
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(line)))
        line[at : at + draw(st.integers(0, 3))] = draw(st.binary(max_size=3))
    return bytes(line)


@given(st.binary() | json_like.map(str.encode) | almost_messages | spoilt_messages())
@example(b'{"type":"move","id":1,"move":{"a":1,"a":"b:"}}')
def test_nothing_but_malformed_line_and_both_ways_agree(line: bytes) -> None:
    """The thorough way decides what a line holds; the fast way must never accept more or read other."""
    message, reason = _outcome(decode, line)
    value, refusal = _outcome(lambda line: parse(line, DEPTH), line)
    if refusal:
        assert reason == refusal
    elif not _means_a_message(value):
        assert reason
    else:
        assert not reason
        written = json.loads(encode(message))
        assert written == {key: value[key] for key in written}


def _outcome(read: Callable[[bytes], Any], line: bytes) -> tuple[Any, str]:
    try:
        return read(line), ""
    except MalformedLine as error:
        return None, str(error)


def _means_a_message(value: Any) -> bool:
    """Say what a message is a second time, in the plainest words."""
    if not isinstance(value, dict):
        return False
    integer = {name: type(value.get(name)) is int for name in ("id", "protocol")}
    return (
        value.get("type") == "ready"
        or (value.get("type") == "hello" and integer["protocol"])
        or (
            value.get("type") == "move"
            and integer["id"]
            and "move" in value
            and (value.get("note") is None or type(value["note"]) is str)
        )
    )
