"""Stories: what may have happened to all cards of a hand, at random, and in agreement with all accounts.

Cards that a seat saw for the first time when they left another hand are traced back to where they had come
from; those that it lost sight of in a hand are followed; and those that it never saw are put where there is
room. A matching for each hand sees to it that no choice leaves a card of it without a way. Where one is led
astray all the same, the card that could not be placed is placed first in the next attempt.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from arena.core.chance import Rng
from arena.games.bread_and_chocolate.accounts import END, Account
from arena.games.bread_and_chocolate.matching import Matching
from arena.games.bread_and_chocolate.recall import UNKNOWN, Recall

_PATIENCE = 20
"""After so many attempts in vain the order of placing cards is as at first again."""
_TRACES = 8
"""So often it is tried to trace a card back to the deal."""
_ATTEMPTS = 2000
"""After so many that contradict themselves, the events do."""


@dataclass(frozen=True, slots=True)
class Story:
    """What may have happened in a hand."""

    at: list[int]
    """The card of each place, by the place's number in `Recall`."""
    held: dict[int, list[int]]
    """The cards that each other seat holds, in no order."""


class _Traced(NamedTuple):
    """A card that was first seen when it left a hand."""

    seat: int
    way: int


class _Followed(NamedTuple):
    """A known card that came into a hand, and of which it is open what became of it."""

    seat: int
    arrival: int


class _Placed(NamedTuple):
    """A card that was never seen."""

    card: int


_Task = _Traced | _Followed | _Placed


class Stories:
    """All stories that fit what one seat recalls; made once for any number of them."""

    def __init__(self, recall: Recall) -> None:
        """Take what the seat recalls. Raises ValueError where nothing fits it."""
        self.recall = recall
        self.accounts = {seat: Account(entries, recall) for seat, entries in recall.accounts.items()}
        arrived = {one.place for account in self.accounts.values() for one in account.arrivals}
        unknown = [place for place, card in enumerate(recall.card[: recall.dealt_places]) if card == UNKNOWN]
        outside = [place for place in unknown if place not in arrived]
        self.room = [(UNKNOWN, place) for place in outside]
        """Where a card may be that was never seen: (UNKNOWN, a place of the deal that none has left for another
        hand), or (a seat, the number of a way that ends)."""
        self.room += [(seat, number) for seat, account in self.accounts.items() for number in account.ends]
        origins = self._all_origins(recall.unseen, outside)
        self.number_of = {card: number for number, card in enumerate(origins)}
        """Of each card that was never seen, or first when it left a hand: its number in the matching."""
        self.deal = Matching([sorted(places) for places in origins.values()], recall.dealt_places)
        """Of these cards and the places of the deal where they may have lain."""
        if not self.deal.complete():
            raise ValueError("no deal fits all that was seen: events are missing, or contradict each other")
        self.attempts = 0
        """Attempts made so far: about one for each story, many where the events leave little room."""
        self._good_order = self._in_good_order(recall.unseen)
        self._tasks = self._good_order[:]

    def tell(self, rng: Rng) -> Story:
        """Return one of them at random. Raises ValueError where none is found."""
        for attempt in range(1, _ATTEMPTS):
            if attempt % _PATIENCE == 0:
                self._tasks = self._good_order[:]
            self.attempts += 1
            telling = _Telling(self, rng)
            for number, task in enumerate(self._tasks):
                if not telling.do(task):
                    self._tasks.insert(0, self._tasks.pop(number))
                    break
            else:
                return telling.story()
        raise ValueError("no cards fit all that was seen: events are missing, or contradict each other")

    def _all_origins(self, unseen: Iterable[int], outside: Iterable[int]) -> dict[int, frozenset[int]]:
        """Return for each card that was not seen before it left another hand where it may have been dealt."""
        origins: dict[int, frozenset[int]] = {}
        for account in self.accounts.values():
            for way in account.ways:
                if way.first:
                    origins[way.card] = account.origins(way.card, way.position)
        for card in sorted(unseen):
            origins[card] = frozenset(outside).union(
                *[
                    account.origins(card, position)
                    for account in self.accounts.values()
                    for position in {account.ways[number].position for number in account.ends}
                ]
            )
        return origins

    def _in_good_order(self, unseen: Iterable[int]) -> list[_Task]:
        """Return all tasks: within each kind those first that can be done in the fewest ways."""
        traced: list[tuple[int, _Task]] = []
        followed: list[tuple[int, _Task]] = []
        for seat, account in self.accounts.items():
            for number, way in enumerate(account.ways):
                if way.first:
                    traced.append((len(account.sources(way.card, way.position)), _Traced(seat, number)))
            for number, one in enumerate(account.arrivals):
                if one.card != UNKNOWN:
                    followed.append((len(account.ways_of(one.card, one.position)), _Followed(seat, number)))
        placed: list[tuple[int, _Task]] = [
            (sum([len(account.sources(card, END)) for account in self.accounts.values()]), _Placed(card))
            for card in unseen
        ]
        return [task for kind in (traced, followed, placed) for _, task in sorted(kind)]


class _Telling:
    """One attempt at a story."""

    def __init__(self, stories: Stories, rng: Rng) -> None:
        self._accounts = stories.accounts
        self._rng = rng
        self._matchings = {seat: account.matching.copy() for seat, account in stories.accounts.items()}
        self._deal = stories.deal.copy()
        self._number_of = stories.number_of
        self._at = stories.recall.card[:]
        self._held = {seat: account.certain[:] for seat, account in stories.accounts.items()}
        self._room = list(stories.room)

    def story(self) -> Story:
        """Return the story, all tasks done."""
        return Story(self._at, self._held)

    def do(self, task: _Task) -> bool:
        """Choose what happened to one card; return whether it could be done."""
        if isinstance(task, _Traced):
            return self._trace(task.seat, task.way, self._accounts[task.seat].ways[task.way].card)
        if isinstance(task, _Followed):
            return self._follow(task.seat, task.arrival)
        return self._place(task.card)

    def _trace(self, seat: int, way: int, card: int) -> bool:
        """Choose where a card had come from that went a way, back to the deal; change nothing where it cannot be."""
        for _ in range(_TRACES):
            fixed, places = self._traced(seat, way, card)
            if places:
                for place in places:
                    self._at[place] = card
                return True
            for number in fixed:
                self._matchings[seat].release(number)
            if not fixed:
                return False
        return False

    def _traced(self, seat: int, way: int, card: int) -> tuple[list[int], list[int]]:
        """Return the ways that a card went that went this one, and the places where it had been before each.

        The first comes last in both. There are no places where the choices led astray.
        """
        account, matching = self._accounts[seat], self._matchings[seat]
        fixed: list[int] = []
        places: list[int] = []
        while True:
            sources = account.sources(card, account.ways[way].position)
            source = self._one_of(sources)
            if source == UNKNOWN or not matching.fix(source, way):
                possible = matching.lefts_for(way)
                source = self._one_of([one for one in sources if one in possible])
                if source == UNKNOWN:
                    return fixed, []
                matching.fix(source, way)
            fixed.append(way)
            places.append(account.arrivals[source].place)
            if places[-1] not in account.way_to:
                return fixed, places if self._deal.fix(self._number_of[card], places[-1]) else []
            way = account.way_to[places[-1]]

    def _follow(self, seat: int, arrival: int) -> bool:
        """Choose which way a known card went, through all that it came back from, to the last."""
        account, matching = self._accounts[seat], self._matchings[seat]
        card = account.arrivals[arrival].card
        while True:
            position = account.arrivals[arrival].position
            numbers = account.ways_of(card, position)
            number = self._one_of(numbers)
            if number == UNKNOWN or not matching.fix(arrival, number):
                possible = matching.rights_for(arrival)
                number = self._one_of([one for one in numbers if one in possible])
                if number == UNKNOWN:
                    return False
                matching.fix(arrival, number)
            way = account.ways[number]
            if way.position == END:
                self._held[seat].append(card)
            if way.place == UNKNOWN:
                return True
            self._at[way.place] = card
            if way.place not in account.arrival_from:
                return True
            arrival = account.arrival_from[way.place]

    def _place(self, card: int) -> bool:
        """Choose where a card is that was never seen."""
        room = self._room
        untried = len(room)
        in_vain: set[tuple[int, int]] = set()
        while untried:
            chosen = self._rng.randrange(untried)
            untried -= 1
            seat, number = room[chosen]
            room[chosen], room[untried] = room[untried], room[chosen]
            taken = placed = False
            if seat == UNKNOWN:
                placed = self._put_outside(card, number)
            elif self._matchings[seat].is_fixed(number):
                taken = True
            else:
                same = seat, self._accounts[seat].ways[number].position
                placed = same not in in_vain and self._put_at_end(card, seat, number)
                in_vain.add(same)
            if taken or placed:
                room[untried] = room[-1]
                room.pop()
            if placed:
                return True
        return False

    def _put_outside(self, card: int, place: int) -> bool:
        """Put a card to a place of the deal outside all hands, if that is possible."""
        if not self._deal.fix(self._number_of[card], place):
            return False
        self._at[place] = card
        return True

    def _put_at_end(self, card: int, seat: int, number: int) -> bool:
        """Put a card to the end of a way, if that is possible."""
        if not self._trace(seat, number, card):
            return False
        way = self._accounts[seat].ways[number]
        if way.position == END:
            self._held[seat].append(card)
        else:
            self._at[way.place] = card
        return True

    def _one_of(self, numbers: Sequence[int]) -> int:
        """Return one of some numbers at random, UNKNOWN where there is none."""
        return numbers[self._rng.randrange(len(numbers))] if numbers else UNKNOWN
