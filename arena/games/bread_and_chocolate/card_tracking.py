"""What may have happened to each card that entered a hand which a seat can't see.

Every card that entered the hand is still there or left it later. For some cards the way they left is known; for
others it is open: cards discarded unseen, and the earlier history of cards laid openly. Three facts constrain it.
A card that was laid, or was seen later where it had been discarded, was in the hand until then. A player who was
stuck held none of the cards that could have been laid. And a discarded card that returns, after the piles were
turned over twice, is the same card.
"""

from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from arena.games.bread_and_chocolate.recall import UNKNOWN, Entry, Hidden, In, Recall, Stuck

_NONE = -1


class Matching:
    """Gives every left number its own right number from those it may have.

    Once it is `complete`, every left number always has one, and `fix` makes choices final.
    """

    __slots__ = ("_choices", "_fixed", "_left_of", "_right_of", "_wanted_by")

    def __init__(self, choices: Sequence[Sequence[int]], rights: int) -> None:
        """Take the allowed right numbers of each left number, from 0 to rights − 1."""
        self._choices = choices
        self._right_of = [_NONE] * len(choices)
        self._left_of = [_NONE] * rights
        self._fixed = bytearray(rights)
        self._wanted_by: list[list[int]] = [[] for _ in range(rights)]
        for left, own in enumerate(choices):
            for right in own:
                self._wanted_by[right].append(left)

    def copy(self) -> "Matching":
        """Return an independent copy."""
        other = Matching.__new__(Matching)
        other._choices = self._choices
        other._wanted_by = self._wanted_by
        other._right_of = self._right_of[:]
        other._left_of = self._left_of[:]
        other._fixed = self._fixed[:]
        return other

    def complete(self) -> bool:
        """Give every left number a right number; return whether that is possible."""
        return all(
            right != _NONE or self._find(left, self._fixed[:]) for left, right in enumerate(self._right_of)
        )

    def lefts_for(self, right: int) -> set[int]:
        """Return the left numbers that can get a right number without leaving any other unmatched.

        This requires as many right numbers as left numbers.
        """
        if self._fixed[right]:
            return set()
        tried = self._fixed[:]
        tried[right] = True
        waiting = [self._left_of[right]]
        found = set(waiting)
        while waiting:
            for other in self._choices[waiting.pop()]:
                if not tried[other]:
                    tried[other] = True
                    waiting.append(self._left_of[other])
                    found.add(waiting[-1])
        return found

    def rights_for(self, left: int) -> set[int]:
        """Return the right numbers that a left number can get without leaving any other unmatched.

        This requires as many right numbers as left numbers.
        """
        found = {self._right_of[left]}
        waiting = list(found)
        while waiting:
            for other in self._wanted_by[waiting.pop()]:
                right = self._right_of[other]
                if right not in found and not self._fixed[right]:
                    found.add(right)
                    waiting.append(right)
        return found.intersection(self._choices[left])

    def fix(self, left: int, right: int) -> bool:
        """Fix a right number for a left number, moving others out of the way.

        Return False, and change nothing, if one of the two is already fixed or another left number would be
        unmatched.
        """
        before, other = self._right_of[left], self._left_of[right]
        if self._fixed[before] or self._fixed[right]:
            return False
        if before != right:
            saved = self._right_of[:], self._left_of[:]
            self._right_of[left], self._left_of[right] = right, left
            self._left_of[before] = _NONE
            tried = self._fixed[:]
            tried[right] = True
            if other != _NONE and not self._find(other, tried):
                self._right_of, self._left_of = saved
                return False
        self._fixed[right] = True
        return True

    def release(self, right: int) -> None:
        """Release a fixed right number."""
        self._fixed[right] = False

    def is_fixed(self, right: int) -> bool:
        """Return whether a right number is fixed."""
        return bool(self._fixed[right])

    def _find(self, left: int, tried: bytearray) -> bool:
        """Find a right number for a left number that has none; return whether there is one.

        This follows an augmenting path: the current holder of a number looks for another one in turn. `tried` are the
        numbers to skip.
        """
        left_of = self._left_of
        choices = self._choices[left]
        for right in choices:
            if left_of[right] == _NONE and not tried[right]:
                self._right_of[left], left_of[right] = right, left
                return True
        for right in choices:
            if not tried[right]:
                tried[right] = True
                if self._find(left_of[right], tried):
                    self._right_of[left], left_of[right] = right, left
                    return True
        return False


END = 1 << 30
"""The position, in every account, of cards that are still in the hand."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A card entered the hand from a place; `card` is UNKNOWN if the seat did not see it there."""

    position: int
    """Its position in the account."""
    place: int
    card: int


@dataclass(frozen=True, slots=True)
class Way:
    """How one card left the hand, or (at END) that it stayed."""

    position: int
    """Its position in the account."""
    card: int = UNKNOWN
    """The card, if the seat saw it."""
    first: bool = False
    """Whether the seat saw that card for the first time in the hand."""
    place: int = UNKNOWN
    """The place it was discarded to, if the seat did not see it."""


class Account:
    """The account of one hand: arrivals and ways by number, in order, and which card may have gone which way.

    Certain facts are left out: known cards that were laid without leaving the hand in between, and cards that are
    certainly in the hand.
    """

    def __init__(self, entries: Sequence[Entry], recall: Recall) -> None:
        """Take the account and what the seat knows about places. Raises ValueError if nothing is consistent with it."""
        self._stuck_without: dict[int, list[int]] = {}
        arrivals: list[Arrival] = []
        ways: list[Way] = []
        for position, entry in enumerate(entries):
            if isinstance(entry, In):
                arrivals.append(Arrival(position, entry.place, recall.card[entry.place]))
            elif isinstance(entry, Stuck):
                for card in entry.lacking:
                    self._stuck_without.setdefault(card, []).append(position)
            else:
                places = entry.places if isinstance(entry, Hidden) else (entry.place,)
                ways += [_way(position, place, recall) for place in places]
        ways += [Way(END)] * (len(arrivals) - len(ways))
        self._ways_of: dict[tuple[int, int], list[int]] = {}
        self._sources: dict[tuple[int, int], list[int]] = {}
        self._origins: dict[tuple[int, int], frozenset[int]] = {}
        self._back = {arrival.place: arrival.position for arrival in arrivals}
        self._gone = {way.place: way.position for way in ways if way.place != UNKNOWN}
        self.ways = ways
        self.certain: list[int] = []
        """Cards that are certainly in the hand."""
        self.arrivals = self._settled(arrivals)
        self.arrival_from = {arrival.place: number for number, arrival in enumerate(self.arrivals)}
        """The number of the arrival from each place that a card came from."""
        self.way_to = {way.place: number for number, way in enumerate(self.ways) if way.place != UNKNOWN}
        """The number of the way to each place that a card was discarded to unseen."""
        self.ends = [
            number
            for number, way in enumerate(self.ways)
            if way.card == UNKNOWN and way.place not in self.arrival_from
        ]
        """The numbers of the ways whose end is final: in the hand, or unseen in a pile."""
        self.matching = Matching(self._possible_ways(recall.unseen), len(self.ways))
        """Arrivals matched with ways."""
        if len(self.arrivals) != len(self.ways) or not self.matching.complete():
            raise ValueError(
                "no hand agrees with what was seen: events are missing, or contradict each other"
            )

    def ways_of(self, card: int, position: int) -> list[int]:
        """Return the numbers of the ways that a known card may have gone after arriving at a position."""
        ways = self._ways_of.get((card, position))
        if ways is None:
            later = [way.position for way in self.ways if way.card == card and way.position > position]
            seen = min(later, default=END)
            ways = [
                number
                for number, way in enumerate(self.ways)
                if position < way.position <= seen and self._may_go(card, position, way, seen)
            ]
            self._ways_of[card, position] = ways
        return ways

    def sources(self, card: int, position: int) -> list[int]:
        """Return by which arrivals the card, new to the seat, that was in the hand at a position may have come."""
        sources = self._sources.get((card, position))
        if sources is None:
            sources = [
                number
                for number, arrival in enumerate(self.arrivals)
                if arrival.position < position
                and arrival.card == UNKNOWN
                and not self._was_stuck(card, arrival.position, position)
                and (arrival.place not in self._gone or self.sources(card, self._gone[arrival.place]))
            ]
            self._sources[card, position] = sources
        return sources

    def origins(self, card: int, position: int) -> frozenset[int]:
        """Return where in the deal the card, new to the seat, that was in the hand at a position may have been."""
        origins = self._origins.get((card, position))
        if origins is None:
            places = [self.arrivals[number].place for number in self.sources(card, position)]
            origins = frozenset([place for place in places if place not in self._gone]).union(
                *[self.origins(card, self._gone[place]) for place in places if place in self._gone]
            )
            self._origins[card, position] = origins
        return origins

    def _settled(self, arrivals: Sequence[Arrival]) -> list[Arrival]:
        """Return the arrivals whose way is open; remove the others and their ways."""
        taken: set[int] = set()
        left = []
        for arrival in arrivals:
            numbers = self.ways_of(arrival.card, arrival.position) if arrival.card != UNKNOWN else []
            ways = [self.ways[number] for number in numbers]
            if len(ways) == 1 and ways[0].card != UNKNOWN:
                taken.add(numbers[0])
            elif ways and all(way.position == END for way in ways):
                taken.add(max(set(numbers) - taken))
                self.certain.append(arrival.card)
            else:
                left.append(arrival)
        self.ways = [way for number, way in enumerate(self.ways) if number not in taken]
        self._ways_of.clear()
        return left

    def _possible_ways(self, unseen: Iterable[int]) -> list[list[int]]:
        """Return, for each arrival, the numbers of the ways that some card may have gone from it."""
        possible: list[set[int]] = [set() for _ in self.arrivals]
        for card, numbers in self._last_ways(unseen):
            self._walk_back(card, numbers, possible, set())
        for number, arrival in enumerate(self.arrivals):
            if arrival.card != UNKNOWN:
                self._walk_on(arrival.card, number, possible, set())
        return [sorted(numbers) for numbers in possible]

    def _last_ways(self, unseen: Iterable[int]) -> Iterator[tuple[int, list[int]]]:
        """Yield cards first seen when they went a way, together with the possible last ways at one position."""
        ends: dict[int, list[int]] = {}
        for number in self.ends:
            ends.setdefault(self.ways[number].position, []).append(number)
        for number, way in enumerate(self.ways):
            if way.first:
                yield way.card, [number]
        for card in unseen:
            for numbers in ends.values():
                yield card, numbers

    def _walk_back(self, card: int, ways: list[int], possible: list[set[int]], walked: set[int]) -> None:
        """Record from where a card may have gone these ways, all at one position, and so on back to the deal."""
        for number in self.sources(card, self.ways[ways[0]].position):
            possible[number].update(ways)
            back = self.way_to.get(self.arrivals[number].place)
            if back is not None and back not in walked:
                walked.add(back)
                self._walk_back(card, [back], possible, walked)

    def _walk_on(self, card: int, arrival: int, possible: list[set[int]], walked: set[int]) -> None:
        """Record where a card may have gone from an arrival, and so on until it stayed."""
        numbers = self.ways_of(card, self.arrivals[arrival].position)
        possible[arrival].update(numbers)
        for number in numbers:
            back = self.arrival_from.get(self.ways[number].place)
            if back is not None and back not in walked:
                walked.add(back)
                self._walk_on(card, back, possible, walked)

    def _may_go(self, card: int, position: int, way: Way, seen: int) -> bool:
        """Return whether a known card may have gone a way, if it is next seen leaving at `seen` (END: never)."""
        if self._was_stuck(card, position, way.position):
            return False
        if way.place == UNKNOWN:
            return way.card == card or (way.card == UNKNOWN and seen == END)
        back = self._back.get(way.place, END)
        if back == END:
            return seen == END
        return back < seen and bool(self.ways_of(card, back))

    def _was_stuck(self, card: int, after: int, before: int) -> bool:
        """Return whether the player can't have held a card from one position to another."""
        positions = self._stuck_without.get(card)
        if positions is None:
            return False
        following = bisect(positions, after)
        return following < len(positions) and positions[following] < before


def _way(position: int, place: int, recall: Recall) -> Way:
    """Return where a card went when it left the hand for a place."""
    card = recall.card[place]
    if card == UNKNOWN:
        return Way(position, place=place)
    return Way(position, card, place in recall.first)
