"""Who is out of a game, when, and what that makes of the result."""

from dataclasses import dataclass, field

from arena.core.game import Event
from arena.players.base import Fault


@dataclass(frozen=True, slots=True)
class Forfeit:
    """One seat's end in a game."""

    seat: int
    fault: Fault
    at_decision: int
    """Number of moves made in the game before the turn in which it happened."""

    @property
    def event(self) -> Event:
        """What the table is told: the bare word."""
        return Event("forfeit", {"seat": self.seat, "verdict": str(self.fault.verdict)})


@dataclass(slots=True)
class Forfeits:
    """The forfeited seats of one game."""

    seats: int
    by_seat: dict[int, Forfeit] = field(default_factory=dict)

    def add(self, forfeit: Forfeit) -> None:
        """Take a seat out of the game."""
        self.by_seat[forfeit.seat] = forfeit

    @property
    def ends_game(self) -> bool:
        """Whether fewer than two seats without a fault remain."""
        return self.seats - len(self.by_seat) < 2

    @property
    def at_decision(self) -> dict[int, int]:
        """The decision at which each faulted seat was out."""
        return {seat: forfeit.at_decision for seat, forfeit in self.by_seat.items()}
