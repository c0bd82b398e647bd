"""The interface between the referee and a player."""

from dataclasses import dataclass
from typing import Protocol

from msgspec import Struct

from protocol.messages import JSON, Ask, End, Start
from protocol.verdicts import Reason, Verdict


@dataclass(frozen=True, slots=True)
class Fault:
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


@dataclass(frozen=True, slots=True)
class PlayerLog:
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

    def end(self, message: End) -> PlayerLog:
        """Send the result of the game; return the player's log of the game."""

    def stop(self) -> PlayerLog:
        """Remove the player from the game at once, after a fault; return its log of the game."""
