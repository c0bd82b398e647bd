"""What the viewer shows of a game: one document for certain eyes, and its parts as small JSON for scripts."""

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from zlib import compress

from markupsafe import Markup

from results.base.text import visible

View = Mapping[str, Any]
"""A view as the rules give it to a seat or to spectators."""
MARK = "\x1f"
"""What is before and after a name in a sentence, so that nobody has to look for it there."""
_ENDS = "_ended"
"""Of the kinds of events that end a hand or a round."""


@dataclass(frozen=True, slots=True)
class Player:
    """One seat of the game; everything here is public once the match is over."""

    seat: int
    name: str
    """Different for each seat."""
    label: str
    """The label of its entry."""
    is_person: bool
    score: int | float
    rank: int
    verdict: str | None
    detail: str
    side: int | None = None
    """The same for partners; None if everybody plays alone, or if the rules aren't known."""


@dataclass(frozen=True, slots=True)
class Move:
    """What a seat chose in a step."""

    seat: int
    words: str
    note: str | None = None
    maker: str = "bot"
    """`bot`, which a person counts as, `house` after a forfeit, or `engine` if there was no choice."""


@dataclass(frozen=True, slots=True)
class Time:
    """How long a decision took."""

    seat: int
    wall_ms: float
    cpu_ms: float
    limit_ms: float
    """The longest it could have taken: the time for the move, the bank and the margin."""
    bank_ms: float
    """Left in the bank after it."""


@dataclass(frozen=True, slots=True)
class Told:
    """One thing that happened."""

    event: Mapping[str, Any]
    """As these eyes saw it, in its wire format."""
    lines: tuple[str, ...]
    """In words, with the names of players between `MARK`s."""


@dataclass(frozen=True, slots=True)
class Step:
    """One turn: what happened, and the table after it."""

    decision: int | None
    """The decision number of its moves; None for the deal, and for what follows the last move."""
    told: tuple[Told, ...]
    moves: tuple[Move, ...] = ()
    times: tuple[Time, ...] = ()
    view: View | None = None
    """The view of these eyes after the step; None: as before, because nothing else was sent."""
    seat_views: tuple[View, ...] = ()
    """On an open table, the view of each seat."""
    scores: tuple[float, ...] | None = None
    """So far, by seat; None if these eyes don't know."""


@dataclass(frozen=True, slots=True)
class Document:
    """A game for certain eyes."""

    game: str
    title: str
    """Of the game."""
    ruleset: str
    eyes: int | None
    """The seat whose eyes these are; None: all hands are open."""
    players: tuple[Player, ...]
    steps: tuple[Step, ...]
    known: Mapping[int, Sequence[str]] = field(default_factory=dict)
    """What seats know from the start, in words."""
    known_to_all: Sequence[str] = ()
    worth: Mapping[int, Mapping[str, float]] = field(default_factory=dict)
    """What cards are worth to seats, where that differs."""
    unknown: tuple[str, ...] = ()
    """What isn't known of it, a sentence each."""
    drawn_events: tuple[str, ...] = ()
    """The kinds of events that the table shows."""

    @property
    def names(self) -> list[str]:
        """The players' names by seat."""
        return [player.name for player in self.players]


class LogLine(NamedTuple):
    """A line of the log."""

    kind: str
    """`move`, `told`, `seen` by one seat beside what was told, `answer` or `note`."""
    text: str
    """With the names of players between `MARK`s."""

    @property
    def html(self) -> Markup:
        """The line with names in bold type."""
        parts = [Markup.escape(visible(part)) for part in self.text.split(MARK)]
        return Markup("").join(
            Markup("<b>{}</b>").format(part) if at % 2 else part for at, part in enumerate(parts)
        )


def marked(names: Sequence[str]) -> list[str]:
    """Return names as they stand in sentences."""
    return [f"{MARK}{name}{MARK}" for name in names]


def log_lines(document: Document, step: Step) -> Iterator[LogLine]:
    """Yield the lines of a step, in the order of the log."""
    names, is_open = marked(document.names), document.eyes is None
    if is_open and (len(step.moves) > 1 or not step.told):
        for move in step.moves:
            yield LogLine("move", f"{names[move.seat]}: {move.words}")
    for told in step.told:
        for at, line in enumerate(told.lines):
            yield LogLine("seen" if at else "told", line)
    for move in step.moves:
        if not is_open:
            yield LogLine("answer", f"→ {names[move.seat]}: {move.words}")
        if move.note:
            yield LogLine("note", f"{names[move.seat]} {move.note.replace(MARK, ' ')}")


def script_data(document: Document) -> dict[str, Any]:
    """Return what scripts need of a document, without the words, which are in the page's log.

    Views are stored as what has changed since the step before: `v` holds new values of keys, `x` keys that are gone;
    `s` the same for each seat, beyond what is new for spectators. A decision `d` is left out if it is the one that
    follows from the moves so far, and events are left out that neither the table shows nor the timeline marks.
    """
    return {
        "format": 1,
        "game": document.game,
        "eyes": document.eyes,
        "names": document.names,
        "sides": [player.side for player in document.players],
        "worth": {str(seat): worth for seat, worth in document.worth.items() if worth},
        "steps": list(_steps(document)),
    }


def _steps(document: Document) -> Iterator[dict[str, Any]]:
    view: View = {}
    seats: list[View] = []
    scores: tuple[float, ...] | None = None
    decision = 0
    for step in document.steps:
        one: dict[str, Any] = {}
        if events := list(_events(step, document.drawn_events)):
            one["e"] = events
        if step.decision is not None:
            if step.decision != decision or not step.moves:
                one["d"] = step.decision
            decision = step.decision + len(step.moves)
        if step.moves:
            one["m"] = [move.seat for move in step.moves]
            if any(move.maker != "bot" for move in step.moves):
                one["a"] = [move.seat for move in step.moves if move.maker == "bot"]
        if step.times:
            one["t"] = [[t.seat, t.wall_ms, t.cpu_ms, t.limit_ms, t.bank_ms] for t in step.times]
        if step.view is not None:
            one |= _changes(view, step.view)
            view = step.view
        if step.seat_views:
            before = seats or [{} for _ in step.seat_views]
            seats = [_beyond(view, own) for own in step.seat_views]
            parts = [_changes(*pair) for pair in zip(before, seats, strict=True)]
            if any(parts):
                one["s"] = {str(seat): part for seat, part in enumerate(parts) if part}
        if step.scores is not None and step.scores != scores:
            one["p"] = list(step.scores)
            scores = step.scores
        yield one


def _events(step: Step, drawn: Sequence[str]) -> Iterator[Mapping[str, Any]]:
    for told in step.told:
        kind = told.event["kind"]
        if kind in drawn:
            yield told.event
        elif kind == "forfeit" or kind.endswith(_ENDS):
            yield {"kind": kind}


def _beyond(public: View, own: View) -> View:
    """Return the keys of a seat's view that spectators don't have, or have with another value."""
    return {key: value for key, value in own.items() if key not in public or public[key] != value}


def _changes(before: View, after: View) -> dict[str, Any]:
    """Return the values that are new as `v` and the keys that are gone as `x`, if there are any."""
    found = {"v": _beyond(before, after), "x": [key for key in before if key not in after]}
    return {key: value for key, value in found.items() if value}


def in_script(value: Any) -> Markup:
    """Return a JSON value for the inside of a script element: nothing in it can end the element.

    Invisible characters are replaced, as everywhere on the site.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return Markup(visible(text).replace("<", "\\u003c"))  # noqa: S704 - `<` is the only character that could end it


_LEVEL = 6
"""Of deflate: higher levels take longer and save little."""


def packed(documents: Sequence[Document]) -> bytes:
    """Return a script that sets `ARENA_GAME`: compressed JSON in base64, which `packed-game.js` unpacks."""
    shared = _Shared()
    by_eyes = {
        "all" if document.eyes is None else str(document.eyes): _with_numbers(document, shared)
        for document in documents
    }
    text = json.dumps(
        {"shared": shared.found, "documents": by_eyes}, ensure_ascii=False, separators=(",", ":")
    )
    content = compress(visible(text).encode("utf-8"), _LEVEL)
    return b'window.ARENA_GAME="' + b64encode(content) + b'";\n'


class _Shared:
    """Values by number, each once."""

    def __init__(self) -> None:
        self.found: list[Any] = []
        self._numbers: dict[str, int] = {}

    def number(self, value: Any) -> int:
        """Return the number of a JSON value."""
        text = json.dumps(value, ensure_ascii=False)
        if text not in self._numbers:
            self._numbers[text] = len(self.found)
            self.found.append(value)
        return self._numbers[text]

    def numbers(self, values: Mapping[str, Any]) -> dict[str, int]:
        """Return numbers instead of values."""
        return {key: self.number(value) for key, value in values.items()}


def _with_numbers(document: Document, shared: _Shared) -> dict[str, Any]:
    """Return the data of a document, with the lines `l` of its log, as numbers of shared values."""
    data = script_data(document)
    for one, step in zip(data["steps"], document.steps, strict=True):
        if "e" in one:
            one["e"] = [shared.number(event) for event in one["e"]]
        for part in (one, *one.get("s", {}).values()):
            if "v" in part:
                part["v"] = shared.numbers(part["v"])
        if document.eyes is not None:  # the page of the open view has its log as text
            one["l"] = [shared.number(line) for line in log_lines(document, step)]
    return data
