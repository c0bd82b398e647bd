"""Hands with so few cards that every history which fits what a seat has seen can be listed, by the rules alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any
from unittest.mock import patch

from arena.core.chance import Rng
from arena.core.errors import IllegalMove
from arena.core.game import Event
from arena.games.bread_and_chocolate import GAME, transitions
from arena.games.bread_and_chocolate.moves import DISCARD, Move, decisions
from arena.games.bread_and_chocolate.possible_histories import Histories
from arena.games.bread_and_chocolate.recall import Hidden, Recall
from arena.games.bread_and_chocolate.rules import State, rules_of
from tests.games.bread_and_chocolate.tables import resolved

History = tuple[tuple[int, ...], ...]
"""The deck in draw order, then each discard of another seat."""


@dataclass
class SmallHand:
    """A hand of few cards, up to a decision of a seat that watches it."""

    name: str
    size: int
    """Cards dealt to each seat."""
    seats: int
    seat: int
    """The one that watches."""
    deck: tuple[int, ...]
    moves: list[tuple[int, Move]]
    events: list[Event]

    def told(self) -> list[dict[str, Any]]:
        return [event.seen_by(self.seat) for event in self.events]

    def kinds(self) -> set[str]:
        """Return the kinds of events, without those that tell the seat which cards it draws or discards."""
        return {event["kind"] for event in self.told() if "cards" not in event}

    def histories(self) -> Histories:
        """Return what Arena's chain makes of it."""
        dealt, *events = self.told()
        recall = Recall(rules_of(resolved(self.name, self.seats)), self.seat, dealt, self.deck)
        for event in events:
            recall.hear(event)
        return Histories(recall)

    def every_history(self) -> list[History]:
        """Return every history that shows the seat the same events."""
        told = self.told()
        own = set(dealt_to(self.seat, self.size, self.seats)) | {self.seats * self.size + 1}
        places = [place for place in range(len(self.deck)) if place not in own]
        found: list[History] = []
        for cards in permutations([self.deck[place] for place in places]):
            deck = list(self.deck)
            for place, card in zip(places, cards, strict=True):
                deck[place] = card
            state, dealt = start(self.name, deck, self.size, self.seats)
            found += self._lived(state, tuple(deck), told[len(dealt) :], 0)
        return found

    def _lived(
        self, state: State, history: Any, told: Sequence[dict[str, Any]], number: int
    ) -> Iterator[History]:
        """Yield the history with each way to go on that shows the seat what it has been told."""
        if not isinstance(history[0], tuple):
            history = (history,)
        if number == len(self.moves):
            yield history
            return
        mover, move = self.moves[number]
        choices = [move]
        if move[0] == DISCARD and mover != self.seat:
            choices = [(DISCARD, *cards) for cards in permutations(state.held[mover], state.owed)]
        for choice in choices:
            try:
                after, events = GAME.apply(state, {mover: choice})
            except IllegalMove:
                continue
            seen = [event.seen_by(self.seat) for event in events]
            if seen == told[: len(seen)]:
                hidden = (*history, choice[1:]) if choice[0] == DISCARD and mover != self.seat else history
                yield from self._lived(after, hidden, told[len(seen) :], number + 1)


def dealt_to(seat: int, size: int, seats: int) -> range:
    """Return the places of the deck that go to a seat."""
    return range(seat, size * seats, seats)


def start(name: str, deck: Sequence[int], size: int, seats: int) -> tuple[State, list[Event]]:
    """Return a hand of few cards right after the deal."""
    held: list[list[int]] = [[] for _ in range(seats)]
    rules = rules_of(resolved(name, seats))
    state = State(rules, (tuple(deck),), 0, [], [], [], held, 0, 0, 0, False, 0, [0] * seats)
    log: list[Event] = []
    with patch.object(transitions, "HAND_SIZE", size):
        transitions.deal_hand(state, log)
    return state, log


def small_hands(
    name: str, cards: Sequence[int], size: int, seats: int, rng: Rng, most: int = 40
) -> Iterator[SmallHand]:
    """Yield the moment before each decision of a random hand, from the seat that decides."""
    deck = list(cards)
    rng.shuffle(deck)
    state, dealt = start(name, deck, size, seats)
    moves: list[tuple[int, Move]] = []
    events = list(dealt)
    while (turn := decisions(state)) and len(moves) < most:
        seat = turn[0].seat
        yield SmallHand(name, size, seats, seat, tuple(deck), moves[:], events[:])
        move = GAME.sample_move(state, seat, rng)
        try:
            state, happened = GAME.apply(state, {seat: move})
        except IndexError:  # a pile would be empty, as never with a whole deck
            return
        moves.append((seat, move))
        events += happened


def told_history(hand: SmallHand, histories: Histories) -> History:
    """Return the history that was told, as `every_history` lists it."""
    deck = list(hand.deck)
    size, seats = hand.size, hand.seats
    at = iter(histories.at)
    for other in range(seats):
        if other != hand.seat:
            for place in dealt_to(other, size, seats):
                deck[place] = next(at)
    for place, card in zip(range(size * seats, len(deck)), at, strict=False):
        deck[place] = card
    down, up, *stock = deck[size * seats :]
    deck[size * seats :] = [down, up, *stock[::-1]]
    hidden = [
        tuple(histories.at[place] for place in fact.places)
        for fact in histories.recall.facts
        if isinstance(fact, Hidden)
    ]
    return (tuple(deck), *hidden)
