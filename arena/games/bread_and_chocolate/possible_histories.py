"""What may have happened unseen in a hand of cards: a Markov chain over all histories that fit what a seat knows.

A history says which card lay at each place. Its choices are the deal and the cards of each hidden discard. As many
choices are open to a hand of a given size whatever it holds, so all histories are equally likely.

The chain changes one history in steps. Each step draws two cards, at random without regard to what they are, and lets
them change roles: for the whole time; until a moment when both were in the same hand, or from then on; or for the time
one was away from a hand in which the other stayed. So a step leads back as often as there. It is refused if a card that
was seen would change; and, mostly, if a player who was stuck would hold a card that could have been laid: each such
fault makes a history `FAULT` times as likely. Of the histories that the chain goes through, those without a fault are
told; all of these are equally likely. Steps through faulty ones lead to those that no step alone would reach.

If faults don't count, no history is out of reach: where two first differ in time, a card went to a place in one that
stayed in the hand in the other. Exchange both until they are together again. If one is seen or laid before that, the
other went to a later place, where the two histories differ too; begin there.
"""

from collections.abc import Sequence
from math import inf

from arena.core.chance import Rng
from arena.games.bread_and_chocolate.recall import UNKNOWN, Hidden, In, Out, Recall, Seen, Stuck

FAULT = 1 / 256
"""How likely a history is for each of its faults, compared with one without."""
BURN_IN = 12
"""Sweeps after news, before the next history is told."""
SWEEPS = 3
"""Sweeps from one history to the next."""
_HEAT = 2 / 3
"""The same after many sweeps in vain, while news is taken in."""
_COLD, _HOT = 16, 8
"""How many sweeps in a row are made with each."""
_PATIENCE = 4000
"""After this many sweeps in vain, the events are contradictory."""
_CANDIDATES = 8

HELD = -1
"""In place of a place: the card is still in the hand."""
NOWHERE = -2
"""In place of a place: no card went from here to another hand, or came from another hand to here."""

_Moment = tuple[list[int], list[int], int | None, int | None, bool]
"""Where two cards were until a moment, by which way each left the hand next, if it was in one; whether both were."""


class Histories:
    """Tells histories that fit what one seat recalls of the current hand."""

    def __init__(self, recall: Recall) -> None:
        """Take what the seat recalls, now and later. Call `tell` before you read anything else."""
        self.recall = recall
        self.at = recall.hidden[:]
        """The card at each place."""
        self.held: list[list[int]] = [[] for _ in recall.held]
        """By seat, the places from which the cards came that it holds; of the seat itself, nothing."""
        self._known = 0
        """Number of facts that the history fits."""
        self._fault = FAULT
        self._time = 0
        self._faults = 0
        self._loose = recall.hidden[:]
        """The cards that were never seen."""
        self._first = [UNKNOWN] * 52
        """Where each card was dealt that could have been dealt elsewhere."""
        for place, card in enumerate(self.at):
            self._first[card] = place
        self._banned = [0] * 52
        """By card, the bits of the moments when a player who was stuck didn't hold it."""
        self._stuck = [0] * len(recall.held)
        """By seat, the bits of the moments when it was stuck."""
        self._moments = 0
        self._seen = bytearray()
        """By place, whether its card was seen."""
        self._to: list[int] = []
        """By place, where the card went from another hand that it came to; HELD, or NOWHERE if it came to none."""
        self._from: list[int] = []
        """By place, from where the card had come to another hand that it left; NOWHERE if it left none."""
        self._seat: list[int] = []
        """By place, the seat that the card came to."""
        self._came: list[int] = []
        """By place, when the card came to another hand: a number that grows."""
        self._left: list[int] = []
        """By place, when the card left another hand."""
        self._before: list[int] = []
        """By place, what was in `_stuck` when the card came to another hand."""
        self._until: list[int] = []
        """By place, what was in `_stuck` when the card left another hand."""
        self._laid: list[list[int]] = [[] for _ in recall.held]
        """By seat, places of cards that were first seen when they were there, or after."""
        self._ways: list[list[int]] = [[] for _ in recall.held]
        """By seat, the places of all cards that left its hand."""
        self._open: list[list[int]] = [[] for _ in recall.held]
        """By seat, places of hidden discards that weren't seen."""

    def tell(self, rng: Rng) -> None:
        """Go on to another history. Raises ValueError if none is found that fits all that the seat recalls."""
        for _ in range(SWEEPS if self._known == len(self.recall.facts) else self._catch_up(rng)):
            self._sweep(rng)
        self._mend(rng)

    def hand(self, seat: int) -> list[int]:
        """Return the cards that another seat holds, in the order they came."""
        at = self.at
        return [at[place] for place in sorted(self.held[seat], key=self._came.__getitem__)]

    # Facts

    def _catch_up(self, rng: Rng) -> int:
        """Change the history such that it fits all facts; return how many sweeps are needed after that."""
        facts = self.recall.facts
        self._make_room()
        if not self._known:
            self._deal(rng)
        while self._known < len(facts):
            fact = facts[self._known]
            if isinstance(fact, Seen):
                self._see(fact.place, rng)
            elif isinstance(fact, In):
                self._take(fact.seat, fact.places)
            elif isinstance(fact, Hidden):
                for place in fact.places:
                    self._leave(fact.seat, rng.randrange(len(self.held[fact.seat])), place)
                    self._open[fact.seat].append(place)
            elif isinstance(fact, Out):
                self._leave(fact.seat, self._fitting(fact, rng), fact.place)
            else:
                self._lack(fact)
            self._known += 1
            self._mend(rng, news=True)
        return BURN_IN

    def _make_room(self) -> None:
        more = len(self.recall.card) - len(self._to)
        self.at += [UNKNOWN] * (len(self.recall.card) - len(self.at))
        self._seen += bytes(more)
        for links in (self._to, self._from):
            links += [NOWHERE] * more
        for figures in (self._seat, self._came, self._left, self._before, self._until):
            figures += [0] * more

    def _take(self, seat: int, places: tuple[int, ...]) -> None:
        for place in places:
            self._to[place] = HELD
            self._seat[place] = seat
            self._came[place] = self._time = self._time + 1
            self._before[place] = self._stuck[seat]
            self.held[seat].append(place)

    def _leave(self, seat: int, number: int, place: int) -> None:
        """Let a card leave a hand: its number there, and the place it gets."""
        before = self.held[seat].pop(number)
        self._to[before], self._from[place] = place, before
        self._left[place] = self._time = self._time + 1
        self._until[place] = self._stuck[seat]
        self.at[place] = self.at[before]
        self._ways[seat].append(place)

    def _fitting(self, fact: Out, rng: Rng) -> int:
        """Return the number in a hand of the card that is laid, or of one in whose place it may have been."""
        card, held = self.recall.card[fact.place], self.held[fact.seat]
        for number, place in enumerate(held):
            if self.at[place] == card:
                return number
        number = rng.randrange(len(held))
        for _ in range(_CANDIDATES):
            if self.at[held[number]] in self._loose and not self._faults_on(
                card, held[number], (), number - len(held)
            ):
                break
            number = rng.randrange(len(held))
        return number

    def _lack(self, fact: Stuck) -> None:
        bit = 1 << self._moments
        self._moments += 1
        self._stuck[fact.seat] |= bit
        for card in fact.lacking:
            self._banned[card] |= bit
        self._faults += sum([self.at[place] in fact.lacking for place in self.held[fact.seat]])

    def _see(self, place: int, rng: Rng) -> None:
        card = self.recall.card[place]
        if self.at[place] == UNKNOWN:
            self.at[place] = card
        for number in range(_PATIENCE):
            if self._bring(card, place, rng):
                break
            self._fault = _HEAT if number % (_COLD + _HOT) >= _COLD else FAULT
            self._sweep(rng)
        else:
            raise _contradictory()
        self._seen[place] = True
        if card in self._loose:
            self._loose.remove(card)
        before = self._from[place]
        if before != NOWHERE:
            seat = self._seat[before]
            if place in self._open[seat]:
                self._open[seat].remove(place)
            if not self._seen[before]:
                self._laid[seat].append(place)

    def _bring(self, card: int, place: int, rng: Rng) -> bool:
        """Try to change the history such that a card is at a place, the last one where it was; return whether it is."""
        other, before, loose = self.at[place], self._from[place], self._loose
        if other != card and not (card in loose and other in loose) and before != NOWHERE:
            seat = self._seat[before]
            ways = [*self._open[seat], *range(-len(self.held[seat]), 0)]
            rng.shuffle(ways)
            for way in ways:
                here = self.at[self._source(seat, way)]
                if (here in loose if card in loose else here == card) and self._exchange_futures(
                    seat, place, way, rng, always=True
                ):
                    break
        other = self.at[place]
        if other != card and card in loose and other in loose:
            self._faults -= self._faults_of(card) + self._faults_of(other)
            here, there = self._first[card], self._first[other]
            self._put(card, there)
            self._put(other, here)
            self._faults += self._faults_of(card) + self._faults_of(other)
        return self.at[place] == card

    def _mend(self, rng: Rng, *, news: bool = False) -> None:
        """Go on until there are no faults. Raises ValueError if that doesn't happen."""
        for number in range(_PATIENCE):
            if not self._faults:
                break
            self._fault = _HEAT if news and number % (_COLD + _HOT) >= _COLD else FAULT
            self._sweep(rng)
        else:
            raise _contradictory()
        self._fault = FAULT

    # Steps

    def _sweep(self, rng: Rng) -> None:
        """Make as many steps as there are open choices."""
        random, to = rng.random, self._to
        for seat, held in enumerate(self.held):
            ways, laid = self._open[seat], self._laid[seat]
            still = range(-len(held), 0)
            if ways:
                ends, every = [*ways, *still], [*self._ways[seat], *still]
                for way in ways:
                    among = ends if to[way] == NOWHERE else every
                    self._exchange_futures(seat, way, among[int(random() * len(among))], rng)
            if laid:
                ends = [*laid, *ways, *still]
                for way in laid:
                    self._exchange_pasts(seat, way, ends[int(random() * len(ends))], rng)
        self._deal(rng)

    def _source(self, seat: int, way: int) -> int:
        """Return from where the card had come that left a hand to a place, or that has a (negative) number in it."""
        return self._from[way] if way >= 0 else self.held[seat][way]

    def _leaves(self, way: int) -> float:
        return self._left[way] if way >= 0 else inf

    def _join(self, seat: int, place: int, way: int) -> None:
        if way >= 0:
            self._to[place], self._from[way] = way, place
        else:
            self._to[place], self.held[seat][way] = HELD, place

    def _faults_on(self, card: int, place: int, places: Sequence[int], way: int | None) -> int:
        """Return the faults of a card that came to a hand from a place and then from others, and left it by a way."""
        banned, before = self._banned[card], self._before
        faults = 0
        for other in places:
            faults += (self._until[other] & ~before[place] & banned).bit_count()
            place = other
        if way is not None:
            until = self._stuck[self._seat[place]] if way < 0 else self._until[way]
            faults += (until & ~before[place] & banned).bit_count()
        return faults

    def _allows(self, change: int, rng: Rng) -> bool:
        """Return whether to make a step that changes the number of faults, and count them."""
        if change > 0 and rng.random() >= self._fault**change:
            return False
        self._faults += change
        return True

    def _exchange_futures(self, seat: int, way: int, other: int, rng: Rng, *, always: bool = False) -> bool:
        """Let the cards that left a hand by two ways change roles from then on; return if that is allowed.

        Ways are places, or negative numbers of cards still in the hand. Roles are changed back at one of the moments,
        if there are any, when both cards were in the hand again.
        """
        one, two = self._source(seat, way), self._source(seat, other)
        came = self._came
        if one == two or came[two] >= self._leaves(way) or came[one] >= self._leaves(other):
            return False
        moments = self._together(seat, (one, two), (way, other))
        if not moments:
            return False
        chosen = moments[int(rng.random() * len(moments)) if len(moments) > 1 else 0]
        places, others, end, other_end, back = chosen
        card, second = self.at[one], self.at[two]
        before = 0
        if self._faults:
            before = self._faults_on(card, one, places, end) + self._faults_on(second, two, others, other_end)
        if back:
            end, other_end = other_end, end
        change = (
            self._faults_on(second, two, places, end) + self._faults_on(card, one, others, other_end) - before
        )
        if always:
            self._faults += change
        elif change and not self._allows(change, rng):
            return False
        self._send(seat, second, two, places, end)
        self._send(seat, card, one, others, other_end)
        return True

    def _together(self, seat: int, here: tuple[int, int], way: tuple[int, int]) -> list[_Moment]:
        """Return the moments when two cards were in a hand again after they left it; the last may be the present.

        They came from two places and left by two ways. The first moment when one of them was seen ends the list.
        """
        if self._to[way[0]] == NOWHERE and (way[1] < 0 or self._to[way[1]] == NOWHERE):
            gone = way[1] >= 0
            return [([way[0]], [way[1]] if gone else [], None, None if gone else way[1], False)]
        found: list[_Moment] = []
        places, ways, leaves = list(here), list[int | None](way), [self._leaves(one) for one in way]
        passed: tuple[list[int], list[int]] = ([], [])
        while True:
            first = leaves[0] > leaves[1]
            place = ways[first]
            if leaves[first] == inf or place is None:
                return [*found, (*passed, ways[0], ways[1], False)]
            if self._seen[place]:
                return found
            passed[first].append(place)
            places[first], to = place, self._to[place]
            if to == NOWHERE:
                ways[first], leaves[first] = None, inf
                continue
            held = self.held[seat]
            ways[first] = to if to >= 0 else held.index(place) - len(held)
            leaves[first] = self._left[to] if to >= 0 else inf
            came, other_came = self._came[place], self._came[places[not first]]
            again = came < leaves[not first] and other_came < leaves[first] and None not in ways
            if again and passed[0]:
                found.append((passed[0][:], passed[1][:], ways[0], ways[1], True))

    def _send(self, seat: int, card: int, place: int, places: Sequence[int], way: int | None) -> None:
        """Send a card that came to a hand from a place to others, and then a way, if it left the hand again."""
        for other in places:
            self._join(seat, place, other)
            self.at[other] = card
            place = other
        if way is not None:
            self._join(seat, place, way)

    def _exchange_pasts(self, seat: int, way: int, other: int, rng: Rng) -> None:
        """Let the cards that left a hand by two ways change roles until then, if that is allowed."""
        one, two = self._source(seat, way), self._source(seat, other)
        if one == two or self._came[two] >= self._left[way] or self._came[one] >= self._leaves(other):
            return
        past, past_of_other = self._past(one), self._past(two)
        if past is None or past_of_other is None:
            return
        at = self.at
        card, second = at[one], at[two]
        change = self._faults_on(card, past_of_other[0], past_of_other[1:], way)
        change += self._faults_on(second, past[0], past[1:], other)
        if self._faults:
            change -= self._faults_on(card, past[0], past[1:], way)
            change -= self._faults_on(second, past_of_other[0], past_of_other[1:], other)
        if change and not self._allows(change, rng):
            return
        for place in past:
            at[place] = second
        for place in past_of_other:
            at[place] = card
        self._first[card], self._first[second] = past_of_other[0], past[0]
        self._join(seat, two, way)
        self._join(seat, one, other)

    def _past(self, place: int) -> list[int] | None:
        """Return where a card was, from the deal to the place from which it came to a hand; None if it was seen."""
        places = []
        while place >= 0:
            if self._seen[place]:
                return None
            places.append(place)
            place = self._from[place]
        return places[::-1]

    def _deal(self, rng: Rng) -> None:
        """Let each card that was never seen change roles with another one."""
        firsts = sorted([self._first[card] for card in self._loose])
        held = [self._stuck_on_the_way(place) for place in firsts]
        order = [self.at[place] for place in firsts]
        banned = self._banned
        if self._moments:
            random, faults = rng.random, self._faults
            for i in range(len(order) - 1, 0, -1):
                j = int(random() * (i + 1))
                one, two = order[i], order[j]
                if faults or held[i] & banned[two] or held[j] & banned[one]:
                    now = (held[i] & banned[two]).bit_count() + (held[j] & banned[one]).bit_count()
                    now -= (held[i] & banned[one]).bit_count() + (held[j] & banned[two]).bit_count()
                    if i == j or (now > 0 and random() >= self._fault**now):
                        continue
                    faults += now
                order[i], order[j] = two, one
            self._faults = faults
        else:
            rng.shuffle(order)
        for card, first in zip(order, firsts, strict=True):
            self._put(card, first)

    def _stuck_on_the_way(self, place: int) -> int:
        """Return the bits of the moments when a player was stuck holding the card that was dealt to a place."""
        found, to = 0, self._to[place]
        while to >= 0:
            found |= self._until[to] & ~self._before[place]
            place, to = to, self._to[to]
        return found if to == NOWHERE else found | self._stuck[self._seat[place]] & ~self._before[place]

    def _faults_of(self, card: int) -> int:
        return (self._stuck_on_the_way(self._first[card]) & self._banned[card]).bit_count()

    def _put(self, card: int, first: int) -> None:
        """Deal a card that was never seen to a place, and take it all the way from there."""
        self._first[card] = first
        while first >= 0:
            self.at[first] = card
            first = self._to[first]


def _contradictory() -> ValueError:
    return ValueError("no cards fit all that was seen: events are missing, or contradict each other")
