"""Bread and Chocolate: its view and its moves, typed. docs/games/bread-and-chocolate.md explains each field."""

from dataclasses import dataclass
from typing import Any, ClassVar

from .forward_model import HandView, Move, move_of


@dataclass(frozen=True)
class View(HandView):
    """What your seat sees: `View.of(ask["view"])`."""

    turns: int
    opening: bool
    discard: int
    """Cards that must be discarded now."""
    up: str
    """The top card."""
    up_count: int
    down_count: int
    stock: int
    spread: bool
    """Whether a spread lasts."""


@dataclass(frozen=True)
class Play(Move):
    """Lay a card."""

    type: ClassVar[str] = "play"
    card: str


@dataclass(frozen=True)
class Discard(Move):
    """Discard cards for the card laid one below."""

    type: ClassVar[str] = "discard"
    cards: tuple[str, ...]


@dataclass(frozen=True)
class Draw(Move):
    """Draw, without a legal play."""

    type: ClassVar[str] = "draw"


@dataclass(frozen=True)
class Spread(Move):
    """Begin a spread in the opening."""

    type: ClassVar[str] = "spread"


@dataclass(frozen=True)
class Flip(Move):
    """Flip in the opening."""

    type: ClassVar[str] = "flip"


@dataclass(frozen=True)
class Pass(Move):
    """Pass in the opening."""

    type: ClassVar[str] = "pass"


def read_move(raw: dict[str, Any]) -> Move:
    """Return the typed form of one of `ask["legal"]`."""
    return move_of((Play, Discard, Draw, Spread, Flip, Pass), raw)
