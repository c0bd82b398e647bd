"""Tracks one hand through the events that a seat sees: where every card is, as far as the seat can know.

Resets don't shuffle. So every place in a pile is tracked, whether its card is known or not; a card seen later is
known for the whole time it was there. The hand of another seat is an account of what entered and left it. What
it held at a given moment isn't always certain: a discard may be any of its cards. `determinization` finds hands that
are consistent with the whole account.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.core.game import JSON
from arena.games.bread_and_chocolate.rules import CARDS, Rules

UNKNOWN = -1
"""In `Recall.card`: this seat was not told."""


@dataclass(frozen=True, slots=True)
class In:
    """A card entered the hand from a place in the stock."""

    place: int


@dataclass(frozen=True, slots=True)
class Out:
    """A card was laid from the hand and got a place on the up pile."""

    place: int


@dataclass(frozen=True, slots=True)
class Hidden:
    """Cards were discarded from the hand and got places on the down pile."""

    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Stuck:
    """There was no legal play: none of these cards was in the hand."""

    lacking: frozenset[int]


Entry = In | Out | Hidden | Stuck


class Recall:
    """What one seat knows about the current hand. Call `hear` with every event in order, in its wire format.

    Events of kinds other than the game's own are ignored; `dealt` starts over. `hear` raises KeyError,
    IndexError or ValueError for inconsistent events.
    """

    def __init__(self, rules: Rules, seat: int) -> None:
        self.rules = rules
        self.seat = seat
        self.card: list[int] = []
        """The card at each place, by the number of the place; UNKNOWN if it was not seen."""
        self.dealt_places = 0
        """Lower numbers are places of the deal: other hands, the stock, the first up and down card."""
        self.first: set[int] = set()
        """Places where this seat saw a card for the first time."""
        self.unseen: set[int] = set()
        """Cards that this seat has not seen in this hand."""
        self.stock: list[int] = []
        """Places of the stock; the last is drawn first."""
        self.up: list[int] = []
        """Places of the up pile, oldest first."""
        self.down: list[int] = []
        """Places of the down pile, oldest first."""
        self.held: list[int] = []
        """Number of cards that each seat holds."""
        self.accounts: dict[int, list[Entry]] = {}
        """What entered and left the hand of each other seat, in order."""
        self.spread = False
        """Whether a spread lasts."""

    def hear(self, event: Mapping[str, JSON]) -> None:
        """Process one event as this seat sees it."""
        seat: Any = event.get("seat")
        match event["kind"]:
            case "dealt":
                self._dealt(event)
            case "spread":
                for name in event["cards"]:
                    self.up.append(self.stock.pop())
                    self._see(self.up[-1], name)
            case "flipped":
                self.up[-1], self.down[-1] = self.down[-1], self.up[-1]
                self._see(self.up[-1], event["up"])
            case "played":
                self.up += self._shown([event["card"]])
                self.held[seat] -= 1
                self.spread = event["effect"] == "spread"
                if seat != self.seat:
                    self.accounts[seat].append(Out(self.up[-1]))
            case "stuck":
                if seat != self.seat:
                    lacking = self.rules.playable(self.card[self.up[-1]], self.spread, self.held[seat])
                    self.accounts[seat].append(Stuck(lacking))
                if self.rules.name == "gamerules":
                    self.spread = False
            case "drew":
                drawn = [self.stock.pop() for _ in range(event["count"])]
                self.held[seat] += event["count"]
                if seat != self.seat:
                    self.accounts[seat] += map(In, drawn)
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
                self.accounts[seat].append(Hidden(tuple(places)))
            case "reset":
                self.stock, self.up, self.down = self.up[::-1], self.down[::-1], self.stock
                self.spread = False
                self._see(self.up[-1], event["up"])
            case "refilled":
                self.stock, self.up = self.up[-2::-1], self.up[-1:]

    def _dealt(self, event: Mapping[str, JSON]) -> None:
        self.card = []
        self.first = set()
        self.unseen = set(CARDS.values())
        self.spread = False
        self.held = list(event["held"])
        self.accounts = {
            seat: [In(place) for place in self._places(count)]
            for seat, count in enumerate(self.held)
            if seat != self.seat
        }
        self.unseen -= {CARDS[name] for name in event["hand"]}
        self.down = self._places(1)
        self.up = self._shown([event["up"]])
        self.stock = self._places(event["stock"])
        self.dealt_places = len(self.card)

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
        if self.card[place] not in (UNKNOWN, card):
            raise ValueError(f"{name} was seen where another card lies")
        if card in self.unseen:
            self.unseen.remove(card)
            self.first.add(place)
        self.card[place] = card
