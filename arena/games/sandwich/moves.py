"""Moves of Sandwich: what each is, and its JSON form (source 002)."""

from dataclasses import dataclass
from functools import lru_cache

from arena.core.game import JSON
from arena.games.sandwich.ingredients import NAMES, names
from arena.games.sandwich.palates import Sandwich


@dataclass(frozen=True, slots=True)
class Grab:
    """A ranking of the cards on the market."""

    order: tuple[int, ...]
    """All positions, best first; position p is the card that seat p turned up."""


@dataclass(frozen=True, slots=True)
class MakeOffer:
    """An offer of one of your cards for one of another seat's."""

    to: int
    give: int
    want: int


@dataclass(frozen=True, slots=True)
class NoOffer:
    """No offer in this trade round."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The offers that a seat accepts."""

    accept: tuple[int, ...]
    """Their numbers, most wanted first."""


@dataclass(frozen=True, slots=True)
class Serve:
    """Sandwiches made from all cards of a hand, one for each receiver in turn."""

    sandwiches: tuple[Sandwich, ...]
    words: tuple[str, ...] = ()
    """One for each sandwich, or none at all."""


@dataclass(frozen=True, slots=True)
class Taste:
    """A ranking of the sandwiches that were read out."""

    ranking: tuple[int, ...]
    """Their indices in the order read out, best first."""


Move = Grab | MakeOffer | NoOffer | Answer | Serve | Taste


@lru_cache(maxsize=1 << 14)
def grab(order: tuple[int, ...]) -> Grab:
    """Return the grab with an order of whole numbers; equal ones share one object."""
    return Grab(order)


def format_(move: Move) -> dict[str, JSON]:
    """Return a move as a JSON object."""
    if isinstance(move, Grab):
        return {"type": "grab", "order": list(move.order)}
    if isinstance(move, Serve):
        served = {"type": "serve", "sandwiches": [names(sandwich) for sandwich in move.sandwiches]}
        return {**served, "words": list(move.words)} if move.words else served
    if isinstance(move, MakeOffer):
        return {"type": "offer", "to": move.to, "give": NAMES[move.give], "want": NAMES[move.want]}
    if isinstance(move, Answer):
        return {"type": "answer", "accept": list(move.accept)}
    if isinstance(move, Taste):
        return {"type": "taste", "ranking": list(move.ranking)}
    return {"type": "no_offer"}
