"""Random games watched from every seat, and histories told at their moments."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from arena.core.chance import Chance, Rng, Stream
from arena.core.game import Event, Outcome
from arena.core.ruleset import Ruleset
from arena.games.bread_and_chocolate import GAME
from arena.games.bread_and_chocolate.moves import DISCARD, Move
from arena.games.bread_and_chocolate.possible_histories import Histories
from arena.games.bread_and_chocolate.recall import Hidden, Recall
from arena.games.bread_and_chocolate.rules import CARDS, NAMES, State, rules_of
from tests.games.bread_and_chocolate.tables import decision, resolved

Deck = tuple[int, ...]


@dataclass
class Moment:
    """One hand up to a decision, in full."""

    rules: Ruleset
    deck: Deck
    moves: list[tuple[int, Move]]
    """Of this hand, with the seat of each."""
    events: list[Event]
    """Of this hand."""
    state: State

    @property
    def seats(self) -> int:
        return len(self.state.held)

    def histories(self, seat: int, rng: Rng) -> Histories:
        """Return histories that fit what a seat recalls; one is told."""
        dealt, *events = self.seen_by(seat)
        recall = Recall(rules_of(self.rules), seat, dealt)
        for event in events:
            recall.hear(event)
        histories = Histories(recall)
        histories.tell(rng)
        return histories

    def seen_by(self, seat: int) -> list[dict[str, Any]]:
        return [event.seen_by(seat) for event in self.events]


def moments(name: str, seats: int, seed: str, greed: float = 0.0) -> Iterator[Moment]:
    """Yield the moment before each decision of a game of one hand.

    Moves are random; with `greed` as probability, the card that sheds most is played.
    """
    rules = resolved(name, seats, hands=1)
    rng = Stream(seed.encode(), "moves")
    state, dealt = GAME.deal(seats, rules, Chance(seed.encode()))
    moment = Moment(rules, state.decks[0], [], list(dealt), state)
    while not isinstance(turn := GAME.turn(moment.state), Outcome):
        yield moment
        seat = turn[0].seat
        move = GAME.sample_move(moment.state, seat, rng)
        if turn[0].kind == "play" and not turn[0].forced and rng.random() < greed:
            effect = moment.state.rules.effect[moment.state.up[-1]]
            move = min(turn[0].legal or (), key=lambda one: effect[one[1]])
        after, events = GAME.apply(moment.state, {seat: move})
        moment.moves.append((seat, move))
        moment.events += events
        moment.state = after


def replayed(moment: Moment, histories: Histories) -> tuple[list[dict[str, Any]], State]:
    """Play the moment's moves again in the world of a history, where others discard what it says.

    Return the events as the seat sees them, and the state they lead to. Raises IllegalMove where the history
    cannot have happened.
    """
    seat = histories.recall.seat
    chance = Chance(record={"deck/0": [NAMES[card] for card in deck_of(moment, histories)]})
    state, dealt = GAME.deal(moment.seats, moment.rules, chance)
    events = [event.seen_by(seat) for event in dealt]
    discards = {
        other: iter(
            [fact for fact in histories.recall.facts if isinstance(fact, Hidden) and fact.seat == other]
        )
        for other in range(moment.seats)
    }
    for mover, move in moment.moves:
        if move[0] == DISCARD and mover != seat:
            places = next(discards[mover]).places
            legal = decision(state).legal
            move = legal[0] if legal else (DISCARD, *(histories.at[place] for place in places))
        state, happened = GAME.apply(state, {mover: move})
        events += [event.seen_by(seat) for event in happened]
    return events, state


def deck_of(moment: Moment, histories: Histories) -> list[int]:
    """Return the deck of a history: the numbers of its places follow the other hands, down, up, stock."""
    seat = histories.recall.seat
    at = histories.at[: histories.recall.dealt_places]
    others = iter(at[: 6 * (moment.seats - 1)])
    held = {other: [next(others) for _ in range(6)] for other in range(moment.seats) if other != seat}
    held[seat] = [CARDS[name] for name in moment.events[0].seen_by(seat)["hand"]]
    down, up, *stock = at[6 * (moment.seats - 1) :]
    begins = (moment.events[0].data["dealer"] + 1) % moment.seats
    dealt = [held[(begins + card) % moment.seats][card // moment.seats] for card in range(6 * moment.seats)]
    return [*dealt, down, up, *stock[::-1]]
