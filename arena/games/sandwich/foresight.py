"""For bots that think ahead: a cheap sensible move, and composed moves worth comparing.

Everyone grabs, trades and serves by the palates of the state, which in a guess are one possibility among many.
"""

from collections.abc import Sequence
from itertools import combinations

from arena.core.chance import Rng
from arena.games.sandwich.ingredients import PAIRS_OF_CARDS
from arena.games.sandwich.legality import sample
from arena.games.sandwich.state import Answer, Move, NoOffer, Sandwich, Serve, State, Taste, grab

_MOST = 12
_LIKED = 6
"""Cards that the policy tries for a sandwich: this takes 40 % of the time of trying all, at a small loss."""


def policy(state: State, seat: int, rng: Rng) -> Move:  # noqa: ARG001 - nothing is left to chance
    """Return a move by what each card alone is worth to the receiver who likes it most.

    It grabs such cards, offers no trade, accepts those that gain something, and serves each receiver in turn the best
    sandwich of the cards left. In free tasting, it ranks by its own palate.
    """
    if state.phase == "grab":
        return grab(_wanted(state, seat))
    if state.phase == "serve":
        return Serve(_served(state, seat, range(state.rules.served), _LIKED))
    if state.phase == "answer":
        return Answer(_gaining(state, seat))
    if state.phase == "taste":
        return Taste(state.deal.palates[seat].ranking(state.read_out()))
    return NoOffer()


def candidates(state: State, seat: int, rng: Rng) -> list[Move]:
    """Return moves to compare: each card of the market first, each receiver served first, each offer accepted alone.

    After the first card, those follow that go best with the hand, whatever the palates: so all guesses have the same.
    """
    if state.phase == "grab":
        fits = [sum([PAIRS_OF_CARDS[card][other] for other in state.hands[seat]]) for card in state.market]
        order = sorted(range(len(fits)), key=fits.__getitem__, reverse=True)
        if state.rules.own_last:  # then it makes no difference where the own card stands
            order.remove(seat)
            order.append(seat)
        firsts = order[:-1] if state.rules.own_last else order
        return [grab((first, *[place for place in order if place != first])) for first in firsts]
    moves: dict[Move, None] = {policy(state, seat, rng): None}
    if state.phase == "serve":
        places = range(state.rules.served)
        for first in places:
            moves[Serve(_served(state, seat, [*places[first:], *places[:first]], len(places) * 3))] = None
    elif state.phase == "answer":
        for accept in ((), *[(number,) for number, offer in enumerate(state.offers) if offer.to == seat]):
            moves[Answer(accept)] = None
    else:
        for _ in range(3 * _MOST):
            moves[sample(state, seat, rng)] = None
    return list(moves)[:_MOST]


def _tastes(state: State, seat: int) -> list[tuple[int, ...]]:
    """Return what each card alone is worth to each receiver of a seat."""
    return [state.deal.palates[to].tastes for to in state.rules.receivers(seat, state.round_no)]


def _wanted(state: State, seat: int) -> tuple[int, ...]:
    """Return the positions of the market, those first whose cards some receiver likes most."""
    market = state.market
    worths = list(map(max, *[[taste[card] for card in market] for taste in _tastes(state, seat)]))
    return tuple(sorted(range(len(worths)), key=worths.__getitem__, reverse=True))


def _gaining(state: State, seat: int) -> tuple[int, ...]:
    """Return the numbers of the offers whose card is worth more than the one wanted for it, best first."""
    tastes = _tastes(state, seat)
    gains = {
        number: max([taste[offer.give] for taste in tastes]) - max([taste[offer.want] for taste in tastes])
        for number, offer in enumerate(state.offers)
        if offer.to == seat
    }
    return tuple(
        sorted([number for number, gain in gains.items() if gain > 0], key=gains.__getitem__, reverse=True)
    )


def _served(state: State, seat: int, places: Sequence[int], among: int) -> tuple[Sandwich, ...]:
    """Return sandwiches of a hand: for each place in turn, the best of the cards left that its receiver likes most.

    `among` is how many of these cards are tried.
    """
    tastes, pairs = _tastes(state, seat), PAIRS_OF_CARDS
    left = state.hands[seat][:]
    made: list[Sandwich] = [(0, 0, 0)] * len(places)
    for place in places:
        taste = tastes[place]
        best, found = -(1 << 60), made[place]
        for three in combinations(sorted(left, key=taste.__getitem__, reverse=True)[:among], 3):
            a, b, c = three
            row = pairs[a]
            worth = taste[a] + taste[b] + taste[c] + row[b] + row[c] + pairs[b][c]
            if worth > best:
                best, found = worth, three
        made[place] = found
        for card in found:
            left.remove(card)
    return tuple(made)
