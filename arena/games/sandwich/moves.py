"""Moves of Sandwich: what each is, and its JSON form (source 002)."""

from dataclasses import dataclass

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


def format_(move: Move) -> dict[str, JSON]:
    """Return a move as a JSON object."""
    match move:
        case Grab(order):
            return {"type": "grab", "order": list(order)}
        case MakeOffer(to, give, want):
            return {"type": "offer", "to": to, "give": NAMES[give], "want": NAMES[want]}
        case NoOffer():
            return {"type": "no_offer"}
        case Answer(accept):
            return {"type": "answer", "accept": list(accept)}
        case Serve(sandwiches, words):
            served = {"type": "serve", "sandwiches": [names(sandwich) for sandwich in sandwiches]}
            return {**served, "words": list(words)} if words else served
        case Taste(ranking):
            return {"type": "taste", "ranking": list(ranking)}
