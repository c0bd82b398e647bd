"""Encode messages as lines and decode lines into messages.

The referee decodes the bots' lines on its hot path, so there are two decoders.
The fast one uses msgspec for syntax and types, then checks that it missed
nothing. If it can't be sure, the line goes to the slow, thorough decoder in
`protocol.strict_json`, which returns the message or the reason to reject it.
Both return the same message for every line that the fast one accepts.
"""

from typing import Any

import msgspec

from protocol.messages import (
    DEPTH,
    JSON,
    LARGEST_INTEGER,
    LINE_BYTES,
    NOTE_CHARS,
    ArenaMessage,
    BotMessage,
    HelloReply,
    Message,
    Move,
    Ready,
)
from protocol.strict_json import excerpt, parse
from protocol.verdicts import LineTooLong, MalformedLine, Reason

__all__ = ["LineTooLong", "MalformedLine", "decode", "decode_arena", "encode"]

_COLON = ord(":")
_UNSURE = -1_000_000
"""More than the number of colons in any line: a count of keys that includes this never matches."""

_bot_message = msgspec.json.Decoder(BotMessage).decode
_encode = msgspec.json.Encoder().encode


def encode(message: Message, line_bytes: int = LINE_BYTES) -> bytes:
    """Return the message as compact JSON in UTF-8, newline included, in at most `line_bytes` bytes.

    Raises LineTooLong. Numbers in the message must be finite and within ±(2**53 - 1).
    """
    line = _encode(message) + b"\n"
    if len(line) > line_bytes:
        raise LineTooLong(
            f"the message {type(message).__name__} has {len(line)} bytes; a line is limited to {line_bytes}"
        )
    return line


def decode(
    line: bytes | bytearray,
    line_bytes: int = LINE_BYTES,
    depth: int = DEPTH,
    note_chars: int = NOTE_CHARS,
) -> BotMessage:
    """Return the message in a bot's line, given without its newline.

    The line may have up to `line_bytes` bytes (newline included) and `depth` levels of arrays and objects (at
    least 1). A note longer than `note_chars` characters is cut. Raises MalformedLine, and nothing else,
    for any bytes.
    """
    if len(line) >= line_bytes:
        raise MalformedLine(
            f"a line of more than {line_bytes} bytes", excerpt(line.decode("latin-1")), Reason.LONG_LINE
        )
    message: BotMessage | None
    try:
        message = _bot_message(line)
    except (ValueError, RecursionError):  # all that msgspec raises
        message = None
    if message is None or _keys_of(message, depth) != line.count(_COLON):
        message = _checked_message(parse(line, depth))
    if type(message) is Move and message.note is not None and len(message.note) > note_chars:
        return Move(message.id, message.move, message.note[:note_chars])
    return message


def decode_arena(line: bytes | bytearray, depth: int = DEPTH) -> ArenaMessage:
    """Return the message in a line from the arena, without its newline: for tools. Raises MalformedLine."""
    value = parse(line, depth)
    try:
        message: ArenaMessage = msgspec.convert(value, ArenaMessage)
    except msgspec.ValidationError as error:
        raise MalformedLine(f"not a message of the arena: {error}") from None
    return message


def _keys_of(message: BotMessage, depth: int) -> int:
    """Return how many keys the line has if it holds this message and nothing else.

    A line has one colon for each key and one for each colon inside a string. If this
    count equals the number of colons, no key is duplicated and no unknown field was
    skipped: the decoder saw everything in the line. A negative count means that
    the line needs the thorough decoder.
    """
    if type(message) is Move:
        keys, move = 3 if message.note is None else 4, message.move
        if type(move) is not dict or depth < 2:
            return keys + _keys_in(move, depth - 1)
        keys += len(move)  # as in `_keys_in`, for most moves
        for item in move.values():
            if type(item) is not str:
                keys += _keys_in(item, depth - 2)
        return keys
    return 1 if isinstance(message, Ready) else 2


def _keys_in(value: JSON, depth: int) -> int:
    kind = type(value)
    if kind is str or value is None or kind is bool or kind is float:  # msgspec refuses non-finite floats
        return 0
    if kind is int:
        return 0 if -LARGEST_INTEGER <= value <= LARGEST_INTEGER else _UNSURE
    if depth == 0:
        return _UNSURE
    if kind is dict:
        keys = len(value)
        for item in value.values():
            if type(item) is not str:
                keys += _keys_in(item, depth - 1)
        return keys
    keys = 0
    for item in value:
        if type(item) is not str:
            keys += _keys_in(item, depth - 1)
    return keys


def _checked_message(value: JSON) -> BotMessage:
    """Return the message for a strictly parsed value. Raises MalformedLine, naming the field."""
    if type(value) is not dict:
        raise MalformedLine(f"a message is an object, but this is {_kind(value)}", reason=Reason.NO_OBJECT)
    if "type" not in value:
        raise _bad_field("the message lacks the field `type`")
    match value["type"]:
        case "move":
            note = value.get("note")
            if note is not None and type(note) is not str:
                raise _bad_field(f"field `note` is {_kind(note)}, not a string")
            return Move(_integer(value, "id"), _present(value, "move"), note)
        case "ready":
            return Ready()
        case "hello":
            return HelloReply(_integer(value, "protocol"))
        case str(other):
            raise _bad_field("unknown message type; a bot sends `hello`, `ready` or `move`", excerpt(other))
        case other:
            raise _bad_field(f"field `type` is {_kind(other)}, not a string")


def _bad_field(words: str, shown: str = "") -> MalformedLine:
    return MalformedLine(words, shown, Reason.BAD_FIELDS)


def _present(fields: dict[str, JSON], name: str) -> JSON:
    if name not in fields:
        raise _bad_field(f"the `{fields['type']}` message lacks the field `{name}`")
    return fields[name]


def _integer(fields: dict[str, JSON], name: str) -> int:
    value = _present(fields, name)
    if type(value) is not int:
        raise _bad_field(f"field `{name}` is {_kind(value)}, not a whole number")
    return value


def _kind(value: Any) -> str:
    """Describe the type of a JSON value in words."""
    if value is None:
        return "null"
    return {
        bool: "true or false",
        int: "a number",
        float: "a number with a point or exponent",
        str: "a string",
        list: "an array",
        dict: "an object",
    }[type(value)]
