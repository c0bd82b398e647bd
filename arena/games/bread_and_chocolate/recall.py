"""Tracks one hand through the events that a seat sees: where every card is, as far as the seat can know.

Resets don't shuffle. So every place in a pile is tracked, whether its card is known or not. What happened to the hands
of others is kept as a list of facts; `possible_histories` finds out what may have happened unseen.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.core.game import JSON
from arena.games.bread_and_chocolate.rules import CARDS, Rules

UNKNOWN = -1
"""In `Recall.card`: this seat was not told."""


@dataclass(frozen=True, slots=True)
class In:
    """Cards entered another hand from places in the stock."""

    seat: int
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Out:
    """A card was laid from another hand and got a place on the up pile."""

    seat: int
    place: int


@dataclass(frozen=True, slots=True)
class Hidden:
    """Cards were discarded from another hand and got places on the down pile."""

    seat: int
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Stuck:
    """There was no legal play: none of these cards was in the other hand."""

    seat: int
    lacking: frozenset[int]


@dataclass(frozen=True, slots=True)
class Seen:
    """The card at a place was seen."""

    place: int


Fact = In | Out | Hidden | Stuck | Seen


class Recall:
    """What one seat knows about a hand. Make one for each deal, and call `hear` with every later event in order.

    Events are in their wire format; of kinds other than the game's own, they are ignored. Both raise KeyError,
    IndexError or ValueError for inconsistent events.
    """

    def __init__(
        self, rules: Rules, seat: int, dealt: Mapping[str, JSON], cards: Iterable[int] = range(52)
    ) -> None:
        """Take the event of the deal, and the cards of the deck."""
        self.rules = rules
        self.seat = seat
        self.card: list[int] = []
        """The card at each place, by the number of the place; UNKNOWN if it was not seen."""
        self.facts: list[Fact] = []
        """What happened to the other hands and was seen, in order; first the deal."""
        self.held: list[int] = list(dealt["held"])
        """Number of cards that each seat holds."""
        self.hidden = sorted(set(cards).difference([CARDS[name] for name in dealt["hand"]]))
        """The cards that were dealt to the places, in ascending order: all but the seat's own hand."""
        for other, count in enumerate(self.held):
            if other != seat:
                self.facts.append(In(other, tuple(self._places(count))))
        self.down = self._places(1)
        """Places of the down pile, oldest first."""
        self.up = self._shown([dealt["up"]])
        """Places of the up pile, oldest first."""
        self.stock = self._places(dealt["stock"])
        """Places of the stock; the last is drawn first."""
        self.dealt_places = len(self.card)
        """Lower numbers are places of the deal: other hands, the first down and up card, the stock."""
        self.spread = False
        """Whether a spread lasts."""

    def hear(self, event: Mapping[str, JSON]) -> None:
        """Process one event as this seat sees it."""
        seat: Any = event.get("seat")
        match event["kind"]:
            case "spread":
                for name in event["cards"]:
                    self.up.append(self.stock.pop())
                    self._see(self.up[-1], name)
            case "flipped":
                self.up[-1], self.down[-1] = self.down[-1], self.up[-1]
                self._see(self.up[-1], event["up"])
            case "played":
                self.held[seat] -= 1
                self.spread = event["effect"] == "spread"
                self.up += self._places(1)
                if seat != self.seat:
                    self.facts.append(Out(seat, self.up[-1]))
                self._see(self.up[-1], event["card"])
            case "stuck":
                if seat != self.seat:
                    lacking = self.rules.playable(self.card[self.up[-1]], self.spread, self.held[seat])
                    self.facts.append(Stuck(seat, lacking))
                if self.rules.name == "gamerules":
                    self.spread = False
            case "drew":
                drawn = [self.stock.pop() for _ in range(event["count"])]
                self.held[seat] += event["count"]
                if seat != self.seat:
                    self.facts.append(In(seat, tuple(drawn)))
                    return
                for place, name in zip(drawn, event["cards"], strict=True):
                    self._see(place, name)
            case "discarded":
                self.held[seat] -= event["count"]
                if seat == self.seat:
                    self.down += self._shown(event["cards"])
                    return
                places = self._places(event["count"])
                self.down += places
                self.facts.append(Hidden(seat, tuple(places)))
            case "reset":
                self.stock, self.up, self.down = self.up[::-1], self.down[::-1], self.stock
                self.spread = False
                self._see(self.up[-1], event["up"])
            case "refilled":
                self.stock, self.up = self.up[-2::-1], self.up[-1:]

    def _places(self, count: int) -> list[int]:
        begin = len(self.card)
        self.card += [UNKNOWN] * count
        return list(range(begin, begin + count))

    def _shown(self, names: Sequence[str]) -> list[int]:
        """Return new places with cards that this seat sees."""
        places = self._places(len(names))
        for place, name in zip(places, names, strict=True):
            self._see(place, name)
        return places

    def _see(self, place: int, name: str) -> None:
        """Record the card at a place. Raises ValueError if a different card is known to be there."""
        card = CARDS[name]
        if self.card[place] == UNKNOWN:
            self.card[place] = card
            self.facts.append(Seen(place))
        elif self.card[place] != card:
            raise ValueError(f"{name} was seen where another card lies")
