"""Describes a finished game in lines of text: with all hands, as one seat saw it, or as spectators saw it."""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from arena.cli.display.seat_names import seat_names
from arena.core.seat_names import drawn, with_names
from arena.core.wording import wording_of
from results.escaping import json_text, one_line

if TYPE_CHECKING:
    from arena.core.game import AnyGame, Event
    from arena.core.replay import Body, Step


class Eyes(StrEnum):
    """What to show of a game, if not what one seat saw."""

    ALL = "all"
    """Everything, including what only single seats saw."""
    PUBLIC = "public"
    """What everybody at the table saw."""


_GUTTER = 4
"""Columns for the number of a decision."""


def lines_of(body: "Body", eyes: Eyes | int, *, boards: bool, width: int) -> Iterator[str]:
    """Yield a game line by line, with the number of each decision before what it led to.

    `eyes` may be the number of a seat, `width` is that of boards, in columns.
    """
    from arena import registry
    from arena.core.replay import steps

    rules = registry.game(body["game"])
    names = names_in(body)
    yield heading_of(rules, body)
    yield ""
    for number, name in enumerate(names):
        yield f"  seat {number}: {name}{' (a person)' if is_person(body, number) else ''}"
    yield ""
    for number, step in enumerate(steps(rules, body)):
        if boards and step.moves:
            yield from ("", *board_lines(rules, step.state, eyes, names, width), "")
        told = list(step_lines(rules, step, eyes, names))
        if number == 0:
            told += known_lines(rules, step.after, eyes, names)
        yield from _numbered(told, str(step.decision) if step.moves else "")
    yield ""
    yield from result_lines(body, names)


def _numbered(lines: Sequence[str], number: str) -> Iterator[str]:
    """Yield lines with the number of their decision before the first."""
    for place, line in enumerate(lines):
        yield f"{number if place == 0 else '':>{_GUTTER}}  {line}".rstrip()


def last_lines(body: "Body", names: Sequence[str], width: int) -> Iterator[str]:
    """Yield the table at the end of a game, with all hands and all that seats knew, and the result."""
    from arena import registry
    from arena.core.replay import steps

    rules = registry.game(body["game"])
    *_, last = steps(rules, body)
    yield ""
    yield from board_lines(rules, last.after, Eyes.ALL, names, width)
    yield ""
    if known := [line.strip() for line in known_lines(rules, last.after, Eyes.ALL, names)]:
        yield from (*known, "")
    yield from result_lines(body, names)


def heading_of(rules: "AnyGame", body: "Body") -> str:
    """Return the title of a game."""
    return f"{rules.info.title} · {body['ruleset']} · {body['seats']} players"


def names_in(body: "Body") -> list[str]:
    """Return the players' names by seat, each different."""
    return seat_names([entry["label"] for entry in body["entries"]])


def is_person(body: "Body", seat: int) -> bool:
    """Return whether a person played at a seat."""
    return bool(body["entries"][seat]["version"] == "person")


def result_lines(body: "Body", names: Sequence[str]) -> Iterator[str]:
    """Yield the players by rank, with score and verdict."""
    for seat in sorted(range(len(names)), key=lambda number: body["ranks"][number]):
        verdict = f"  ({body['verdicts'][seat]})" if body["verdicts"][seat] else ""
        yield f"  {body['ranks'][seat]}. {names[seat]}: {body['scores'][seat]}{verdict}"


def step_lines(rules: "AnyGame", step: "Step", eyes: Eyes | int, names: Sequence[str]) -> Iterator[str]:
    """Yield what happened in a turn, and the notes of bots."""
    for event in step.events:
        yield from _event(rules, event, eyes, names)
    for move in step.moves:
        if move.get("note"):
            yield f"    ({names[move['seat']]}: {one_line(move['note'])})"


def board_lines(
    rules: "AnyGame", state: Any, eyes: Eyes | int, names: Sequence[str], width: int
) -> Iterator[str]:
    """Yield the picture of the table; for `Eyes.ALL`, add what each seat also sees."""
    public = rules.view(state, None)
    yield from drawn(rules, rules.view(state, eyes) if isinstance(eyes, int) else public, width, names)
    if eyes is Eyes.ALL:
        wording = wording_of(rules)
        secrets = [wording.secret(rules.view(state, seat), public) for seat in range(len(names))]
        if any(secrets):
            yield ""
        longest = max(map(len, names))
        for name, secret in zip(names, secrets, strict=True):
            if secret:
                yield from wrap(
                    f"{name + ':':<{longest + 1}} {secret}",
                    max(width, longest + 20),
                    subsequent_indent=" " * (longest + 2),
                )


def _event(rules: "AnyGame", event: "Event", eyes: Eyes | int, names: Sequence[str]) -> Iterator[str]:
    if event.kind == "forfeit":
        out = event.data["seat"]
        yield f"*** {names[out]} (seat {out}) is out: {event.data['verdict']}"
        return
    if event.kind == "cap":
        yield f"*** the game ends at the limit of {event.data['decisions']} moves; the scores stand"
        return
    seat = eyes if isinstance(eyes, int) else None
    if eyes is Eyes.ALL and len(event.private) == 1:
        (seat,) = event.private  # the only one that saw all of it
    if text := rules.describe(event.seen_by(seat)):
        yield with_names(text, names)
    if eyes is Eyes.ALL and len(event.private) > 1:
        for seat, seen in sorted(event.private.items()):
            yield f"    {names[seat]}: {_words(seen)}"


def known_lines(rules: "AnyGame", state: Any, eyes: Eyes | int, names: Sequence[str]) -> Iterator[str]:
    """Yield what seats know that never changes, such as a palate; what all know alike is told once."""
    if eyes is Eyes.PUBLIC:
        return
    wording = wording_of(rules)
    seats = range(len(names)) if eyes is Eyes.ALL else (eyes,)
    found = {
        seat: list(wording.known(private))
        for seat in map(int, seats)
        if (private := rules.private(state, seat))
    }
    alike = [
        line
        for line in next(iter(found.values()), [])
        if len(found) > 1 and all(line in lines for lines in found.values())
    ]
    for seat, lines in found.items():
        for line in lines:
            if line not in alike:
                yield f"    {names[seat]}: {with_names(line, names)}"
    for line in alike:
        yield f"    everybody: {with_names(line, names)}"


def _words(found: Mapping[str, Any]) -> str:
    """Return keys and values on one line: lists of cards as words, nested values as JSON."""
    return ", ".join(f"{key} {_value(value)}" for key, value in found.items())


def _value(value: Any) -> str:
    if isinstance(value, list | tuple) and all(isinstance(item, str | int) for item in value):
        return " ".join(map(str, value)) or "–"
    return value if isinstance(value, str) else json_text(value)
