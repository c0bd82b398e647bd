"""The interface between the referee and a player, and a player without a process."""

from collections.abc import Callable
from typing import Protocol

from msgspec import Struct

from protocol.messages import JSON, Ask, End, Start
from protocol.verdicts import Reason, Verdict


class Fault(Struct, frozen=True):
    """What a player did wrong: a verdict for everyone, and a detail (measured value and limit) for its author."""

    verdict: Verdict
    detail: str
    reason: Reason | None = None
    """What led to the verdict; None if the verdict says it."""
    excuse: str = ""
    """Why the machine is to blame instead of the player, with figures; empty if it isn't."""
    wrote: str = ""
    """What the player wrote instead of a legal move, at most `MOST_WRITTEN` characters; empty if nothing."""
    was_asked: bool = True
    """Whether the player was sent the question that it forfeited on; not if its fault was found before."""


MOST_WRITTEN = 4_096
"""Characters kept of what a player wrote instead of a legal move."""


class Reply(Struct, frozen=True):
    """An answer to a decision, not yet checked against the rules."""

    move: JSON
    note: str | None
    wall_ns: int
    """Time from the last byte written to the newline read."""
    cpu_ns: int
    """CPU time of the player's process during that time; 0 if unknown."""
    excuse: str = ""
    """Why the machine is to blame for a late answer, with figures; empty if it isn't."""


class PlayerLog(Struct, frozen=True):
    """What a player wrote in one game besides its moves: standard error, and a count of surplus answers."""

    head: bytes = b""
    tail: bytes = b""
    dropped_bytes: int = 0
    stale_replies: int = 0
    """Answers to asks that had already been answered; they are dropped."""


NO_LOG = PlayerLog()


class Player(Protocol):
    """Fills a seat for one game at a time. A player's faults are returned, never raised."""

    def start(self, message: Start, limit_ms: int) -> Fault | None:
        """Begin a game. Return once the player is ready, or return the fault that kept it from getting ready."""

    def next_id(self) -> int:
        """Return the id for the next ask; ids count only this player's own asks."""

    def ask(self, message: Ask, limit_ns: int) -> Reply | Fault:
        """Ask the player for a decision and return its answer, or its fault."""

    def last_look(self) -> Fault | None:
        """Check the player's limits a last time, after all decisions. Return its fault, if any."""
        return None

    def end(self, message: End) -> PlayerLog:
        """Send the result of the game; return the player's log of the game."""

    def stop(self) -> PlayerLog:
        """Remove the player from the game at once, after a fault; return its log of the game."""
        return NO_LOG


class ScriptedPlayer(Player):
    """Answers with a function of the ask, in this process."""

    def __init__(
        self,
        answer: Callable[[Ask], Reply | Fault] | None = None,
        on_start: Callable[[Start], Fault | None] | None = None,
    ) -> None:
        """`answer` may be omitted if `on_start` always returns a fault, so that the player is never asked."""
        self._answer = answer
        self._on_start = on_start
        self._asked = 0

    def start(self, message: Start, limit_ms: int) -> Fault | None:  # noqa: ARG002 - always in time
        """Begin a game."""
        return self._on_start(message) if self._on_start else None

    def next_id(self) -> int:
        """Return the id for the next ask."""
        self._asked += 1
        return self._asked

    def ask(self, message: Ask, limit_ns: int) -> Reply | Fault:  # noqa: ARG002 - the function reports its time
        """Return the function's result."""
        if self._answer is None:
            raise AssertionError("asked a player that has no answers")
        return self._answer(message)

    def end(self, message: End) -> PlayerLog:  # noqa: ARG002 - nobody is told
        """Return an empty log."""
        return NO_LOG
