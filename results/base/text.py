"""Text for people: counted nouns, and control characters made visible."""

import json
import re
import unicodedata
from inspect import cleandoc
from math import floor, log10
from typing import Any


def percent_hint(value: float, least: float, most: float) -> str:
    """Return the hint for a percentage that was given where a fraction from `least` to below `most` belongs, or "".

    >>> percent_hint(5, 0.0001, 0.2), percent_hint(2.5, 0, 1), percent_hint(-5, 0, 1), percent_hint(0.3, 0, 0.2)
    ('5 % is 0.05', '2.5 % is 0.025', '', '')
    """
    return f"{value:g} % is {value / 100:g}" if most <= 1 <= value and least <= value / 100 < most else ""


def rounded_to(digits: int, number: float) -> int:
    """Return an estimated count to so many significant digits, at least 1.

    >>> rounded_to(3, 1234.5), rounded_to(3, 12.3), rounded_to(2, 8192), rounded_to(2, 0.4)
    (1230, 12, 8200, 1)
    """
    return max(1, int(float(f"{number:.{digits}g}")))


def decimals_of(error: float) -> int:
    """Return how many decimals of an estimate tell something beside its error: those of two digits of the error.

    >>> decimals_of(0.031), decimals_of(0.5), decimals_of(2.4), decimals_of(70), decimals_of(0)
    (3, 2, 1, 0, 2)
    """
    return min(4, max(0, 1 - floor(log10(error)))) if error > 0 else 2


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun; give `plural` if it is not the noun with an s.

    >>> counted(1, "bot"), counted(2, "match", "matches"), counted(1500, "game")
    ('1 bot', '2 matches', '1,500 games')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def said_by_msgspec(error: Exception) -> tuple[str, str]:
    """Return what msgspec says is wrong with a value, and the path of the value in the whole, such as `.rating.mu`."""
    what, _, path = str(error).partition(" - at `$")
    return what, path.strip("`")


NEWLINE = "⏎"
"""Replaces a line break in text that must fit on one line."""

REPLACED = "\N{REPLACEMENT CHARACTER}"

_BLANK_LETTERS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Invisible characters that Unicode counts as printable: fillers, joiners, variation selectors."""

_MOST_MARKS = 4
_STACKED_MARKS = re.compile(
    f"([\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{{{_MOST_MARKS}}})"
    "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+"
)
"""More combining marks than any script needs: they would overlap the lines above and below."""

_LINE_BREAK = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")

_FORMULA_STARTS = tuple("=+-@\t\r\n＝＋－＠")
"""A spreadsheet treats a cell that starts with one of these as a formula."""

_MARKDOWN = str.maketrans(
    {character: "\\" + character for character in "\\`*_[]|~$"} | {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
)
_LINK = re.compile(r"(?i)(?<=\bwww)\.|(?<=\bhttp|\bxmpp):|(?<=\bhttps):|(?<=\bftp):|(?<=\bmailto):|@")
"""Text that GitHub turns into links by itself; maps to the character to write as a reference."""


def one_line(text: str) -> str:
    """Return text as one line for a terminal: invisible and control characters become U+FFFD, line breaks ⏎."""
    return visible(_LINE_BREAK.sub(NEWLINE, text))


def paragraph(text: str) -> str:
    """Return text for a terminal with its line breaks, and every line after the first indented.

    The indent keeps its lines from passing for another message.
    """
    return "\n  ".join(map(visible, _LINE_BREAK.split(text)))


def visible(text: str, keep: str = "") -> str:
    """Return text with only visible characters, spaces and those in `keep`."""
    if text.isascii() and text.isprintable():
        return text
    if not text.isprintable():
        text = "".join(map(_seen, text)) if not keep else "".join(c if c in keep else _seen(c) for c in text)
    return _STACKED_MARKS.sub(rf"\1{REPLACED}", _BLANK_LETTERS.sub(REPLACED, text))


def _seen(character: str) -> str:
    if character.isprintable():
        return character
    return " " if character == "\t" or (character.isspace() and character > "\x9f") else REPLACED


def folded(name: str) -> str:
    """Return a name such that names that are equal on some system, or look so, are equal: without case and form.

    Source: Unicode 16, section 3.13, D145: canonical caseless matching.
    """
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", name).casefold())


def csv_text(text: str) -> str:
    """Return the text of a CSV cell, line breaks as LF, so that no spreadsheet treats it as a formula.

    Text that starts like a formula, ignoring blanks, gets a leading apostrophe. The CSV writer adds quotes.
    Source: OWASP, "CSV Injection".
    """
    kept = visible(_LINE_BREAK.sub("\n", text), keep="\n\t")
    is_formula = kept.startswith(_FORMULA_STARTS) or kept.lstrip().startswith(_FORMULA_STARTS)
    return f"'{kept}" if is_formula else kept


def json_text(value: Any, indent: int | None = None) -> str:
    """Return a value as JSON that is safe to show: invisible characters as `\\uXXXX`, everything else unchanged.

    Raises ValueError for numbers that JSON doesn't have.
    """
    text = json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False)
    return "\n".join(map(_json_line, text.split("\n")))  # only JSON's own line breaks: strings have none left


def _json_line(line: str) -> str:
    if not line.isprintable():
        line = "".join(c if c.isprintable() else _json_escape(c) for c in line)
    return _BLANK_LETTERS.sub(lambda found: _json_escape(found[0]), line)


def _json_escape(character: str) -> str:
    return json.dumps(character)[1:-1]


def markdown_text(text: str) -> str:
    """Return text for a cell of a Markdown table: shown literally, on one line, without any effect."""
    return _LINK.sub(lambda found: f"&#{ord(found[0])};", one_line(text).translate(_MARKDOWN))


def meanings(docstring: str | None, heading: str) -> dict[str, str]:
    """Return what a docstring says of each name in the section below a heading, such as `Options`."""
    _, _, section = cleandoc(docstring or "").partition(f"{heading}:\n")
    found = re.findall(r"^    (\w+): (.+(?:\n     .+)*)", section, re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in found}
