"""Reads TOML within bounds, finds the lines of its keys, and says what is wrong with it where it stands."""

import codecs
import errno
import math
import os
import re
import stat
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from inspect import cleandoc
from pathlib import Path
from typing import Any

from msgspec import Struct

from arena.core.errors import BadFile
from results.base.text import meanings

LONGEST_INTEGER = 2**63 - 1
"""TOML's integers have 64 bits."""


def explained(table: Mapping[str, Any]) -> tuple[str, str, dict[str, str]]:
    """Return a table's header, what it is for, and what each of its keys means, from the JSON schema of its type.

    The type's docstring is "`[header]`: what it is for.", and has the keys below `Keys:`.
    """
    docstring = cleandoc(table.get("description", ""))
    said, _, _ = docstring.partition("\n\nKeys:\n")
    heading, _, purpose = said.partition(": ")
    return heading.strip("`"), purpose, meanings(docstring, "Keys")


class TomlBounds(Struct, frozen=True):
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


LEAGUE_FILE_BOUNDS = TomlBounds("a league file", file_bytes=4_194_304, items=200_000)
"""Enough for ten thousand entries, each with a path, a label and arguments."""


def read_text(path: Path, bounds: TomlBounds) -> str:
    """Return the text of a file, without a byte order mark. Raises BadFile if it is too large or not text."""
    try:
        with open(path, "rb", opener=_open_at_once) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise BadFile(f"{path} is not a regular file", f"save {bounds.what} as a plain file")
            content = file.read(bounds.file_bytes + 1)
    except FileNotFoundError:
        if not path.is_symlink():
            raise BadFile(f"there is no file {path}", f"give the path of {bounds.what}") from None
        said = f"{path} is a link to a file that doesn't exist"
        raise BadFile(said, f"it leads to {path.readlink()}") from None
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
    """Return a file's bytes as text without byte order mark. Raises BadFile if too long, or not UTF-8."""
    if len(content) > bounds.file_bytes:
        raise BadFile(f"{name} is too large: the limit for {bounds.what} is {bounds.file_bytes:,} bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise BadFile(f"{name} is UTF-16 text, not UTF-8", "save the file as UTF-8") from None
        line = content.count(b"\n", 0, error.start) + 1
        raise BadFile(
            f"{name}:{line}: not UTF-8 text: {error.reason} at byte {error.start}", "save the file as UTF-8"
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
            raise BadFile(placed(name, text, keys, problem))
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


TOKEN = re.compile(
    r"""
    (?P<comment> \# [^\n]* )
    | (?P<string>
        \"{3} (?: [^"\\] | \\. | " (?!"") )*+ (?: "{3,5} | \Z )
      | '{3} (?: [^'] | ' (?!'') )*+ (?: '{3,5} | \Z )
      | " (?: [^"\\\n] | \\[^\n] )*+ "?
      | ' [^'\n]*+ '?
      )
    | (?P<word> [^][\s{}=,.\#"']++ )
    | (?P<mark> [][{}=,.\n] )
    """,
    re.VERBOSE | re.DOTALL,
)
"""Splits valid TOML as its parser does, so that nothing inside strings and comments counts."""


_PART = r"""(?:[\w-]+|"(?:[^"\\]|\\.)*"|'[^']*')"""
_KEY = rf"{_PART}(?:\s*\.\s*{_PART})*"
_HEADER = re.compile(rf"(\[\[?)\s*({_KEY})\s*\]")
_LONG = ('"""', "'''")
_PAIR = re.compile(rf"({_KEY})\s*=")


class Written(Struct, frozen=True):
    """A line of TOML that names a table or sets a key."""

    line: int
    """From 1."""
    path: tuple[str, ...]
    """The path of the table or key in the file, with indexes of arrays of tables."""
    header: str
    """`[` or `[[` for a table, empty for a key."""

    @property
    def shown(self) -> str:
        """The table as its line has it, or the key."""
        name = ".".join(part for part in self.path if not part.isdigit())
        return {"[": f"[{name}]", "[[": f"[[{name}]]"}.get(self.header, self.path[-1])


def written(text: str) -> Iterator[Written]:
    """Yield every line of TOML text that names a table or sets a key."""
    table: list[str] = []
    tables_seen: dict[str, int] = {}
    for number, line in enumerate(_flattened(text).split("\n"), 1):
        stripped = line.strip()
        if header := _HEADER.match(stripped):
            table = _parts(header[2])
            if header[1] == "[[":
                name = ".".join(table)
                tables_seen[name] = tables_seen.get(name, -1) + 1
                table.append(str(tables_seen[name]))
            yield Written(number, tuple(table), header[1])
        elif pair := _PAIR.match(stripped):
            yield Written(number, (*table, *_parts(pair[1])), "")


def line_of(text: str, keys: Sequence[str]) -> int | None:
    """Return the line, from 1, of a key path in TOML text, or the line of its table if it has none."""
    wanted = tuple(keys)
    found: int | None = None
    for one in written(text):
        if one.path == wanted[: len(one.path)]:
            found = one.line
            if not one.header:
                return found
        elif one.header and wanted and wanted == one.path[: len(wanted)]:  # a table inside the wanted one
            return found or one.line
    return found


def placed(name: str, text: str, keys: Sequence[str], words: str, *, names_key: bool = False) -> str:
    """Return the words about a key with its file and line before them, and the key unless they name it.

    `name` and `text` are the file's; bots are counted from 1.

    >>> placed("x.toml", "[clock]\nmove_ms = 0", ("clock", "move_ms"), "must be 1 or more")
    'x.toml:2: clock.move_ms: must be 1 or more'
    >>> placed("x.toml", "", ("bots", "0", "path"), "there is no bot")
    'x.toml: [[bots]] number 1, path: there is no bot'
    """
    line = line_of(text, keys)
    key = ".".join(keys)
    if keys[:1] == ("bots",) and len(keys) > 1:
        key = ", ".join([f"[[bots]] number {int(keys[1]) + 1}", *([".".join(keys[2:])] if keys[2:] else [])])
    return f"{name}{f':{line}' if line else ''}: {f'{key}: ' if key and not names_key else ''}{words}"


def _parts(key: str) -> list[str]:
    """Return the parts of a dotted key without quotes; escapes stay as written."""
    return [part[1:-1] if part[0] in "\"'" else part for part in re.findall(_PART, key)]


def _flattened(text: str) -> str:
    """Return TOML text with its multi-line strings emptied, because text in them can look like a key."""
    if not any(quotes in text for quotes in _LONG):
        return text
    return TOKEN.sub(
        lambda token: '""' + "\n" * token[0].count("\n") if token[0].startswith(_LONG) else token[0], text
    )


_SIMPLE_KEY = r"""[\w.-]+|"[^"]*"|'[^']*'"""
_SIMPLE_PAIR = re.compile(rf"\s*({_SIMPLE_KEY})\s*=\s*(.*?)\s*")
_NO_EQUALS = re.compile(rf"\s*({_SIMPLE_KEY})(?:\s*:\s*|\s+)(\S.*?)\s*")
_COMMAS = re.compile(r"\d{1,3}(?:,\d{3})+")
_LEADING_ZEROS = re.compile(r"0+(\d+)")
_CURLY = "“”„‟‘’‚‛«»"
_COMMENTS = ("//", "/*", ";", "--", "%")
_SHOWN_CHARS = 60
_LINE_CHARS = 500
"""Characters of a line that are looked at: a pattern may take quadratic time."""
_LINE_FORMS = 'a line is KEY = VALUE, a [table] or a # comment, such as name = "friday"'


def mistake(error: tomllib.TOMLDecodeError, text: str, name: str) -> BadFile:
    """Return the error for TOML text that the parser refused; `name` is the file's."""
    said = str(error)
    at = re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", said, re.DOTALL)
    if at:
        said, line, column = at[1], int(at[2]), int(at[3])
    else:
        said = said.removesuffix(" (at end of document)")
        line, column = text.rstrip().count("\n") + 1, 0
    content = text.split("\n")[line - 1].removesuffix("\r")
    found = _bad_character(content, column, text) or _twice(said, text, line) or _unclosed(said)
    content = content[:_LINE_CHARS]
    pair = _SIMPLE_PAIR.fullmatch(content)
    if not found:
        found = _in_pair(pair[1], pair[2], content, column, said) if pair else _without_pair(content)
    if found:
        refused = BadFile(f"{name}:{line}: {found[0]}", found[1])
        refused.about = next((one.path for one in written(text) if one.line == line), ())
        return refused
    where = f"at column {column}" if column else "at the end of the file"
    return BadFile(
        f"{name}:{line}: not TOML: {said[:1].lower()}{said[1:]}, {where}", "" if pair else _LINE_FORMS
    )


def _bad_character(content: str, column: int, text: str) -> tuple[str, str] | None:
    """Return the words for a character that no TOML file has at this place."""
    character = content[column - 1 : column] if column else ""
    if character == "\0" and text.count("\0") >= len(text) // 3:
        return "every other character is NUL: this looks like UTF-16", "save the file as UTF-8"
    if character == "\ufeff":
        return "a byte order mark (U+FEFF) inside the file", "delete it: it is the invisible character here"
    if character == "\r" or "\r" in content:
        return "a line ends in CR alone", "save the file with LF line ends"
    if (character and ord(character) < 32 and character not in "\t\n") or character == "\x7f":
        name = "a NUL character" if character == "\0" else "a control character"
        return f"{name} (U+{ord(character):04X}) at column {column}", "delete it: no editor shows it"
    return None


def _twice(said: str, text: str, line: int) -> tuple[str, str] | None:
    """Return the words for a key or table that an earlier line has."""
    if not any(word in said.lower() for word in ("overwrite", "declare", "twice", "mutate", "immutable")):
        return None
    before = [one for one in written(text) if one.line <= line]
    if not before:
        return None
    *earlier, here = before
    first = next((one for one in earlier if one.path == here.path), None)
    first = first or next((one for one in earlier if _clash(one, here)), None)
    if first is None:
        return None
    if here.header:
        hint = f"put all its keys below the {first.shown} in line {first.line}"
        if here.path[0] == "bots":
            hint = "write [[bots]], in double brackets, above each bot"
        if here.shown != first.shown:
            return f"{here.shown} conflicts with the {first.shown} in line {first.line}", hint
        return f"{here.shown} appears twice: it is also in line {first.line}", hint
    said = f"{here.shown} is set twice: also in line {first.line}"
    return said, "remove one of the two lines"


def _clash(one: Written, other: Written) -> bool:
    """Whether one of two lines makes a table of what the other sets."""
    length = min(len(one.path), len(other.path))
    return one.path[:length] == other.path[:length] and not (one.header and not other.header)


def _unclosed(said: str) -> tuple[str, str] | None:
    """Return the words for a value of several lines that does not end."""
    if "unclosed array" in said.lower():
        hint = "close it with ], and put commas between its values"
        return "a list is not closed, or a comma is missing in it", hint
    is_text = "unterminated string" in said.lower() or "'''" in said
    return ("a quote is not closed", "write it at both ends of the text") if is_text else None


def _in_pair(key: str, value: str, content: str, column: int, said: str) -> tuple[str, str] | None:
    """Return the words for a mistake in the value of a line KEY = VALUE."""
    if not value or value.startswith("#"):
        return f"{key} has no value", f'for example: {key} = "…"'
    if value[0] in "[{":
        return _in_list(content, column, said)
    if value[0] in "\"'":
        return _in_string(key, value, content, column, said)
    bare = re.split(r"\s+#|;", value)[0].strip()
    if bare.lower() in ("true", "false"):
        return f"{key}: {bare} is written in lower case", f"write {key} = {bare.lower()}"
    if _COMMAS.fullmatch(bare):
        return f"{key}: a number has no commas", f"write {key} = {bare.replace(',', '')}"
    if zeros := _LEADING_ZEROS.fullmatch(bare):
        return f"{key}: a number has no leading zeros", f"write {key} = {zeros[1]}"
    if bare[0] in _CURLY:
        return f"{key}: the quotes are not straight", f"write {key} = {_quoted(bare.strip(_CURLY))}"
    what = "neither a number nor text in quotes" if bare[0] in "+-.0123456789" else "text is not in quotes"
    return f"{key}: {what}", f"write {key} = {_quoted(bare)}"


def _in_string(key: str, value: str, content: str, column: int, said: str) -> tuple[str, str] | None:
    if value.startswith(('"""', "'''")):
        return None
    if "escape" in said.lower() or "hex" in said.lower():
        inside = value.strip("\"'")[:_SHOWN_CHARS]
        said = f"{key}: a backslash in double quotes begins an escape, such as \\n"
        return said, f"write {key} = '{inside}', in single quotes"
    if not column or column > len(content) or "illegal character" in said.lower():
        return f"{key}: the closing quote is missing", f"write {key} = {_quoted(value.strip(value[0]))}"
    rest = content[column - 1 :].strip()[:_SHOWN_CHARS]
    return f"{key}: {rest!r} follows the value", "end the line after the value; one key to a line"


def _in_list(content: str, column: int, said: str) -> tuple[str, str] | None:
    word = re.match(r"[A-Za-z./~][^\s,\]}]*", content[column - 1 :]) if column else None
    if word and "value" in said.lower():
        return f"{word[0][:_SHOWN_CHARS]} is not in quotes", f"write {_quoted(word[0])}"
    return None


def _without_pair(content: str) -> tuple[str, str] | None:
    line = content.strip()
    if line.startswith(_COMMENTS):
        return "a comment begins with #", f"write # {line.lstrip('/*;-% ')[:_SHOWN_CHARS]}"
    if line.startswith("{"):
        is_json = re.match(r"""\{\s*(?:["}]|$)""", line)
        return "JSON, not TOML" if is_json else "a line can't begin with {", _LINE_FORMS
    if line.startswith("["):
        word = re.match(r"\[+\s*([\w.-]+)", line)
        if not word or line.endswith("]"):
            return None
        return "the line of a table is not closed", f"write [{word[1]}] on a line of its own"
    pair = None if "=" in line else _NO_EQUALS.fullmatch(content)
    if pair:
        value = pair[2] if pair[2][0] in "\"'[{" or pair[2][0].isdigit() else _quoted(pair[2])
        return f"there is no = after {pair[1]}", f"write {pair[1]} = {value[:_SHOWN_CHARS]}"
    return None


def _quoted(word: str) -> str:
    word = word.replace("\n", " ")[:_SHOWN_CHARS].strip().rstrip("\"'")
    return f"'{word}'" if "\\" in word or '"' in word else f'"{word}"'
