"""Describes a finished game in lines of text: with all hands, as one seat saw it, or as spectators saw it."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from results.escaping import json_text

if TYPE_CHECKING:
    from arena.core.game import AnyGame, Event
    from arena.core.replay import Body, Step


class Eyes(StrEnum):
    """What to show of a game, if not what one seat saw."""

    ALL = "all"
    """Everything, including what only single seats saw."""
    PUBLIC = "public"
    """What everybody at the table saw."""


def lines_of(body: "Body", eyes: Eyes | int, *, boards: bool, width: int) -> Iterator[str]:
    """Yield a game line by line; `eyes` may be the number of a seat, `width` is that of boards, in columns."""
    from arena import registry
    from arena.core.replay import steps

    rules = registry.game(body["game"])
    names = [entry["label"] for entry in body["entries"]]
    yield f"{rules.info.title} · {body['ruleset']} · {body['seats']} players"
    yield ""
    for number, name in enumerate(names):
        yield f"  seat {number}: {name}"
    yield ""
    for step in steps(rules, body):
        if boards and step.moves:
            yield from ("", *_board(rules, step.state, eyes, body["seats"], width), "")
        for event in step.events:
            yield from _event(rules, event, eyes, names)
        if not step.moves:
            yield from _known_from_the_start(rules, step, eyes, body["seats"])
        for move in step.moves:
            if move.get("note"):
                yield f"    ({names[move['seat']]}: {move['note']})"
    yield ""
    for seat in sorted(range(len(names)), key=lambda number: body["ranks"][number]):
        verdict = f"  ({body['verdicts'][seat]})" if body["verdicts"][seat] else ""
        yield f"  {body['ranks'][seat]}. {names[seat]}: {body['scores'][seat]}{verdict}"


def _board(rules: "AnyGame", state: Any, eyes: Eyes | int, seats: int, width: int) -> Iterator[str]:
    """Yield the picture of the table; for `Eyes.ALL`, add what each seat also sees."""
    public = rules.view(state, None)
    yield from rules.draw(rules.view(state, eyes) if isinstance(eyes, int) else public, width).split("\n")
    if eyes is Eyes.ALL:
        more = {seat: _beyond(rules.view(state, seat), public) for seat in range(seats)}
        if any(more.values()):
            yield ""
        for seat, seen in more.items():
            if seen:
                yield f"seat {seat}: {_words(seen)}"


def _event(rules: "AnyGame", event: "Event", eyes: Eyes | int, names: list[str]) -> Iterator[str]:
    if event.kind == "forfeit":
        out = event.data["seat"]
        yield f"*** {names[out]} (seat {out}) is out: {event.data['verdict']}"
        return
    if event.kind == "cap":
        yield f"*** the game ends at the limit of {event.data['decisions']} moves; the scores stand"
        return
    if text := rules.describe(event.seen_by(eyes if isinstance(eyes, int) else None)):
        yield text
    if eyes is Eyes.ALL:
        for seat, seen in sorted(event.private.items()):
            yield f"    seat {seat}: {_words(seen)}"


def _known_from_the_start(rules: "AnyGame", step: "Step", eyes: Eyes | int, seats: int) -> Iterator[str]:
    """Yield what seats know that never changes, such as a palate."""
    if eyes is Eyes.PUBLIC:
        return
    for seat in range(seats) if eyes is Eyes.ALL else (eyes,):
        if private := rules.private(step.after, int(seat)):
            yield f"    seat {seat}: {_words(private)}"


def _beyond(view: Mapping[str, Any], public: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a view has that the public view lacks."""
    return {
        key: value
        for key, value in view.items()
        if key != "seat" and (key not in public or public[key] != value)
    }


def _words(found: Mapping[str, Any]) -> str:
    """Return keys and values on one line: lists of cards as words, nested values as JSON."""
    return ", ".join(f"{key} {_value(value)}" for key, value in found.items())


def _value(value: Any) -> str:
    if isinstance(value, list | tuple) and all(isinstance(item, str | int) for item in value):
        return " ".join(map(str, value)) or "–"
    return value if isinstance(value, str) else json_text(value)
