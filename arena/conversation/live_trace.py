"""Follows a game as it is played: every line both ways and every line of the log, in the order of time."""

import time
from collections.abc import Callable, Collection
from queue import SimpleQueue
from threading import Thread
from typing import Any, Literal

import msgspec
from msgspec import Struct

from arena.players.channel import Tap

Speaker = Literal["arena", "bot", "log"]

MOST_LOG_LINES = 2_000
"""Lines of a bot's log that are shown in one game; more are counted."""
MOST_LINE_BYTES = 65_536
"""A line that is longer is shown in parts."""
_NS_PER_MS = 1e6


class TracedLine(Struct, frozen=True):
    """One line of a game, as it passed."""

    at_ms: float
    """Since the first line."""
    seat: int
    speaker: Speaker
    """Who wrote it: Arena or the bot; `log` is the bot's standard error."""
    text: str
    """Without its newline; bytes that aren't UTF-8 are replaced."""
    kind: str = ""
    """The type of the message, such as `ask`; empty if it is none."""
    decision: int | None = None
    ask: int | None = None
    """The decision number and the id of the ask that a question or an answer belongs to."""
    after_ms: float | None = None
    """For an answer: since Arena's last line to that seat."""
    is_whole: bool = True
    """Whether it ended with a newline."""


class Tracer:
    """An `Observer` of some seats; a context manager. It shows lines from a thread of its own, so no clock waits."""

    def __init__(self, show: Callable[[TracedLine], None], seats: Collection[int] | None = None) -> None:
        """`show` gets each line; `seats` are those to follow, default all."""
        self._show = show
        self._seats = seats
        self._begun_ns: int | None = None
        """When the first bytes passed."""
        self._error: Exception | None = None
        self._passed: SimpleQueue[tuple[int, int, Speaker, bytes] | None] = SimpleQueue()
        self._reading: dict[int, _Lines] = {}
        self._thread = Thread(target=self._show_all, name="trace", daemon=True)

    def __enter__(self) -> "Tracer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Show what is left, with lines that never ended. Raises what `show` raised, after which nothing is shown."""
        self._passed.put(None)
        self._thread.join()
        if self._error is not None:
            raise self._error

    def tap(self, seat: int) -> "_SeatTap | None":
        """Return what sees the lines of the bot at a seat."""
        if self._seats is not None and seat not in self._seats:
            return None
        return _SeatTap(self, seat)

    def asking(self, seat: int, decision: int, ask_id: int) -> None:
        """Take note of the decision that an ask is about."""
        self._lines_of(seat).decisions[ask_id] = decision

    def pass_on(self, seat: int, speaker: Speaker, data: bytes) -> None:
        """Take note of bytes that have passed."""
        now_ns = time.monotonic_ns()
        if self._begun_ns is None:
            self._begun_ns = now_ns
        self._passed.put((now_ns - self._begun_ns, seat, speaker, data))

    def _lines_of(self, seat: int) -> "_Lines":
        return self._reading.setdefault(seat, _Lines(seat))

    def _show_all(self) -> None:
        at_ns = 0
        try:
            while (passed := self._passed.get()) is not None:
                at_ns, seat, speaker, data = passed
                for line in self._lines_of(seat).take(at_ns / _NS_PER_MS, speaker, data):
                    self._show(line)
            for lines in list(self._reading.values()):
                for line in lines.rest(at_ns / _NS_PER_MS):
                    self._show(line)
        except Exception as error:  # noqa: BLE001 - raised again where the game is played
            self._error = error


class _SeatTap(Tap):
    """A `Tap` that passes on what it sees of one seat."""

    def __init__(self, tracer: Tracer, seat: int) -> None:
        self._tracer = tracer
        self._seat = seat

    def sent(self, data: bytes) -> None:
        self._tracer.pass_on(self._seat, "arena", data)

    def wrote(self, data: bytes) -> None:
        self._tracer.pass_on(self._seat, "bot", data)

    def logged(self, data: bytes) -> None:
        self._tracer.pass_on(self._seat, "log", data)


class _Lines:
    def __init__(self, seat: int) -> None:
        self._seat = seat
        self.decisions: dict[int, int] = {}
        """By id of the ask."""
        self._begun: dict[Speaker, bytes] = {"arena": b"", "bot": b"", "log": b""}
        self._sent_ms: float | None = None
        self._log_lines = 0

    def take(self, at_ms: float, speaker: Speaker, data: bytes) -> list[TracedLine]:
        """Return the lines that end with some more bytes."""
        *whole, rest = (self._begun[speaker] + data).split(b"\n")
        found = [self._line(at_ms, speaker, line) for line in whole]
        while len(rest) >= MOST_LINE_BYTES:
            found.append(self._line(at_ms, speaker, rest[:MOST_LINE_BYTES], is_whole=False))
            rest = rest[MOST_LINE_BYTES:]
        self._begun[speaker] = rest
        return [line for line in found if line is not None]

    def rest(self, at_ms: float) -> list[TracedLine]:
        """Return the lines that never ended, and how much of the log wasn't shown."""
        left: list[TracedLine | None] = [
            self._line(at_ms, speaker, data, is_whole=False) for speaker, data in self._begun.items() if data
        ]
        if (more := self._log_lines - MOST_LOG_LINES) > 0:
            left.append(TracedLine(at_ms, self._seat, "log", f"({more} more lines of the log)"))
        return [line for line in left if line is not None]

    def _line(
        self, at_ms: float, speaker: Speaker, data: bytes, *, is_whole: bool = True
    ) -> TracedLine | None:
        text = data.decode("utf-8", "replace")
        if speaker == "log":
            self._log_lines += 1
            if self._log_lines > MOST_LOG_LINES:
                return None
            return TracedLine(at_ms, self._seat, "log", text, is_whole=is_whole)
        kind, number = _head(data) if is_whole else ("", None)
        after_ms = None
        if speaker == "arena":
            self._sent_ms = at_ms
        elif self._sent_ms is not None:
            after_ms = at_ms - self._sent_ms
        decision = None if number is None else self.decisions.get(number)
        return TracedLine(at_ms, self._seat, speaker, text, kind, decision, number, after_ms, is_whole)


def _head(data: bytes) -> tuple[str, int | None]:
    """Return a message's type and the id in it; empty and None if it is no message."""
    try:
        message: Any = msgspec.json.decode(data)
    except (ValueError, RecursionError):  # all that msgspec raises
        return "", None
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        return "", None
    number = message.get("id")
    return message["type"], number if type(number) is int else None
