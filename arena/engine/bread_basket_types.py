"""Bread Basket: its view and its moves, typed. docs/games/bread-basket.md explains each field."""

from dataclasses import dataclass
from typing import Any, ClassVar

from .forward_model import HandView, Move, move_of


@dataclass(frozen=True)
class View(HandView):
    """What your seat sees: `View.of(ask["view"])`."""

    played: tuple[str, ...]
    line: tuple[str, ...]
    """Oldest card first."""
    stock: int
    aside: int


@dataclass(frozen=True)
class Play(Move):
    """Play a card from the hand."""

    type: ClassVar[str] = "play"
    card: str


@dataclass(frozen=True)
class Stop(Move):
    """End the turn after its first card."""

    type: ClassVar[str] = "stop"


@dataclass(frozen=True)
class Chef(Move):
    """Use a Chef to take a card of the line; position 0 is the oldest."""

    type: ClassVar[str] = "chef"
    position: int


def read_move(raw: dict[str, Any]) -> Move:
    """Return the typed form of one of `ask["legal"]`."""
    return move_of((Play, Stop, Chef), raw)
