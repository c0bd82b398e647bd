"""Reads untrusted TOML in bounded time and memory.

The parser of the standard library has no limits. A key of 20,000 parts in a file of 40 kB takes it seconds and more
than a gigabyte, deep nesting overflows its stack, and long numbers exceed Python's limit on digits. So this module
checks the size of a file before reading it, its tokens before parsing them, and its values before returning them.
"""

import codecs
import errno
import math
import os
import stat
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.config.errors import BadFile
from arena.config.key_lines import key_in_words, line_of
from arena.config.toml_mistakes import mistake
from arena.config.toml_tokens import TOKEN

LONGEST_INTEGER = 2**63 - 1
"""TOML's integers have 64 bits."""


@dataclass(frozen=True, slots=True)
class TomlBounds:
    """Limits on a TOML file."""

    what: str
    """The kind of file, for messages: `a league file`."""
    file_bytes: int
    items: int
    """Keys, parts of dotted keys, tables, arrays and their values, all together."""
    depth: int = 8
    """Arrays and inline tables nested in each other."""
    key_parts: int = 8
    """Parts of one dotted key, or of the name of a table."""
    word_chars: int = 128
    """Characters of a key, a number or a date."""
    string_chars: int = 4_096
    """Characters of a string, as written."""
    lines: int = 200_000
    """Number of lines; the parser spends time on empty ones too."""


def read_text(path: Path, bounds: TomlBounds) -> str:
    """Return the text of a file, without a byte order mark. Raises BadFile if it is too large or not text."""
    try:
        with open(path, "rb", opener=_open_at_once) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise BadFile(f"{path} is not a regular file", f"save {bounds.what} as a plain file")
            content = file.read(bounds.file_bytes + 1)
    except FileNotFoundError:
        if path.is_symlink():
            raise BadFile(
                f"{path} is a link to a file that doesn't exist", f"it leads to {path.readlink()}"
            ) from None
        raise BadFile(f"there is no file {path}") from None
    except IsADirectoryError:
        raise BadFile(f"{path} is a folder, not a file", f"give the path of {bounds.what}") from None
    except OSError as error:
        if error.errno == errno.ENXIO:  # a socket
            raise BadFile(f"{path} is not a regular file", f"save {bounds.what} as a plain file") from None
        hint = f"chmod u+r {path}" if error.errno == errno.EACCES else ""
        raise BadFile(f"{path} cannot be read: {error.strerror}", hint) from None
    return decoded(content, str(path), bounds)


def _open_at_once(path: str, flags: int) -> int:
    """Open a file without waiting: a plain open would wait forever for a pipe without a writer."""
    return os.open(path, flags | os.O_NONBLOCK)


def decoded(content: bytes, name: str, bounds: TomlBounds) -> str:
    """Return a file's bytes as text, without a byte order mark; `name` is the file's, for messages.

    Raises BadFile if there are too many bytes, or if they are not UTF-8.
    """
    if len(content) > bounds.file_bytes:
        raise BadFile(f"{name} is too large: the limit for {bounds.what} is {bounds.file_bytes:,} bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise BadFile(f"{name} is UTF-16 text, not UTF-8", "save the file as UTF-8") from None
        line = content.count(b"\n", 0, error.start) + 1
        raise BadFile(
            f"{name}:{line}: not UTF-8 text: {error.reason} at byte {error.start}",
            "save the file as UTF-8",
        ) from None


def load(text: str, name: str, bounds: TomlBounds) -> dict[str, Any]:
    """Return the content of TOML text; `name` is the file's, for messages.

    Raises BadFile, naming file and line, if the text is not TOML, exceeds `bounds`, or has integers beyond 64 bits,
    floats that are not finite, dates, or NUL characters.
    """
    check_tokens(text, name, bounds)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise mistake(error, text, name) from None
    for keys, value in _values(data, ()):
        if problem := _problem(value, bounds):
            line = line_of(text, list(keys))
            where = f"{name}:{line}" if line else name
            raise BadFile(f"{where}: {key_in_words('.'.join(keys))}: {problem}")
    return data


def check_tokens(text: str, name: str, bounds: TomlBounds) -> None:
    """Raise BadFile, naming file and line, for text that would be disproportionately expensive to parse."""
    if (lines := text.count("\n")) > bounds.lines:
        raise BadFile(
            f"{name}: {lines:,} lines; the limit for {bounds.what} is {bounds.lines:,}",
            "remove empty lines and comments",
        )
    depth = items = parts = 0

    def refused(problem: str, hint: str = "") -> BadFile:
        return BadFile(f"{name}:{text.count(chr(10), 0, token.start()) + 1}: {problem}", hint)

    for token in TOKEN.finditer(text):
        kind, length = token.lastgroup, token.end() - token.start()
        if kind == "string" and length > bounds.string_chars:
            raise refused(f"a string of {length:,} characters; the limit is {bounds.string_chars:,}")
        if kind == "word" and length > bounds.word_chars:
            raise refused(f"a key or number of {length:,} characters; the limit is {bounds.word_chars}")
        if kind != "mark":
            continue
        mark = token[0]
        if mark in "[{":
            depth += 1
        elif mark in "]}":
            depth = max(0, depth - 1)
        parts = parts + 1 if mark == "." else 0
        items += mark not in "]}\n"
        if depth > bounds.depth:
            raise refused(f"arrays or tables nested more than {bounds.depth} deep")
        if parts >= bounds.key_parts:
            raise refused(
                f"a dotted key with more than {bounds.key_parts} parts",
                'put a name that contains dots in quotes: "a.b" = 1',
            )
        if items > bounds.items:
            raise refused(f"more than {bounds.items:,} keys and values, the limit for {bounds.what}")


def _values(value: Any, keys: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield each key path with its key, and each path of a plain value with the value."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield (*keys, key), key
            yield from _values(item, (*keys, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _values(item, (*keys, str(index)))
    else:
        yield keys, value


def _problem(value: Any, bounds: TomlBounds) -> str | None:
    """Return what is wrong with a value, or None."""
    match value:
        case bool():
            return None
        case int():
            if abs(value) > LONGEST_INTEGER:
                return "an integer that needs more than 64 bits"
        case float():
            if not math.isfinite(value):
                return f"{value} is not a finite number"
        case str():
            if "\0" in value:
                return "a NUL character (\\u0000), which no name or argument can contain"
            if len(value) > bounds.string_chars:
                return f"a string of {len(value):,} characters; the limit is {bounds.string_chars:,}"
        case _:
            return f"{value} is a date or time, which no key takes; put text in quotes"
    return None
