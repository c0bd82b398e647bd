"""For bots that think ahead: a cheap sensible move, discards worth comparing, and what a broken-off hand is worth."""

from arena.core.card_game_base import NOTHING
from arena.core.chance import Rng
from arena.games.bread_and_chocolate.moves import DISCARD, DRAWING, PASSING, PLAYS, Move, playable
from arena.games.bread_and_chocolate.rules import State, number

_MEAN_COST = 8
"""Of a card in `shram`."""
_DISCARDS = 8
"""Different ones that are compared."""
_NOISE = 0.75
"""By how many numbers the order of cards is disturbed for the second discard that is drawn, twice as many for the
third, and so on."""


def policy(state: State, seat: int, rng: Rng) -> Move:
    """Return the play that leaves the fewest cards, in `shram` the cheapest hand, and any of those that are as good.

    Passes in the opening, and discards the cards that help least to get rid of others; see `burden`.
    """
    if state.owed:
        hand = state.held[seat]
        if state.owed == len(hand):  # forced, in the order of the hand
            return (DISCARD, *hand)
        return (DISCARD, *sorted(hand, key=burden, reverse=True)[: state.owed])
    if state.opening:
        return PASSING
    cards = playable(state)
    if not cards:
        return DRAWING
    effect, random = state.rules.effect[state.up[-1]], rng.random
    if state.rules.name == "shram":
        cost = state.rules.cost
        return PLAYS[min([(effect[card] * _MEAN_COST - cost[card] + random(), card) for card in cards])[1]]
    return PLAYS[min([(effect[card] + random(), card) for card in cards])[1]]


def burden(card: int) -> int:
    """Return how little a card helps to get rid of others, 1 to 11: high numbers seldom fit, courts take none along.

    Against random moves in `pagat`, discarding courts first instead of last is worth about 3 points a hand.
    """
    return number(card) or 11


def candidates(state: State, seat: int, rng: Rng) -> list[Move]:
    """Return some different discards: the policy's first, then ever more random ones."""
    hand = state.held[seat]
    found: dict[frozenset[int], Move] = {}
    for step in range(3 * _DISCARDS):
        noise = _NOISE * step
        cards = sorted(hand, key=lambda card: burden(card) + noise * rng.random(), reverse=True)[: state.owed]
        found.setdefault(frozenset(cards), (DISCARD, *cards))
        if len(found) == _DISCARDS:
            break
    return list(found.values())


def standing(state: State) -> tuple[float, ...]:
    """Return the points of each seat in all finished hands, minus what its cards cost if this one is unfinished."""
    if state.to_move == NOTHING:
        return tuple(state.scores)
    cost = state.rules.cost
    return tuple(
        [
            score - sum([cost[card] for card in hand])
            for score, hand in zip(state.scores, state.held, strict=True)
        ]
    )
