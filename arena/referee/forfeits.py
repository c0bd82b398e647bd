"""Who is out of a game, when, and what that makes of the result."""

from dataclasses import dataclass

from arena.core.game import Event
from arena.players.base import Fault


@dataclass(frozen=True, slots=True)
class Forfeit:
    """One seat's end in a game."""

    seat: int
    fault: Fault
    at_decision: int
    """Number of moves made in the game before the turn in which it happened; a bot that does not start is out at 0."""

    @property
    def event(self) -> Event:
        """What the table is told: the bare word."""
        return Event("forfeit", {"seat": self.seat, "verdict": str(self.fault.verdict)})


class Forfeits:
    """The forfeited seats of one game."""

    __slots__ = ("_seats", "by_seat", "ends_game")

    def __init__(self, seats: int) -> None:
        self._seats = seats
        self.by_seat: dict[int, Forfeit] = {}
        self.ends_game = False
        """Whether fewer than two seats without a fault remain."""

    def add(self, forfeit: Forfeit) -> None:
        """Take a seat out of the game."""
        self.by_seat[forfeit.seat] = forfeit
        self.ends_game = self._seats - len(self.by_seat) < 2

    @property
    def at_decision(self) -> dict[int, int]:
        """The decision at which each faulted seat was out."""
        return {seat: forfeit.at_decision for seat, forfeit in self.by_seat.items()}

    @property
    def verdicts(self) -> list[str | None]:
        """The verdict on each seat; None for those that played on."""
        return [
            str(self.by_seat[seat].fault.verdict) if seat in self.by_seat else None
            for seat in range(self._seats)
        ]
