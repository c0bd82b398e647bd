"""Tells a finished game in words: with all hands open, as one seat saw it, or as spectators saw it."""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any

from arena.core.game import AnyGame, Event
from arena.core.seat_names import with_names
from arena.core.wording import Asked, ChosenWording, wording_of
from results.escaping import json_text


class Eyes(StrEnum):
    """What to show of a game, if not what one seat saw."""

    ALL = "all"
    """Everything, including what only single seats saw."""
    PUBLIC = "public"
    """What everybody at the table saw."""


def event_lines(rules: AnyGame, event: Event, eyes: Eyes | int, names: Sequence[str]) -> Iterator[str]:
    """Yield what an event was, in words; with all eyes, what several seats saw besides follows a line each."""
    seat = eyes if isinstance(eyes, int) else None
    if eyes is Eyes.ALL and len(event.private) == 1:
        (seat,) = event.private  # the only one that saw all of it
    if text := seen_words(rules, event.seen_by(seat), names):
        yield text
    if eyes is Eyes.ALL and len(event.private) > 1:
        for seat, seen in sorted(event.private.items()):
            yield f"    {names[seat]}: {_words(seen)}"


def seen_words(rules: AnyGame, event: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return an event in words, from its wire format; empty if the game has no words for it."""
    if event["kind"] == "forfeit":
        out = event["seat"]
        return f"*** {names[out]} (seat {out}) is out: {event['verdict']}"
    if event["kind"] == "cap":
        return f"*** the game ends at the limit of {event['decisions']} moves; the scores stand"
    return with_names(text, names) if (text := rules.describe(event)) else ""


def known_words(
    rules: AnyGame, privates: Mapping[int, Mapping[str, Any]], names: Sequence[str]
) -> tuple[dict[int, list[str]], list[str]]:
    """Return what seats know that never changes, in words: by seat, and what all of several seats know alike.

    `privates`: what each seat was sent at the start.
    """
    wording = wording_of(rules)
    found = {seat: list(wording.known(private)) for seat, private in privates.items() if private}
    alike = [
        line
        for line in next(iter(found.values()), [])
        if len(found) > 1 and all(line in lines for lines in found.values())
    ]
    own = {
        seat: [with_names(line, names) for line in lines if line not in alike]
        for seat, lines in found.items()
    }
    return own, [with_names(line, names) for line in alike]


def move_words(rules: AnyGame, asked: Asked, move: Any) -> str:
    """Return a move in words: the choice of the game that stands for it, or its type and fields."""
    wording = wording_of(rules)
    if isinstance(wording, ChosenWording):
        return with_names(wording.chosen(asked, move), asked.names)
    if asked.legal is not None:
        for group in wording.choices(asked):
            for choice in group.choices:
                if choice.move == move:
                    return _chosen(choice.key, choice.text, move)
    return _fields(move)


def _chosen(key: str, text: str, move: Any) -> str:
    fields = _fields(move)
    return f"{fields} ({text})" if text and not key.isdecimal() else fields


def _fields(move: Any) -> str:
    if not isinstance(move, Mapping):
        return _value(move)
    kind = str(move.get("type", "")).replace("_", " ")
    rest = {key: value for key, value in move.items() if key != "type"}
    if len(rest) == 1:
        return f"{kind} {_value(next(iter(rest.values())))}".strip()
    return f"{kind} {_words(rest)}".strip()


def _words(found: Mapping[str, Any]) -> str:
    """Return keys and values on one line: lists of cards as words, nested values as JSON."""
    return ", ".join(f"{key} {_value(value)}" for key, value in found.items())


def _value(value: Any) -> str:
    if isinstance(value, list | tuple) and all(isinstance(item, str | int) for item in value):
        return " ".join(map(str, value)) or "–"
    return value if isinstance(value, str) else json_text(value)
