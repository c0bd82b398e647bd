"""The codec under any bytes whatever: messages round-trip, and all else is MalformedLine."""

import json
from collections.abc import Callable
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from protocol.codec import decode, decode_arena, encode
from protocol.messages import (
    DEPTH,
    ArenaMessage,
    BotMessage,
)
from protocol.strict_json import parse
from protocol.verdicts import MalformedLine
from tests.protocol.any_messages import almost_messages, arena_messages, bot_messages, json_like


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
