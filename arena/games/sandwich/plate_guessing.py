"""In free tasting, guesses who made the sandwiches that are read out and what is still face down.

All hands were open before the sandwiches were made, so each maker's cards are known. How a maker combined them
isn't known until they are tasted; all ways are equally likely.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate, permutations

from arena.core.chance import Rng
from arena.core.game import JSON
from arena.games.sandwich.ingredients import CARDS
from arena.games.sandwich.rules import Rules
from arena.games.sandwich.state import Sandwich

Event = Mapping[str, JSON]
"""An event in its wire format."""
Plates = list[tuple[Sandwich, ...]]
"""The untasted sandwiches before each seat, nearest giver first."""
_Giver = tuple[int, int]
"""A sandwich by its maker and its number among the maker's, in serving order."""


class Making:
    """What one seat knows about the sandwiches of a round."""

    def __init__(self, rules: Rules, round_no: int) -> None:
        self.rules = rules
        self.round_no = round_no
        self.left: list[Counter[int]] = [Counter() for _ in range(rules.seats)]
        """Each maker's cards that aren't in a known sandwich."""
        self.known: dict[_Giver, Sandwich] = {}

    def hear(self, event: Event) -> None:
        """Take the next event of the round; those that say nothing of cards are ignored."""
        kind, left = event["kind"], self.left
        if kind == "grabbed":
            for hand, name in zip(left, event["taken"], strict=True):
                hand[CARDS[name]] += 1
        elif kind == "traded":
            for trade in event["trades"]:
                give, want = CARDS[trade["give"]], CARDS[trade["want"]]
                left[trade["seat"]].subtract([give])
                left[trade["seat"]][want] += 1
                left[trade["to"]].subtract([want])
                left[trade["to"]][give] += 1
        elif kind == "served" and "sandwiches" in event:
            for number, names in enumerate(event["sandwiches"]):
                self._know((event["seat"], number), sandwich_of(names))
        elif kind == "tasted":
            self._taste(event)

    def _know(self, giver: _Giver, sandwich: Sandwich) -> None:
        self.known[giver] = sandwich
        self.left[giver[0]].subtract(sandwich)

    def _taste(self, event: Event) -> None:
        """Add the sandwiches of a tasting to the known ones; if one maker made two, in any order."""
        unplaced = list(self.rules.givers(event["taster"], self.round_no))
        for maker, names in zip(event["makers"], event["sandwiches"], strict=True):
            sandwich = sandwich_of(names)
            own = [giver for giver in unplaced if giver[0] == maker]
            place = next((giver for giver in own if self.known.get(giver) == sandwich), None)
            if place is None:
                place = next(giver for giver in own if giver not in self.known)
                self._know(place, sandwich)
            unplaced.remove(place)


class PlateGuesser:
    """Guesses the plates at one moment of a tasting."""

    def __init__(self, making: Making, view: Event) -> None:
        """Raise ValueError if nobody can have made the sandwiches that are read out."""
        self._making = making
        self._taster: int = view["taster"]
        self._read_out = [sandwich_of(names) for names in view["read_out"]]
        self._givers = making.rules.givers(self._taster, making.round_no)
        weighed = [(way, self._weight(way)) for way in permutations(range(len(self._givers)))]
        self._ways = [(way, weight) for way, weight in weighed if weight]
        """For each sandwich read out, the index of a giver who can have made it; and how many ways there are to."""
        self._sums = list(accumulate([weight for _, weight in self._ways]))
        if not self._ways:
            raise ValueError("nobody can have made the sandwiches read out: events are missing")

    def plates(self, rng: Rng) -> tuple[Plates, tuple[int, ...]]:
        """Return the untasted sandwiches before each seat, and the order in which the taster's are read out.

        Every maker's sandwiches are made from its hand. Those already tasted, the seat's own and face-up ones are
        known; those read out go to makers who can have made them; the rest is random.
        """
        making = self._making
        rules, round_no, known = making.rules, making.round_no, dict(making.known)
        drawn = rng.randrange(self._sums[-1])
        shown = next(way for (way, _), end in zip(self._ways, self._sums, strict=True) if drawn < end)
        left = [Counter(cards) for cards in making.left]
        for sandwich, place in zip(self._read_out, shown, strict=True):
            giver = self._givers[place]
            if giver not in known:
                known[giver] = sandwich
                left[giver[0]].subtract(sandwich)
        unused = [list(cards.elements()) for cards in left]
        for cards in unused:
            rng.shuffle(cards)
        plates: Plates = [()] * rules.seats
        for seat in range(self._taster, rules.seats):
            plate = []
            for maker, number in rules.givers(seat, round_no):
                if (maker, number) not in known:
                    cards = unused[maker]
                    known[maker, number] = (cards.pop(), cards.pop(), cards.pop())
                plate.append(known[maker, number])
            plates[seat] = tuple(plate)
        return plates, shown

    def _weight(self, way: Sequence[int]) -> int:
        """Return in how many ways the givers' cards make the sandwiches read out, if each comes from one of them."""
        weight = 1
        left: dict[int, Counter[int]] = {}
        for sandwich, place in zip(self._read_out, way, strict=True):
            giver = self._givers[place]
            if giver not in self._making.known:
                cards = left.setdefault(giver[0], Counter(self._making.left[giver[0]]))
                for card in sandwich:
                    weight *= max(cards[card], 0)
                    cards[card] -= 1
            elif self._making.known[giver] != sandwich:
                return 0
        return weight


def sandwich_of(names: Sequence[str]) -> Sandwich:
    """Return a sandwich from the names of its ingredients."""
    a, b, c = names
    return CARDS[a], CARDS[b], CARDS[c]
