"""What others wrote, made safe where it is shown: one rule each for the terminal, CSV, JSON and Markdown.

Names, labels, notes, logs and details come from authors of bots. Wherever they are shown, characters that
steer a terminal, turn the direction of writing, or can't be seen are replaced by U+FFFD. JSON escapes them
instead, so that it loses nothing.

Sources: OWASP, "CSV Injection" (community attack page); Boucher and Anderson, "Trojan Source: Invisible
Vulnerabilities" (2021), for the direction of writing; CommonMark 0.31, section 2.4, for Markdown.
"""

import json
import re
from typing import Any

NEWLINE = "⏎"
"""Stands for a line break where only one line may be written."""

REPLACED = "\N{REPLACEMENT CHARACTER}"

_BLANK_LETTERS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""What Unicode counts as printable though nothing is to be seen: fillers, joiners, variation selectors."""

_MOST_MARKS = 4
_STACKED_MARKS = re.compile(
    f"([\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{{{_MOST_MARKS}}})"
    "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+"
)
"""Combining marks beyond those that writing needs: they grow into the lines above and below."""

_LINE_BREAK = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")

_FORMULA_STARTS = tuple("=+-@\t\r\n＝＋－＠")
"""With these a spreadsheet takes a cell for a formula."""

_MARKDOWN = str.maketrans(
    {character: "\\" + character for character in "\\`*_[]|~$"} | {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
)
_LINK = re.compile(r"(?i)(?<=\bwww)\.|(?<=\bhttp|\bxmpp):|(?<=\bhttps):|(?<=\bftp):|(?<=\bmailto):|@")
"""What GitHub would make a link of without being asked: the character that is written as a reference."""


def one_line(text: str) -> str:
    """Return text as one line for a terminal: what can't be seen or steers is U+FFFD, line breaks are ⏎."""
    return visible(_LINE_BREAK.sub(NEWLINE, text))


def paragraph(text: str) -> str:
    """Return text for a terminal with its line breaks, every line but the first indented.

    So no line of it can pose as another message.
    """
    return "\n  ".join(map(visible, _LINE_BREAK.split(text)))


def visible(text: str, keep: str = "") -> str:
    """Return text in which every character can be seen, but for spaces and those in `keep`."""
    if not text.isprintable():
        text = "".join(map(_seen, text)) if not keep else "".join(c if c in keep else _seen(c) for c in text)
    return _STACKED_MARKS.sub(rf"\1{REPLACED}", _BLANK_LETTERS.sub(REPLACED, text))


def _seen(character: str) -> str:
    if character.isprintable():
        return character
    return " " if character == "\t" or (character.isspace() and character > "\x9f") else REPLACED


def csv_text(text: str) -> str:
    """Return the text of a CSV cell, line breaks kept as LF, that no spreadsheet takes for a formula.

    What begins as a formula does, blanks aside, gets an apostrophe in front. The quotes of CSV itself are
    the writer's. Source: OWASP, "CSV Injection".
    """
    kept = visible(_LINE_BREAK.sub("\n", text), keep="\n\t")
    is_formula = kept.startswith(_FORMULA_STARTS) or kept.lstrip().startswith(_FORMULA_STARTS)
    return f"'{kept}" if is_formula else kept


def json_text(value: Any, indent: int | None = None) -> str:
    """Return a value as JSON that can be shown anywhere: `\\uXXXX` for what can't be seen, all else as it is.

    Raises ValueError for numbers that JSON does not have.
    """
    text = json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False)
    return "\n".join(map(_json_line, text.split("\n")))  # its own line breaks: none is left in a string


def _json_line(line: str) -> str:
    if not line.isprintable():
        line = "".join(c if c.isprintable() else _json_escape(c) for c in line)
    return _BLANK_LETTERS.sub(lambda found: _json_escape(found[0]), line)


def _json_escape(character: str) -> str:
    return json.dumps(character)[1:-1]


def markdown_text(text: str) -> str:
    """Return text as it is written in a Markdown table: it shows as it is, on one line, and does nothing."""
    return _LINK.sub(lambda found: f"&#{ord(found[0])};", one_line(text).translate(_MARKDOWN))
