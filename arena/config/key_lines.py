"""Finds the line of a key in TOML text, and names the key in words."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
_BOT = re.compile(r"bots\.(\d+)")
_PAIR = re.compile(rf"({_KEY})\s*=")


@dataclass(frozen=True, slots=True)
class Written:
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
        elif (
            one.header and wanted and wanted == one.path[: len(wanted)]
        ):  # a table inside the one that is asked for
            return found or one.line
    return found


def first_table(text: str) -> int | None:
    """Return the line, from 1, of the first `[table]` or `[[table]]` in TOML text; None if there is none."""
    return next((one.line for one in written(text) if one.header), None)


def key_in_words(keys: str) -> str:
    """Return a key path as messages show it: bots are counted from 1.

    >>> key_in_words("clock.move_ms"), key_in_words("bots.0"), key_in_words("bots.0.path")
    ('clock.move_ms', '[[bots]] number 1', '[[bots]] number 1, path')
    """
    bot = _BOT.match(keys)
    if not bot:
        return keys
    rest = keys[bot.end() :].removeprefix(".")
    return f"[[bots]] number {int(bot[1]) + 1}" + (f", {rest}" if rest else "")


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
