"""What one seat was sent in a game and what it answered, as messages of the protocol."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from protocol import codec
from protocol.messages import Ask, End, Move, Ready, Start

Speaker = Literal["arena", "bot"]


@dataclass(frozen=True, slots=True)
class Question:
    """One decision that a seat was asked for."""

    decision: int
    """Its decision number: how many moves the game had before. Seats that decide at once share it."""
    ask: Ask
    state: Any
    """The state of the game that it was about, with what other seats know: never for display."""
    answer: Move | None
    """The move as it was played, in the game's own form; None if none was."""
    wall_ns: int | None = None
    cpu_ns: int | None = None
    """Wall and CPU time of the answer; None if they aren't known, as for a question without an answer."""
    wrote: str = ""
    """What the bot wrote instead of a legal move, shortened; empty if nothing, or if it isn't known."""
    was_sent: bool = True
    """Whether it was sent; not if the fault was found just before."""


@dataclass(frozen=True, slots=True)
class Forfeit:
    """Why the seat was forfeited, and when."""

    verdict: str
    detail: str
    decision: int
    """The decision number; 0 also for a seat that was never asked, and the number of all moves after the last one."""


@dataclass(frozen=True, slots=True)
class Conversation:
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
        for question in self.questions:
            if question.ask.id == ask_id:
                return question.decision
        return None
