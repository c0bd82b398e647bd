"""For bots that think ahead: a cheap sensible move, and composed moves worth comparing.

Everyone grabs, trades and serves by the palates of the state, which in a guess are one possibility among many.
"""

from collections.abc import Sequence
from itertools import combinations

from arena.core.chance import Rng
from arena.games.sandwich.ingredients import NAMES, PAIRS_OF_CARDS
from arena.games.sandwich.state import Answer, MakeOffer, Move, NoOffer, Sandwich, Serve, State, Taste, grab

_MOST = 12
_NOBODYS = (0,) * len(NAMES)
"""The taste of somebody who likes all cards alike."""
_PASSES = 4
"""How often candidates are improved by exchanges; the policy does it once, in half the time."""


def policy(state: State, seat: int, rng: Rng) -> Move:  # noqa: ARG001 - nothing is left to chance
    """Return a move by what each card alone is worth to the receiver who likes it most.

    It grabs such cards, offers no trade, accepts those that gain something, and serves sandwiches
    to the taste of the receivers. In free tasting, it ranks by its own palate.
    """
    if state.phase == "grab":
        return grab(_wanted(state, seat))
    if state.phase == "serve":
        return Serve(_served(state.hands[seat], _tastes(state, seat), 1))
    if state.phase == "answer":
        return Answer(_gaining(state, seat))
    if state.phase == "taste":
        return Taste(state.deal.palates[seat].ranking(state.read_out()))
    return NoOffer()


def candidates(state: State, seat: int, rng: Rng) -> list[Move]:
    """Return moves to compare: each card of the market first, servings with and without regard for tastes,
    the offer to each seat that gains both the most, each offer accepted alone.

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
        tastes = _tastes(state, seat)
        for liked in (tastes, [_NOBODYS] * len(tastes)):
            moves[Serve(_served(state.hands[seat], liked, _PASSES))] = None
    elif state.phase == "answer":
        for accept in ((), *[(number,) for number, offer in enumerate(state.offers) if offer.to == seat]):
            moves[Answer(accept)] = None
    elif state.phase == "offer":
        moves |= dict.fromkeys(_offers(state, seat))
    return list(moves)[:_MOST]


def _offers(state: State, seat: int) -> list[Move]:
    """Return for each other seat the exchange that gains both the most, if there is one."""
    own = [max(worths) for worths in zip(*_tastes(state, seat), strict=True)]
    found: list[Move] = []
    for to in range(state.rules.seats):
        its = [max(worths) for worths in zip(*_tastes(state, to), strict=True)]
        gains = [
            (min(own[want] - own[give], its[give] - its[want]), give, want)
            for give in state.hands[seat]
            for want in state.hands[to]
        ]
        gain, give, want = max(gains)
        if gain > 0:  # never with itself: one of the two gains is negative
            found.append(MakeOffer(to, give, want))
    return found


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


def _served(hand: Sequence[int], tastes: Sequence[Sequence[int]], passes: int) -> tuple[Sandwich, ...]:
    """Return sandwiches of a hand for receivers with these tastes.

    Each card goes to whoever likes it most and has room, those first for which it matters most. Then cards are
    exchanged between sandwiches where that makes both together better, so often for each two sandwiches.
    """
    drafts: list[list[int]] = [[] for _ in tastes]
    worths = [(sorted(own := [taste[card] for taste in tastes]), card, own) for card in hand]
    for _, card, own in sorted(worths, key=lambda one: one[0][-2] - one[0][-1]):
        room = [place for place, draft in enumerate(drafts) if len(draft) < 3]
        drafts[max(room, key=own.__getitem__)].append(card)
    made: list[Sandwich] = [(a, b, c) for a, b, c in drafts]
    for _ in range(passes):
        before = made[:]
        for one, other in combinations(range(len(made)), 2):
            _exchange(made, one, other, tastes)
        if made == before:
            break
    return tuple(made)


def _exchange(made: list[Sandwich], one: int, other: int, tastes: Sequence[Sequence[int]]) -> None:
    """Exchange the two cards of two sandwiches that gain the most, in place, if any do."""
    (a, b, c), (d, e, f), taste, its = made[one], made[other], tastes[one], tastes[other]
    best = _worth(taste, (a, b, c)) + _worth(its, (d, e, f))
    for x, y, z in ((a, b, c), (b, a, c), (c, a, b)):
        for u, v, w in ((d, e, f), (e, d, f), (f, d, e)):
            worth = _worth(taste, (u, y, z)) + _worth(its, (x, v, w))
            if worth > best:
                best, made[one], made[other] = worth, (u, y, z), (x, v, w)


def _worth(taste: Sequence[int], sandwich: Sandwich) -> int:
    """Return what a sandwich is worth; see `Palate.worth`."""
    a, b, c = sandwich
    row = PAIRS_OF_CARDS[a]
    return taste[a] + taste[b] + taste[c] + row[b] + row[c] + PAIRS_OF_CARDS[b][c]
