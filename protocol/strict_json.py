"""Parse one line of JSON strictly, and explain what is wrong with it.

This is stricter than the JSON standard: no duplicate keys, no numbers that some
languages round, no strings that aren't valid text, and bounded nesting. It is
slow and thorough; `protocol.codec` uses it only for lines that its fast decoder
can't be sure of.
"""

import contextlib
import json
import re
from collections.abc import Callable
from math import isfinite
from typing import NoReturn

from protocol.messages import JSON, LARGEST_INTEGER
from protocol.verdicts import MalformedLine, Reason

_BOM = b"\xef\xbb\xbf"
_EXCERPT_CHARS = 60
_INTEGER_CHARS = len(str(-LARGEST_INTEGER))
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
# Each string, closed or not, is matched as a whole and only once, which keeps the time linear in the line.
_NOT_FINITE = re.compile(r"[+-]?(?:nan|inf)", re.IGNORECASE)

_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)


def parse(line: bytes | bytearray, depth: int) -> JSON:
    """Return the JSON value of a line given without its newline. Drops a leading BOM and allows white space.

    `depth` is the deepest nesting of arrays and objects. Raises MalformedLine, and nothing else, for any
    bytes.
    """
    text = _text(line)
    if not text.strip(" \t\r\n"):
        raise MalformedLine("the line is empty", reason=Reason.EMPTY_LINE)
    if text.count("[") + text.count("{") > depth:
        _check_depth(text, depth)
    try:
        value = json.loads(
            text,
            object_pairs_hook=_object(text),
            parse_int=_integer,
            parse_float=_float,
            parse_constant=_constant,
        )
    except json.JSONDecodeError as error:
        message = error.msg[:1].lower() + error.msg[1:]
        raise MalformedLine(
            f"not JSON: {message} at character {error.pos + 1}",
            excerpt(text, error.pos),
            _mistake(text, error.pos),
        ) from None
    if _SURROGATE_ESCAPE.search(text):
        _check_text(value)
    return value


def _mistake(text: str, at: int) -> Reason:
    """Return what kind of mistake a text is that isn't JSON; `at` is the first character that doesn't fit."""
    if "\0" in text:
        return Reason.NOT_UTF8
    before, after = text[:at].strip(" \t\r\n"), text[at:].lstrip(" \t\r\n")
    if not after and before.startswith(("{", "[")):
        return Reason.BEGUN_MESSAGE
    if not before.startswith("{"):  # not `[` either: many logs begin with `[INFO]`
        return Reason.TEXT
    with contextlib.suppress(ValueError):
        json.loads(before)
        return Reason.SEVERAL_MESSAGES
    if (before.endswith(",") and after[0] in "}]") or (
        after[0] == "," and after[1:].lstrip()[:1] in ("}", "]")
    ):
        return Reason.TRAILING_COMMA
    if _NOT_FINITE.match(after):
        return Reason.NOT_A_NUMBER
    if after[0] == "'" or after[0].isidentifier():
        return Reason.WITHOUT_QUOTES
    return Reason.BAD_JSON


def excerpt(text: str, around: int = 0) -> str:
    """Return at most 60 characters of the text around a position, in printable ASCII."""
    start = max(0, min(around - _EXCERPT_CHARS // 2, len(text) - _EXCERPT_CHARS))
    piece = ascii(text[start : start + _EXCERPT_CHARS])[1:-1]
    return ("…" if start else "") + piece + ("…" if start + _EXCERPT_CHARS < len(text) else "")


def _text(line: bytes | bytearray) -> str:
    start = len(_BOM) if line.startswith(_BOM) else 0
    try:
        return line[start:].decode()
    except UnicodeDecodeError as error:
        position = start + error.start
        raise MalformedLine(
            f"not UTF-8: byte 0x{line[position]:02x} at byte {position + 1}",
            excerpt(line.decode("latin-1"), position),
            Reason.NOT_UTF8,
        ) from None


def _check_depth(text: str, depth: int) -> None:
    level = 0
    for match in _STRING_OR_BRACKET.finditer(text):
        token = match.group()
        if token in ("[", "{"):
            level += 1
            if level > depth:
                raise MalformedLine(
                    f"nested deeper than {depth} arrays and objects", excerpt(text, match.start())
                )
        elif token in ("]", "}"):
            level -= 1


def _object(text: str) -> Callable[[list[tuple[str, JSON]]], dict[str, JSON]]:
    def build(pairs: list[tuple[str, JSON]]) -> dict[str, JSON]:
        built = dict(pairs)
        if len(built) != len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise MalformedLine(f'the key "{excerpt(twice)}" appears twice in one object', excerpt(text))
        return built

    return build


def _integer(digits: str) -> int:
    # Check the length first: converting thousands of digits is slow, and Python refuses it.
    if len(digits) > _INTEGER_CHARS or abs(int(digits)) > LARGEST_INTEGER:
        raise MalformedLine("a whole number beyond ±(2**53 - 1)", excerpt(digits))
    return int(digits)


def _float(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise MalformedLine("a number too large for a double", excerpt(digits))
    return number


def _constant(word: str) -> NoReturn:
    raise MalformedLine(f"{word} is not a JSON number", reason=Reason.NOT_A_NUMBER)


def _check_text(value: JSON) -> None:
    """Refuse strings that can't be encoded as UTF-8; the nesting has already been bounded."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise MalformedLine("half of a surrogate pair in a string", excerpt(value)) from None
    elif isinstance(value, list):
        for item in value:
            _check_text(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            _check_text(key)
            _check_text(item)
