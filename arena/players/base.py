"""What a player is to the referee."""

from dataclasses import dataclass
from typing import Protocol

from msgspec import Struct

from protocol.messages import JSON, Ask, End, Start
from protocol.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class Fault:
    """What a player did wrong: the word for the table, the detail (figure and limit) for its author."""

    verdict: Verdict
    detail: str
    excuse: str = ""
    """Why the machine and not the player is to blame, figures included, where it is."""


class Reply(Struct, frozen=True):
    """An answer to a decision, not yet held against the rules."""

    move: JSON
    note: str | None
    wall_ns: int
    """From the last byte written to the newline read."""
    cpu_ns: int
    """CPU time of the player's process meanwhile; 0 where unknown."""
    excuse: str = ""
    """Why the machine and not the player is to blame for a late answer, figures included, where it is."""


@dataclass(frozen=True, slots=True)
class PlayerLog:
    """What a player wrote in one game beside its moves: to standard error, and answers too many."""

    head: bytes = b""
    tail: bytes = b""
    dropped_bytes: int = 0
    stale_replies: int = 0
    """Answers to asks that were answered already; they are dropped."""


NO_LOG = PlayerLog()


class Player(Protocol):
    """Fills a seat for one game at a time. Faults come back as values; nothing it does raises."""

    def start(self, message: Start, limit_ms: int) -> Fault | None:
        """Begin a game; return once the player is ready."""

    def next_id(self) -> int:
        """Return the id for the next ask; ids count only this player's own asks."""

    def ask(self, message: Ask, limit_ns: int) -> Reply | Fault:
        """Put a decision before the player and return its answer, or the fault that came instead."""

    def last_look(self) -> Fault | None:
        """Look once more, all decisions made, whether the player has kept to its bounds."""

    def end(self, message: End) -> PlayerLog:
        """Tell the result of the game; return the player's log of it."""

    def stop(self) -> PlayerLog:
        """End the player's part at once, because of its fault; return its log of the game."""
