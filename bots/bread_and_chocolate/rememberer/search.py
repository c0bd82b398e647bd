"""Thinks ahead: plays out each move on random deals of the unknown cards, the same deals for all moves."""

from math import sqrt

from arena.core.card_game_base import NOTHING
from arena.games.bread_and_chocolate.moves import DISCARD, DRAWING, PASSING, PLAYS, playable
from arena.games.bread_and_chocolate.play import make_move

PLAYOUTS = 150  # for one decision, or a few more
BATCH = 8  # deals after which moves that are clearly behind are given up
CLEARLY = 2.5  # standard errors
TURNS = 50  # after which a playout is broken off and the cards counted as they are
DISCARDS = 8  # different ones that are compared


def best_move(moves, deal, seat, rng):
    """Return the move that does best on average; `deal` gives a random state each time."""
    results = {move: [] for move in moves}
    left = list(moves)
    played = 0
    while played < PLAYOUTS and len(left) > 1:
        for _ in range(BATCH):
            dealt = deal(rng)
            for move in left:
                state = dealt.copy()
                make_move(state, move, None)
                results[move].append(played_out(state, seat))
        played += BATCH * len(left)
        best = max(left, key=lambda move: sum(results[move]))
        left = [move for move in left if not clearly_less(results[move], results[best])]
    return max(left, key=lambda move: sum(results[move]))


def clearly_less(these, those):
    """Return whether results are significantly worse than others on the same deals."""
    differences = [other - one for one, other in zip(these, those, strict=True)]
    count = len(differences)
    mean = sum(differences) / count
    variance = sum([(one - mean) ** 2 for one in differences]) / (count - 1)
    return mean > 0 and mean > CLEARLY * sqrt(variance / count)


def played_out(state, seat):
    """Play a hand to its end, or nearly, and return by how much a seat is ahead of the mean of the others.

    Every player plays the card that leaves the fewest cards, passes in the opening, and discards the heaviest cards.
    """
    effects = state.rules.effect
    last = state.turns + TURNS
    while state.to_move != NOTHING and state.turns < last:
        if state.owed:
            move = (DISCARD, *sorted(state.held[state.to_move], key=weight, reverse=True)[: state.owed])
        elif state.opening:
            move = PASSING
        else:
            cards = playable(state)
            move = PLAYS[min(cards, key=effects[state.up[-1]].__getitem__)] if cards else DRAWING
        make_move(state, move, None)
    scores = state.scores
    if state.to_move != NOTHING:
        cost = state.rules.cost
        scores = [
            score - sum([cost[card] for card in hand]) for score, hand in zip(scores, state.held, strict=True)
        ]
    return scores[seat] - (sum(scores) - scores[seat]) / (len(scores) - 1)


def some_discards(hand, count, rng):
    """Return some different discards: the heaviest cards first, then increasingly random ones."""
    found = {}
    for number in range(3 * DISCARDS):
        noise = 6 * number / DISCARDS
        cards = sorted(hand, key=lambda card: weight(card) + noise * rng.random(), reverse=True)[:count]
        found.setdefault(frozenset(cards), (DISCARD, *cards))
        if len(found) == DISCARDS:
            break
    return list(found.values())


def weight(card):
    """Return how hard it is to go out with a card: its number, 0 for J, Q and K."""
    return card // 4 + 1 if card < 40 else 0
