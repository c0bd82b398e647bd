"""Sandwich: its view, its private part and its moves, typed. docs/games/sandwich.md explains each field."""

from dataclasses import dataclass
from typing import Any, ClassVar

from .forward_model import Move, Typed, move_of


@dataclass(frozen=True)
class StandingOffer(Typed):
    """An offer on the table."""

    number: int
    seat: int
    to: int
    give: str
    want: str


@dataclass(frozen=True)
class View(Typed):
    """What your seat sees: `View.of(ask["view"])`."""

    round_no: int
    rounds: int
    phase: str
    direction: str
    """Which way the sandwiches go: `left`, `right` or `both`."""
    market_turn: int | None
    market: tuple[str, ...]
    grab_order: tuple[int, ...]
    pile: int
    hands: tuple[tuple[str, ...], ...]
    """By seat; all hands are open."""
    trade_round: int | None
    offers: tuple[StandingOffer, ...]
    taster: int | None
    read_out: tuple[tuple[str, ...], ...]
    """The sandwiches to taste, in the order they were read out."""
    plates: tuple[tuple[tuple[str, ...] | None, ...], ...]
    """The sandwiches waiting before each seat; None if face down."""
    scores: tuple[int, ...]
    seat: int
    receivers: tuple[int, ...]
    """Who gets your sandwiches, in the order of `Serve`."""

    @classmethod
    def of(cls, data: dict[str, Any]) -> "View":
        """Return the view for the JSON object. Keys that it has no field for are ignored."""
        return super().of({**data, "offers": [StandingOffer.of(offer) for offer in data["offers"]]})


@dataclass(frozen=True)
class Private(Typed):
    """What you alone know, and the figures that are the same in every game: `Private.of(game.private)`."""

    likings: dict[str, float]
    """By family."""
    quirks: dict[str, float]
    """By ingredient."""
    families: dict[str, list[str]]
    pairs: dict[str, dict[str, float]]


@dataclass(frozen=True)
class Grab(Move):
    """Rank the cards on the market; position p is the card that seat p turned up."""

    type: ClassVar[str] = "grab"
    order: tuple[int, ...]


@dataclass(frozen=True)
class Offer(Move):
    """Offer one of your cards for one of another seat's."""

    type: ClassVar[str] = "offer"
    to: int
    give: str
    want: str


@dataclass(frozen=True)
class NoOffer(Move):
    """Offer nothing in this trade round."""

    type: ClassVar[str] = "no_offer"


@dataclass(frozen=True)
class Answer(Move):
    """Accept offers, by their numbers, the most wanted first."""

    type: ClassVar[str] = "answer"
    accept: tuple[int, ...]


@dataclass(frozen=True)
class Serve(Move):
    """Serve sandwiches made from the whole hand, one for each receiver."""

    type: ClassVar[str] = "serve"
    sandwiches: tuple[tuple[str, ...], ...]
    words: tuple[str, ...] = ()
    """One for each sandwich, or none."""

    def json(self) -> dict[str, Any]:
        """Return the move as the protocol has it."""
        written = super().json()
        return written if self.words else {key: value for key, value in written.items() if key != "words"}


@dataclass(frozen=True)
class Taste(Move):
    """Rank the sandwiches that were read out, by their indices, best first."""

    type: ClassVar[str] = "taste"
    ranking: tuple[int, ...]


def read_move(raw: dict[str, Any]) -> Move:
    """Return the typed form of a move, such as one of `ask["legal"]`."""
    return move_of((Grab, Offer, NoOffer, Answer, Serve, Taste), {"words": [], **raw})
