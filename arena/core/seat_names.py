"""Puts players' names into the texts of games, which call players `seat 2`."""

import re
from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

from arena.core.game import AnyGame

LONGEST = 16
"""Names in drawings of the table are cut to this many characters."""
_SEAT = re.compile(r"\b[Ss]eat (\d+)\b")
_ROW = re.compile(r"^([ >]{0,2})seat (\d+)(?=  )")


def seat_names(labels: Sequence[str]) -> list[str]:
    """Return a name for each seat; players with the same label are numbered.

    >>> seat_names(["greedy", "ann", "greedy"])
    ['greedy 1', 'ann', 'greedy 2']
    """
    names: list[str] = []
    for seat, name in enumerate(labels):
        number = labels[:seat].count(name) + 1
        names.append(f"{name} {number}" if labels.count(name) > 1 else name)
    return names


def with_names(text: str, names: Sequence[str]) -> str:
    """Return a text with the names of players instead of the numbers of their seats.

    >>> with_names("Seat 1 gives seat 0 ham.", ["ann", "bob"])
    'bob gives ann ham.'
    """

    def name(found: re.Match[str]) -> str:
        seat = int(found[1])
        return names[seat] if seat < len(names) else found[0]

    return _SEAT.sub(name, text)


def told(rules: AnyGame, event: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return an event (in its wire format) as a sentence with names; empty if there is nothing to say of it."""
    match event["kind"]:
        case "forfeit":
            return f"*** {names[event['seat']]} is out: {event['verdict']}"
        case "cap":
            return f"*** the game ends at the limit of {event['decisions']} moves; the scores stand"
    return with_names(rules.describe(event), names)


def drawn(rules: AnyGame, view: Mapping[str, Any], width: int, names: Sequence[str]) -> list[str]:
    """Return the picture of a view in lines of at most `width` columns, with names."""
    short = [_cut(name) for name in names]
    cells = max(map(len, short))
    lines: list[str] = []
    for line in rules.draw(view, max(_LEAST, width - max(0, cells - len("seat 0")))).split("\n"):
        row = _ROW.match(line)
        if row is not None and int(row[2]) < len(short):
            pad = cells + 1 - len(row[2])  # games make room for the digits of a seat
            lines.append(f"{row[1]}{short[int(row[2])]:<{pad}}{with_names(line[row.end() :], short)}")
            continue
        named = with_names(line, short)
        indent = " " * (len(named) - len(named.lstrip()) + 2)
        lines += [named] if len(named) <= width else wrap(named, width, subsequent_indent=indent)
    return lines


def _cut(name: str) -> str:
    """Return a name of at most LONGEST characters, cut in the middle: what tells names apart is often at the end.

    >>> _cut("python-sandwich-player 2")
    'python-san…yer 2'
    """
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1 - _KEPT_AT_END]}…{name[-_KEPT_AT_END:]}"


_KEPT_AT_END = 5
_LEAST = 40
"""The smallest width that games draw for."""
