"""Random moves of Sandwich: for playouts, for the house, and as examples of composed moves."""

from arena.core.chance import Rng
from arena.games.sandwich.legality import decisions
from arena.games.sandwich.moves import Answer, MakeOffer, Move, NoOffer, Serve, grab
from arena.games.sandwich.state import State


def sample(state: State, seat: int, rng: Rng) -> Move:
    """Return a legal move of the seat's decision.

    Rankings and sandwiches are random, all equally likely, without words. Half the time there is an offer, of a random
    card for a random card of a random seat. Of the offers it got, a seat accepts each with probability one half, in
    random order.
    """
    if state.phase == "grab":
        order = list(range(len(state.market)))
        rng.shuffle(order)
        return grab(tuple(order))
    if state.phase == "serve":
        hand = state.hands[seat][:]
        rng.shuffle(hand)
        return Serve(tuple([(hand[i], hand[i + 1], hand[i + 2]) for i in range(0, len(hand), 3)]))
    if state.phase == "offer":
        return _offer(state, seat, rng)
    if state.phase == "answer":
        numbers = [number for number, offer in enumerate(state.offers) if offer.to == seat]
        rng.shuffle(numbers)
        return Answer(tuple([number for number in numbers if rng.randrange(2)]))
    rankings = decisions(state)[0].legal or ()
    return rankings[rng.randrange(len(rankings))]


def _offer(state: State, seat: int, rng: Rng) -> Move:
    if rng.randrange(2):
        return NoOffer()
    to = (seat + 1 + rng.randrange(state.rules.seats - 1)) % state.rules.seats
    own, other = state.hands[seat], state.hands[to]
    return MakeOffer(to, own[rng.randrange(len(own))], other[rng.randrange(len(other))])
