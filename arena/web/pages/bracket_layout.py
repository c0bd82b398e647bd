"""Where everything is in the picture of a bracket."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from results.records.bracket import BracketRound, BracketTable

BOX, GAP, ROW, ROOM, HEAD, BELOW = 212, 36, 30, 18, 40, 34
"""In pixels: width of a table, between rounds, height of a name, between tables, of the names of rounds, and above the
match for third place."""
MOST_ROUNDS = 6
"""Only the last rounds are drawn, up to 64 bots at tables of two; each round has a page of its own."""


class Side(NamedTuple):
    """A name in a table."""

    label: str
    """Empty as long as it isn't known."""
    shown: str
    """As much of it as there is room for."""
    score: float | None
    state: str
    """`on`, `out`, or empty as long as that is open."""


class Box(NamedTuple):
    """A table."""

    x: float
    y: float
    height: int
    round_no: int
    """From 0."""
    table: int
    """From 0."""
    name: str
    """If it isn't that of the round."""
    sides: Sequence[Side]
    is_bye: bool


class Drawing(NamedTuple):
    """A bracket."""

    width: int
    height: float
    heads: Sequence[tuple[float, int, str]]
    """X, number from 0 and title of each round."""
    boxes: Sequence[Box]
    lines: str
    """The path of all lines between tables."""
    is_tall: bool
    """Whether a narrow screen should show it round by round instead."""


def drawing(rounds: Sequence[BracketRound], labels: Mapping[int, str]) -> Drawing:
    """Return the picture of a bracket; `labels`: by entry number."""
    first = max(0, len(rounds) - MOST_ROUNDS)
    heads: list[tuple[float, int, str]] = []
    boxes: list[Box] = []
    lines: list[str] = []
    before: list[float] = []
    for number in range(first, len(rounds)):
        x = (number - first) * (BOX + GAP)
        heads.append((x, number, rounds[number].title))
        middles: list[float] = []
        y: float = HEAD
        for place, table in enumerate(rounds[number].tables):
            height = len(table.entries) * ROW
            if table.name:  # beside the last table, fed by those who lost
                middle = middles[-1] + ROW + BELOW + height / 2
            elif rounds[number].is_tree and before:
                feeding = before[2 * place : 2 * place + 2]
                middle = sum(feeding) / len(feeding)
                lines += [f"M{x - GAP:g} {one:g}h{GAP / 2:g}V{middle:g}h{GAP / 2:g}" for one in feeding]
            else:
                middle = y + max(height, 2 * ROW) / 2
                y += max(height, 2 * ROW) + ROOM
            middles.append(middle)
            boxes.append(
                Box(
                    x,
                    middle - height / 2,
                    height,
                    number,
                    place,
                    table.name,
                    _sides(table, labels),
                    table.is_bye,
                )
            )
        before = middles[: len(middles) - any(table.name for table in rounds[number].tables)]
    bottom = max((box.y + box.height for box in boxes), default=0)
    return Drawing(
        max(0, len(heads) * (BOX + GAP) - GAP),
        bottom + ROOM / 2,
        heads,
        boxes,
        "".join(lines),
        len(rounds[first].tables) > 8 if rounds else False,
    )


def _sides(table: BracketTable, labels: Mapping[int, str]) -> list[Side]:
    return [
        Side(
            label := "" if entry is None else labels.get(entry, f"#{entry}"),
            _cut(label),
            table.score_of(place),
            table.state_of(place),
        )
        for place, entry in enumerate(table.entries)
    ]


NAME = 132
"""Room for a name, in pixels of which bold letters take about 9, wide ones 14."""


def _cut(label: str) -> str:
    """Return as much of a label as there is room for; the frame of the drawing cuts what is wider still."""
    left = NAME
    for place, letter in enumerate(label):
        left -= (
            14 if letter in "WMmw@%" or ord(letter) > 0x2E7F else 6 if letter in "iljtf.,:;'|!()[] " else 9
        )
        if left < 0:
            return label[: max(1, place - 1)].rstrip() + "…"
    return label
