"""Guesses a full state from what one seat has seen: unseen cards are placed at random where they may be.

It uses the seat's own cards; every card that was ever face up, or drawn or discarded by the seat itself,
tracked through all resets; what entered and left each other hand; and the fact that a player who had to draw
held none of the cards that could have been laid.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from arena.core.card_game_base import NOTHING, guess_decks, since_deal
from arena.core.chance import Rng
from arena.core.game import JSON, Seen
from arena.games.bread_and_chocolate.card_tracking import END, Account, Matching
from arena.games.bread_and_chocolate.recall import UNKNOWN, Recall
from arena.games.bread_and_chocolate.rules import CARDS, State, rules_of

_PATIENCE = 20
"""After this many failed attempts, the order of placing cards is reset."""
_TRACES = 8
"""How often to try tracing a card back to the deal."""
_ATTEMPTS = 2000
"""After this many contradictory attempts, the events themselves are contradictory."""


@dataclass(frozen=True, slots=True)
class Story:
    """One possible history of a hand."""

    at: list[int]
    """The card at each place, by the number of the place in `Recall`."""
    held: dict[int, list[int]]
    """The cards that each other seat holds, in arbitrary order."""


class _Traced(NamedTuple):
    """A card that was first seen when it left a hand."""

    seat: int
    way: int


class _Followed(NamedTuple):
    """A known card that entered a hand and whose further way is open."""

    seat: int
    arrival: int


class _Placed(NamedTuple):
    """A card that was never seen."""

    card: int


_Task = _Traced | _Followed | _Placed


class Stories:
    """Generates stories consistent with what one seat recalls; one object makes any number of them."""

    def __init__(self, recall: Recall) -> None:
        """Take what the seat recalls. Raises ValueError if nothing is consistent with it."""
        self.recall = recall
        self.accounts = {seat: Account(entries, recall) for seat, entries in recall.accounts.items()}
        arrived = {one.place for account in self.accounts.values() for one in account.arrivals}
        unknown = [place for place, card in enumerate(recall.card[: recall.dealt_places]) if card == UNKNOWN]
        outside = [place for place in unknown if place not in arrived]
        self.room = [(UNKNOWN, place) for place in outside]
        """Where a never-seen card may be: (UNKNOWN, a place of the deal from which no card went to another
        hand), or (a seat, the number of a way that ends)."""
        self.room += [(seat, number) for seat, account in self.accounts.items() for number in account.ends]
        origins = self._all_origins(recall.unseen, outside)
        self.number_of = {card: number for number, card in enumerate(origins)}
        """The number in the matching of each card that was never seen, or first when it left a hand."""
        self.deal = Matching([sorted(places) for places in origins.values()], recall.dealt_places)
        """The matching of these cards with the places of the deal where they may have been."""
        if not self.deal.complete():
            raise ValueError("no deal fits all that was seen: events are missing, or contradict each other")
        self.attempts = 0
        """Attempts made so far: about one per story, more if the events leave little room."""
        self._good_order = self._in_good_order(recall.unseen)
        self._tasks = self._good_order[:]

    def tell(self, rng: Rng) -> Story:
        """Return a random story. Raises ValueError if none is found."""
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
        """Return, for each card first seen when it left another hand, where it may have been dealt."""
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
        """Return all tasks, ordered within each kind by the number of ways to do them, fewest first."""
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
        """Do all tasks and return the story."""
        return Story(self._at, self._held)

    def do(self, task: _Task) -> bool:
        """Choose what happened to one card; return whether that succeeded."""
        if isinstance(task, _Traced):
            return self._trace(task.seat, task.way, self._accounts[task.seat].ways[task.way].card)
        if isinstance(task, _Followed):
            return self._follow(task.seat, task.arrival)
        return self._place(task.card)

    def _trace(self, seat: int, way: int, card: int) -> bool:
        """Choose the origin of a card that went a way, back to the deal; change nothing if that is impossible."""
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
        """Return the ways that a card went before and including this one, and the place before each.

        Both lists end with the earliest. The places are empty if the choices led to a dead end.
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
        """Choose the ways of a known card, including all its returns, up to the last."""
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
        if not self._deal.fix(self._number_of[card], place):
            return False
        self._at[place] = card
        return True

    def _put_at_end(self, card: int, seat: int, number: int) -> bool:
        if not self._trace(seat, number, card):
            return False
        way = self._accounts[seat].ways[number]
        if way.position == END:
            self._held[seat].append(card)
        else:
            self._at[way.place] = card
        return True

    def _one_of(self, numbers: Sequence[int]) -> int:
        """Return a random one of some numbers, UNKNOWN if there are none."""
        return numbers[self._rng.randrange(len(numbers))] if numbers else UNKNOWN


def guess(seen: Seen, rng: Rng) -> State:
    """Return a full state that looks to the seat like the one it has seen; later hands have random decks.

    `seen.events` must start no later than the deal of the current hand. Events of kinds other than the game's
    own are ignored. Raises ValueError if events and view are inconsistent.
    """
    recall = Recall(rules_of(seen.ruleset), seen.seat)
    try:
        for event in since_deal(seen.events):
            recall.hear(event)
    except (IndexError, KeyError) as error:
        raise ValueError(f"the events do not follow from each other: {error!r}") from error
    state = Guesser(recall, seen.view).state(rng)
    state.decks = guess_decks(seen.view, range(52), rng)
    return state


class Guesser:
    """Guesses at one moment of a hand; one object makes any number of them."""

    def __init__(self, recall: Recall, view: Mapping[str, JSON]) -> None:
        """Take what the seat recalls and its latest view. Raises ValueError if they are inconsistent."""
        piles = [len(recall.stock), len(recall.up), len(recall.down)]
        if piles != [view["stock"], view["up_count"], view["down_count"]]:
            raise ValueError("the piles are not what the events say: events are missing")
        if recall.held != view["held"]:
            raise ValueError("the hands are not what the events say: events are missing")
        self._recall = recall
        self._view = view
        self._hand = [CARDS[name] for name in view["hand"]]
        self._stories = Stories(recall)

    @property
    def attempts(self) -> int:
        """Attempts made so far: about one per guess, more if the events leave little room."""
        return self._stories.attempts

    def state(self, rng: Rng) -> State:
        """Return a random consistent state; this hand is its last. Raises ValueError if none is found."""
        recall, view = self._recall, self._view
        story = self._stories.tell(rng)
        held = [story.held.get(seat, self._hand)[:] for seat in range(len(recall.held))]
        for seat in story.held:
            rng.shuffle(held[seat])
        return State(
            rules=recall.rules,
            decks=((),) * (view["hand_no"] + 1),
            hand_no=view["hand_no"],
            stock=[story.at[place] for place in recall.stock],
            up=[story.at[place] for place in recall.up],
            down=[story.at[place] for place in recall.down],
            held=held,
            to_move=NOTHING if view["turn"] is None else view["turn"],
            opening=view["opening"],
            owed=view["discard"],
            spread=view["spread"],
            turns=view["turns"],
            scores=list(view["scores"]),
        )
