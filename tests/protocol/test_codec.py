"""The codec, case by case: what is tolerated, and each class of bad line by name."""

import json
from typing import Any

import pytest

from protocol.codec import decode, decode_arena, encode
from protocol.messages import (
    DEPTH,
    LARGEST_INTEGER,
    LINE_BYTES,
    NOTE_CHARS,
    Ask,
    Hello,
    HelloReply,
    Move,
    Quit,
    Ready,
    Time,
)
from protocol.verdicts import LineTooLong, MalformedLine, Reason

MOVE = b'{"type":"move","id":17,"move":{"type":"play","card":"7"}}'


def move_with(raw: str) -> bytes:
    return b'{"type":"move","id":1,"move":' + raw.encode() + b"}"


def test_lines_are_compact_and_keep_the_order_of_fields() -> None:
    ask = Ask(3, "turn", {"hand": ["7"]}, [], Time(1000, 9400), legal=[{"type": "stop"}])
    assert encode(ask) == (
        b'{"type":"ask","id":3,"kind":"turn","view":{"hand":["7"]},"events":[],'
        b'"time":{"move_ms":1000,"bank_ms":9400},"legal":[{"type":"stop"}]}\n'
    )
    assert encode(Move(3, {"type": "stop"})) == b'{"type":"move","id":3,"move":{"type":"stop"}}\n'
    assert encode(HelloReply(1)) == b'{"type":"hello","protocol":1}\n'
    assert encode(Quit()) == b'{"type":"quit"}\n'


def test_text_beyond_ascii_travels_as_utf8() -> None:
    assert encode(Move(1, "Größe")) == '{"type":"move","id":1,"move":"Größe"}\n'.encode()
    assert decode(move_with('"Größe 🥪"')) == Move(1, "Größe 🥪")


def test_a_message_of_the_arena_that_does_not_fit_is_refused() -> None:
    ask = Ask(1, "turn", {"x": "a" * 200}, [], Time(0, 0), example=None)
    length = len(encode(ask))
    assert encode(ask, line_bytes=length)
    with pytest.raises(LineTooLong, match=f"{length} bytes; a line is limited to {length - 1}"):
        encode(ask, line_bytes=length - 1)


# What is tolerated


@pytest.mark.parametrize(
    "line",
    [
        MOVE,
        MOVE + b"\r",
        b"\xef\xbb\xbf" + MOVE,
        b" " + MOVE.replace(b":", b" : ").replace(b",", b" , ") + b"\t ",
        b'{"move":{"card":"7","type":"play"},"id":17,"type":"move"}',
        b'{"type":"move","id":17,"move":{"type":"play","card":"7"},"note":null}',
        b'{"type":"move","id":17,"move":{"type":"play","card":"7"},"time":{"a":[1.5,{}]},"id2":0}',
        b'{"type":"move","id":17,"move":{"ty\\u0070e":"play","card":"\\u0037"}}',
    ],
)
def test_harmless_differences_mean_the_same_move(line: bytes) -> None:
    assert decode(line) == Move(17, {"type": "play", "card": "7"})
    assert decode(bytearray(line)) == Move(17, {"type": "play", "card": "7"})


def test_colons_in_strings_are_no_keys() -> None:
    assert decode(move_with('{"a:b":"c:::d"}')) == Move(1, {"a:b": "c:::d"})
    assert decode(b'{"type":"ready","remark":"a:b"}') == Ready()


def test_the_edges_of_what_fits() -> None:
    assert decode(move_with(str(LARGEST_INTEGER))) == Move(1, LARGEST_INTEGER)
    assert decode(move_with(str(-LARGEST_INTEGER))) == Move(1, -LARGEST_INTEGER)
    assert decode(move_with("-0")) == Move(1, 0)
    assert decode(move_with("1.7976931348623157e308")) == Move(1, 1.7976931348623157e308)
    assert decode(move_with("1e-999")) == Move(1, 0.0)
    deepest: Any = 0
    for _ in range(DEPTH - 1):
        deepest = [deepest]
    assert decode(move_with(json.dumps(deepest))) == Move(1, deepest)
    assert decode(move_with('"' + "[{" * 40 + '\\""')) == Move(1, "[{" * 40 + '"')
    padding = b" " * (LINE_BYTES - 1 - len(MOVE))
    assert decode(MOVE + padding) == Move(17, {"type": "play", "card": "7"})


def test_a_long_note_is_cut_and_a_short_one_kept() -> None:
    def note_of(text: str, **limits: int) -> str | None:
        message = decode(encode(Move(1, 0, text))[:-1], **limits)
        assert isinstance(message, Move)
        return message.note

    assert note_of("ü" * NOTE_CHARS) == "ü" * NOTE_CHARS
    assert note_of("ü" * (NOTE_CHARS + 1)) == "ü" * NOTE_CHARS
    assert note_of("a: b", note_chars=2) == "a:"
    assert note_of("abc", note_chars=0) == ""
    assert note_of("") == ""


# What is refused, and in which words

BAD_LINES = [
    (b"", "the line is empty"),
    (b" \t\r", "the line is empty"),
    (b"\xef\xbb\xbf", "the line is empty"),
    (b"move 7", "not JSON: expecting value at character 1"),
    (MOVE[:-1], "not JSON"),
    (MOVE + b"}", "not JSON: extra data"),
    (MOVE + MOVE, "not JSON: extra data"),
    (b'\xef\xbb\xbf\xef\xbb\xbf{"type":"ready"}', "not JSON"),
    (move_with('"a\x01b"'), "not JSON: invalid control character"),
    (move_with("'a'"), "not JSON"),
    (move_with("01"), "not JSON"),
    (move_with("{},"), "not JSON"),
    ('{"type":"ready"}'.encode("utf-16-le"), "not JSON"),
    ('{"type":"ready"}'.encode("utf-16"), "not UTF-8: byte 0xff at byte 1"),
    (b'{"type":"ready","x":"\xff"}', "not UTF-8: byte 0xff at byte 22"),
    (b'{"type":"ready","x":"\xed\xa0\x80"}', "not UTF-8: byte 0xed"),
    (b'{"type":"move","id":1,"move":"\xc3"}', "not UTF-8: byte 0xc3"),
    (b"\xef\xbb\xbf\xfe", "not UTF-8: byte 0xfe at byte 4"),
    (b"[]", "a message is an object, but this is an array"),
    (b'"ready"', "a message is an object, but this is a string"),
    (b"17", "a message is an object, but this is a number"),
    (b"true", "a message is an object, but this is true or false"),
    (b"null", "a message is an object, but this is null"),
    (b"{}", "the message lacks the field `type`"),
    (b'{"id":1,"move":0}', "the message lacks the field `type`"),
    (b'{"type":7}', "field `type` is a number, not a string"),
    (b'{"type":null}', "field `type` is null, not a string"),
    (b'{"type":"ask"}', "unknown message type"),
    (b'{"type":"Ready"}', "unknown message type"),
    (b'{"type":"move","move":0}', "the `move` message lacks the field `id`"),
    (b'{"type":"move","id":1}', "the `move` message lacks the field `move`"),
    (b'{"type":"hello"}', "the `hello` message lacks the field `protocol`"),
    (b'{"type":"hello","protocol":"1"}', "field `protocol` is a string, not a whole number"),
    (b'{"type":"move","id":true,"move":0}', "field `id` is true or false, not a whole number"),
    (b'{"type":"move","id":1.0,"move":0}', "field `id` is a number with a point or exponent"),
    (b'{"type":"move","id":1e0,"move":0}', "field `id` is a number with a point or exponent"),
    (b'{"type":"move","id":null,"move":0}', "field `id` is null"),
    (b'{"type":"move","id":1,"move":0,"note":7}', "field `note` is a number, not a string"),
    (b'{"type":"move","id":1,"move":0,"note":{}}', "field `note` is an object, not a string"),
    (move_with("NaN"), "NaN is not a JSON number"),
    (move_with("[Infinity]"), "Infinity is not a JSON number"),
    (move_with("-Infinity"), "-Infinity is not a JSON number"),
    (b'{"type":"ready","x":NaN}', "NaN is not a JSON number"),
    (move_with(str(LARGEST_INTEGER + 1)), "a whole number beyond"),
    (move_with(f'{{"a":[{-LARGEST_INTEGER - 1}]}}'), "a whole number beyond"),
    (move_with(str(2**64)), "a whole number beyond"),
    (move_with("9" * 5000), "a whole number beyond"),
    (b'{"type":"ready","x":9007199254740992}', "a whole number beyond"),
    (b'{"type":"move","id":9007199254740992,"move":0}', "a whole number beyond"),
    (b'{"type":"move","id":' + b"9" * 5000 + b',"move":0}', "a whole number beyond"),
    (move_with("1e999"), "a number too large for a double"),
    (move_with("[-1e309]"), "a number too large for a double"),
    (b'{"type":"ready","x":1e999}', "a number too large for a double"),
    (b'{"type":"move","id":1,"id":2,"move":0}', 'the key "id" appears twice'),
    (b'{"type":"move","type":"move","id":1,"move":0}', 'the key "type" appears twice'),
    (b'{"type":"move","id":1,"move":0,"note":"a","note":"b"}', 'the key "note" appears twice'),
    (move_with('{"a":1,"a":1}'), 'the key "a" appears twice'),
    (move_with('[{"b":{"a":1,"\\u0061":2}}]'), 'the key "a" appears twice'),
    (b'{"type":"ready","x":{"a":0,"a":0}}', 'the key "a" appears twice'),
    (move_with("[" * DEPTH + "]" * DEPTH), f"nested deeper than {DEPTH}"),
    (move_with('{"a":' * DEPTH + "0" + "}" * DEPTH), f"nested deeper than {DEPTH}"),
    (b'{"type":"ready","x":' + b"[" * DEPTH + b"]" * DEPTH + b"}", f"nested deeper than {DEPTH}"),
    (b"[" * 60_000, f"nested deeper than {DEPTH}"),
    (b'{"a":' * 12_000, f"nested deeper than {DEPTH}"),
    (move_with("[" * 30_000 + "]" * 30_000), f"nested deeper than {DEPTH}"),
    (move_with('"\\ud800"'), "half of a surrogate pair"),
    (move_with('"\\udc00\\ud800"'), "half of a surrogate pair"),
    (move_with('{"\\uD83E":1}'), "half of a surrogate pair"),
    (b'{"type":"ready","x":["\\udfff"]}', "half of a surrogate pair"),
    (b'{"type":"ready"' + b" " * LINE_BYTES + b"}", f"a line of more than {LINE_BYTES} bytes"),
    (MOVE + b" " * (LINE_BYTES - len(MOVE)), f"a line of more than {LINE_BYTES} bytes"),
]


@pytest.mark.parametrize(("line", "words"), BAD_LINES, ids=[words for _, words in BAD_LINES])
def test_bad_lines_are_named(line: bytes, words: str) -> None:
    with pytest.raises(MalformedLine) as caught:
        decode(line)
    assert caught.value.words.startswith(words)


REASONS = {
    Reason.TEXT: (
        b"move 7",
        b"thinking about 'ask'",
        b"42 is best",
        b'Picked up JAVA_TOOL_OPTIONS: "-Xmx64m"',
    ),
    Reason.BEGUN_MESSAGE: (b"{", b"[", b" {\r", MOVE[:-1], b'{"type": "move",', b'{ "type":'),
    Reason.WITHOUT_QUOTES: (
        b"{'type': 'ready'}",
        b"{ type: 'move', id: 1, move: 0 }",
        b'{"type": "move", "id": 1, "move": None}',
        b'{"type":"move","id":1,"move":{"open":True}}',
    ),
    Reason.TRAILING_COMMA: (b'{"type":"ready",}', b'{"type":"move","id":1,"move":[1, 2, ]}'),
    Reason.NOT_A_NUMBER: (move_with("NaN"), move_with("-Infinity"), move_with("nan"), move_with("-inf")),
    Reason.SEVERAL_MESSAGES: (MOVE + MOVE, b'{"type":"ready"} {"type":"ready"}', MOVE + b" # my move"),
    Reason.EMPTY_LINE: (b"", b" \r"),
    Reason.NOT_UTF8: (
        '{"type":"ready"}'.encode("utf-16"),
        '{"type":"ready"}'.encode("utf-16-le"),
        '{"type":"ready","x":"é"}'.encode("latin-1"),
    ),
    Reason.BAD_JSON: (
        move_with("01"),
        b'{"type":"move","type":"move","id":1,"move":0}',
        move_with('"\\ud800"'),
    ),
    Reason.LONG_LINE: (MOVE + b" " * (LINE_BYTES - len(MOVE)),),
    Reason.BAD_FIELDS: (
        b"{}",
        b'{"type":"Ready"}',
        b'{"type":"move","move":0}',
        b'{"type":"hello","protocol":"1"}',
    ),
    Reason.NO_OBJECT: (b"[]", b"17"),
}


@pytest.mark.parametrize("reason", REASONS)
def test_the_kind_of_mistake_is_known(reason: Reason) -> None:
    for line in REASONS[reason]:
        with pytest.raises(MalformedLine) as caught:
            decode(line)
        assert caught.value.reason == reason, line


@pytest.mark.parametrize("line", [line for line, _ in BAD_LINES] + [b"\x1b[2J\x00\xff" * 30])
def test_excerpts_are_short_and_safe_to_print(line: bytes) -> None:
    with pytest.raises(MalformedLine) as caught:
        decode(line)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 1000
    assert "\x1b" not in str(caught.value)


def test_the_excerpt_shows_the_place() -> None:
    with pytest.raises(MalformedLine) as caught:
        decode(move_with('"' + "a" * 300 + '", here: 1'))
    assert "here" in caught.value.excerpt
    assert caught.value.excerpt.startswith("…")


def test_strings_that_never_close_cost_no_more_than_their_length() -> None:
    """A naive search tries each of the 30,000 quotes anew, and takes minutes."""
    line = move_with("[" * 20 + '"' + '\\"' * 30_000)
    with pytest.raises(MalformedLine):
        decode(line)


def test_depth_and_length_follow_the_limits_given() -> None:
    assert decode(move_with("[[]]"), depth=3) == Move(1, [[]])
    with pytest.raises(MalformedLine, match="nested deeper than 2"):
        decode(move_with("[[]]"), depth=2)
    assert decode(b'{"type":"ready"}', depth=1) == Ready()
    with pytest.raises(MalformedLine, match="nested deeper than 1"):
        decode(move_with("[]"), depth=1)
    with pytest.raises(MalformedLine, match="more than 57 bytes"):
        decode(MOVE, line_bytes=57)
    assert decode(MOVE, line_bytes=58)


# Lines of the arena


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"type":"ready"}', "not a message of the arena"),
        (b'{"type":"hello"}', "not a message of the arena"),
        (
            b'{"type":"ask","id":-1,"kind":"","view":{},"events":[],"time":{"move_ms":0,"bank_ms":0}}',
            "not a message",
        ),
        (b'{"type":"quit","type":"quit"}', 'the key "type" appears twice'),
    ],
)
def test_bad_lines_of_an_arena_are_named(line: bytes, reason: str) -> None:
    with pytest.raises(MalformedLine, match=reason):
        decode_arena(line)


def test_unknown_fields_of_an_arena_are_ignored() -> None:
    assert decode_arena(b'{"type":"hello","protocols":[2,1],"banner":{"a":1}}') == Hello([2, 1])
