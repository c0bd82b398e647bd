"""What may have happened to each card that went into a hand which a seat does not see.

Every card that came into the hand is still there, or left it later. Which left in which way is known of some,
and open of others: what was discarded unseen, and what a card laid openly had been until then. Three things
bind it. A card that was laid, or seen later where it had been discarded, was in the hand until then. A player
who was stuck held none of the cards that could have been laid. And a discarded card that comes back, after
the piles were turned over twice, is the same card.
"""

from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from arena.games.bread_and_chocolate.matching import Matching
from arena.games.bread_and_chocolate.recall import UNKNOWN, Entry, Hidden, In, Recall, Stuck

END = 1 << 30
"""The position in every account of what is still in the hand."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A card came into the hand from a place; `card` is UNKNOWN where the seat did not see it there."""

    position: int
    """In the account."""
    place: int
    card: int


@dataclass(frozen=True, slots=True)
class Way:
    """Where one card of the hand went: out, or (at END) nowhere."""

    position: int
    """In the account."""
    card: int = UNKNOWN
    """Which card it was, where the seat saw it."""
    first: bool = False
    """Whether the seat saw that card for the first time in the hand."""
    place: int = UNKNOWN
    """Where it was discarded to, where the seat did not see it."""


class Account:
    """The account of one hand: arrivals and ways by number, in order, and who may have gone which way.

    What is certain is left out: known cards that were laid without having been elsewhere in between, and those
    that are in the hand for certain.
    """

    def __init__(self, entries: Sequence[Entry], recall: Recall) -> None:
        """Take the account and what the seat knows of places. Raises ValueError where nothing agrees with it."""
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
        """Cards that are in the hand for certain."""
        self.arrivals = self._settled(arrivals)
        self.arrival_from = {arrival.place: number for number, arrival in enumerate(self.arrivals)}
        """The number of the arrival from each place that a card came from."""
        self.way_to = {way.place: number for number, way in enumerate(self.ways) if way.place != UNKNOWN}
        """The number of the way to each place that a card was discarded to, unseen."""
        self.ends = [
            number
            for number, way in enumerate(self.ways)
            if way.card == UNKNOWN and way.place not in self.arrival_from
        ]
        """The numbers of the ways that end where no other begins: in the hand, or in a pile, unseen."""
        self.matching = Matching(self._possible_ways(recall.unseen), len(self.ways))
        """Of arrivals and ways: everybody has one."""
        if len(self.arrivals) != len(self.ways) or not self.matching.complete():
            raise ValueError(
                "no hand agrees with what was seen: events are missing, or contradict each other"
            )

    def ways_of(self, card: int, position: int) -> list[int]:
        """Return the numbers of the ways that a card may have gone that came at a position; the seat knows it."""
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
        """Return the numbers of the arrivals by which a card may have come that was in the hand at a position.

        It is a card that the seat had not seen before then.
        """
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
        """Return the places of the deal where a card may have lain that was in the hand at a position.

        It is a card that the seat had not seen before then.
        """
        origins = self._origins.get((card, position))
        if origins is None:
            places = [self.arrivals[number].place for number in self.sources(card, position)]
            origins = frozenset([place for place in places if place not in self._gone]).union(
                *[self.origins(card, self._gone[place]) for place in places if place in self._gone]
            )
            self._origins[card, position] = origins
        return origins

    def _settled(self, arrivals: Sequence[Arrival]) -> list[Arrival]:
        """Return the arrivals whose way is open; take the others away, and their ways."""
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
        """Return for each arrival the numbers of the ways that some card or other may have gone from it."""
        possible: list[set[int]] = [set() for _ in self.arrivals]
        for card, numbers in self._last_ways(unseen):
            self._walk_back(card, numbers, possible, set())
        for number, arrival in enumerate(self.arrivals):
            if arrival.card != UNKNOWN:
                self._walk_on(arrival.card, number, possible, set())
        return [sorted(numbers) for numbers in possible]

    def _last_ways(self, unseen: Iterable[int]) -> Iterator[tuple[int, list[int]]]:
        """Yield cards that were not seen before they went a way, and ways of one position that they went last."""
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
        """Note from where a card may have gone these ways, which are of one position, and so on back to the deal."""
        for number in self.sources(card, self.ways[ways[0]].position):
            possible[number].update(ways)
            back = self.way_to.get(self.arrivals[number].place)
            if back is not None and back not in walked:
                walked.add(back)
                self._walk_back(card, [back], possible, walked)

    def _walk_on(self, card: int, arrival: int, possible: list[set[int]], walked: set[int]) -> None:
        """Note where a card may have gone from an arrival, and so on to where it stayed."""
        numbers = self.ways_of(card, self.arrivals[arrival].position)
        possible[arrival].update(numbers)
        for number in numbers:
            back = self.arrival_from.get(self.ways[number].place)
            if back is not None and back not in walked:
                walked.add(back)
                self._walk_on(card, back, possible, walked)

    def _may_go(self, card: int, position: int, way: Way, seen: int) -> bool:
        """Return whether a known card may have gone a way, if it is next seen to leave at `seen` (END: never)."""
        if self._was_stuck(card, position, way.position):
            return False
        if way.place == UNKNOWN:
            return way.card == card or (way.card == UNKNOWN and seen == END)
        back = self._back.get(way.place, END)
        if back == END:
            return seen == END
        return back < seen and bool(self.ways_of(card, back))

    def _was_stuck(self, card: int, after: int, before: int) -> bool:
        """Return whether the player could not have held a card from one position to another."""
        positions = self._stuck_without.get(card)
        if positions is None:
            return False
        following = bisect(positions, after)
        return following < len(positions) and positions[following] < before


def _way(position: int, place: int, recall: Recall) -> Way:
    """Return where a card went that left the hand for a place."""
    card = recall.card[place]
    if card == UNKNOWN:
        return Way(position, place=place)
    return Way(position, card, place in recall.first)
