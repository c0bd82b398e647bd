"""Tells a finished game in words: with all hands open, as one seat saw it, or as spectators saw it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, Literal

from msgspec import Struct

from arena.core.game import AnyGame, Event
from arena.core.move_words import (
    Asked,
    ChosenWording,
    LearntWording,
    spelled,
    told,
    with_names,
    wording_of,
    words,
)
from protocol import codec
from protocol.messages import Ask, End, Move, Ready, Start
from results.records import LogRecord

Speaker = Literal["arena", "bot"]


class Question(Struct, frozen=True):
    """One decision that a seat was asked for."""

    decision: int
    """Its decision number: how many moves the game had before. Seats that decide at once share it."""
    ask: Ask
    state: Any
    """The state of the game that it was about, with what other seats know: never for display. For the lines of a file
    it is a guess, or None if the game can't guess."""
    answer: Move | None
    """The move as it was played, in the game's own form; None if none was."""
    wall_ns: int | None = None
    cpu_ns: int | None = None
    """Wall and CPU time of the answer; None if they aren't known, as for a question without an answer."""
    wrote: str = ""
    """What the bot wrote instead of a legal move, shortened; empty if nothing, or if it isn't known."""
    was_sent: bool = True
    """Whether it was sent; not if the fault was found just before."""


class Forfeit(Struct, frozen=True):
    """Why the seat was forfeited, and when."""

    verdict: str
    detail: str
    decision: int
    """The decision number; 0 also for a seat that was never asked, and the number of all moves after the last one."""


class Conversation(Struct, frozen=True):
    """What one seat was sent in one game and what it answered."""

    seat: int
    start: Start
    got_ready: bool
    """Whether it answered `ready`. If not, it may not even have been sent `start`."""
    questions: tuple[Question, ...]
    end: End | None
    """None if it was forfeited."""
    forfeit: Forfeit | None
    unknown: tuple[str, ...] = ()
    """What can't be known of the lines, a sentence each; the messages have something else in its place."""

    def lines(self) -> Iterator[tuple[Speaker, bytes]]:
        """Yield every line both ways, newline included, without the handshake of the process.

        The arena's lines are the bytes that were sent, apart from what is `unknown`. The bot's are its messages as
        the game or the arena writes them, because a bot's own spelling isn't kept.
        """
        line_bytes = self.start.limits.line_bytes
        yield "arena", codec.encode(self.start, line_bytes)
        if self.got_ready:
            yield "bot", codec.encode(Ready())
        for question in self.questions:
            if question.was_sent:
                yield "arena", codec.encode(question.ask, line_bytes)
            if question.answer is not None:
                yield "bot", codec.encode(question.answer)
        if self.end is not None:
            yield "arena", codec.encode(self.end, line_bytes)

    def decision_of(self, ask_id: int) -> int | None:
        """Return the decision number of an ask; None if the seat had no such ask in this game."""
        return next((one.decision for one in self.questions if one.ask.id == ask_id), None)


class Eyes(StrEnum):
    """What to show of a game, if not what one seat saw."""

    ALL = "all"
    """Everything, including what only single seats saw."""
    PUBLIC = "public"
    """What everybody at the table saw."""


def event_lines(
    rules: AnyGame, event: Event, eyes: Eyes | int, names: Sequence[str], *, in_words: bool = False
) -> Iterator[str]:
    """Yield what an event was, in words; then, with all eyes, what several seats saw. `in_words`: cards are spelled."""
    seat = eyes if isinstance(eyes, int) else None
    if eyes is Eyes.ALL and len(event.private) == 1:
        (seat,) = event.private  # the only one that saw all of it
    if text := seen_words(rules, event.seen_by(seat), names, in_words=in_words):
        yield text
    if eyes is Eyes.ALL and len(event.private) > 1:
        wording = wording_of(rules)
        in_short = wording.learnt if isinstance(wording, LearntWording) else _words
        for seat, seen in sorted(event.private.items()):
            if seen_in_words := in_short(seen):
                yield f"    {names[seat]}: {_cut(spelled(rules, seen_in_words) if in_words else seen_in_words)}"


_LONGEST_SEEN = 300
"""What one seat saw is cut to this many characters."""


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_SEEN else f"{text[: _LONGEST_SEEN - 1]}…"


def seen_words(
    rules: AnyGame, event: Mapping[str, Any], names: Sequence[str], *, in_words: bool = False
) -> str:
    """Return an event in words, from its wire format; empty if the game has no words for it."""
    if event["kind"] == "forfeit":
        out = event["seat"]
        return f"*** {names[out]} (seat {out}) is out: {event['verdict']}"
    return told(rules, event, names, in_words=in_words)


def known_words(
    rules: AnyGame, privates: Mapping[int, Mapping[str, Any]], names: Sequence[str]
) -> tuple[dict[int, list[str]], list[str]]:
    """Return, by seat and for several seats, what they know that never changes. `privates`: what each seat was sent."""
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


def move_words(rules: AnyGame, asked: Asked, move: Any, *, in_words: bool = False) -> str:
    """Return a move in words: the choice of the game that stands for it, or its type and fields."""
    wording, text = wording_of(rules), _fields(move)
    if isinstance(wording, ChosenWording):
        text = wording.chosen(asked, move) or text
    elif asked.legal is not None:
        listed = (choice for group in wording.choices(asked) for choice in group.choices)
        choice = next((one for one in listed if one.move == move), None)
        if choice is not None and choice.text and not choice.key.isdecimal():
            text = f"{text} ({choice.text})"
    return with_names(spelled(rules, text) if in_words else text, asked.names)


def _fields(move: Any) -> str:
    """Return the type of a move and its fields; a single field goes without its name."""
    if not isinstance(move, Mapping):
        return words(move)
    kind = str(move.get("type", "")).replace("_", " ")
    rest = {key: value for key, value in move.items() if key != "type"}
    return f"{kind} {words(next(iter(rest.values()))) if len(rest) == 1 else _words(rest)}".strip()


def _words(found: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {words(value)}" for key, value in found.items())


_ASK = re.compile(r"\bask (\d{1,16})\b")
"""How the kits, and Arena's own details, name a decision: by the id that the bot has seen."""


class LogLine(Struct, frozen=True):
    """One line of a log."""

    text: str
    """As the bot wrote it, apart from bytes that aren't UTF-8: it may have control characters."""
    decision: int | None = None
    ask: int | None = None
    """The decision that it mentions by the id of its ask."""


class SeatLog(Struct, frozen=True):
    """What a bot wrote to standard error in a game."""

    seat: int
    bot: str
    lines: tuple[LogLine, ...]
    kept_bytes: int
    dropped_bytes: int
    """How many bytes in the middle were dropped."""


class Log(Struct, frozen=True):
    """The logs of one game."""

    game: str
    """LEAGUE/MATCH.ROTATION."""
    seats: tuple[SeatLog, ...]
    unknown: str = ""
    """Why the decisions that lines mention can't be named; empty if they can."""


def log_lines(log: LogRecord, told: Conversation | None = None) -> list[LogLine]:
    """Return the lines of a stored log; a line in brackets stands for what was dropped in the middle."""
    if not log.dropped_bytes:
        return _lines(log.head + log.tail, told)
    gap = LogLine(f"({log.dropped_bytes:,} bytes of the log were not kept)")
    return [*_lines(log.head, told), gap, *_lines(log.tail, told)]


def _lines(data: bytes, told: Conversation | None) -> list[LogLine]:
    text = data.decode("utf-8", "replace").removesuffix("\n")
    return [_line(line, told) for line in text.split("\n")] if text else []


def _line(text: str, told: Conversation | None) -> LogLine:
    text = text.removesuffix("\r")
    found = _ASK.search(text) if told is not None else None
    if found is None or told is None or (decision := told.decision_of(int(found[1]))) is None:
        return LogLine(text)
    return LogLine(text, decision, int(found[1]))
