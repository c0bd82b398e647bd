"""Forfeits: which seats are out of a game, since when, and how that changes the result."""

from dataclasses import dataclass

from arena.core.game import Event
from arena.players.base import Fault


@dataclass(frozen=True, slots=True)
class Forfeit:
    """The forfeit of one seat."""

    seat: int
    fault: Fault
    at_decision: int
    """Number of moves made before the turn in which it happened; 0 if the bot didn't start."""

    @property
    def event(self) -> Event:
        """Return what the table sees: only the verdict."""
        return Event("forfeit", {"seat": self.seat, "verdict": str(self.fault.verdict)})


class Forfeits:
    """The forfeited seats of one game."""

    __slots__ = ("_seats", "by_seat", "ends_game")

    def __init__(self, seats: int) -> None:
        self._seats = seats
        self.by_seat: dict[int, Forfeit] = {}
        self.ends_game = False
        """Whether fewer than two seats are left without a fault."""

    def add(self, forfeit: Forfeit) -> None:
        """Take a seat out of the game."""
        self.by_seat[forfeit.seat] = forfeit
        self.ends_game = self._seats - len(self.by_seat) < 2

    @property
    def at_decision(self) -> dict[int, int]:
        """The decision at which each faulted seat went out."""
        return {seat: forfeit.at_decision for seat, forfeit in self.by_seat.items()}

    @property
    def verdicts(self) -> list[str | None]:
        """The verdict on each seat; None for seats that played on."""
        return [
            str(self.by_seat[seat].fault.verdict) if seat in self.by_seat else None
            for seat in range(self._seats)
        ]
