"""Sandwich: mixes families, so that no sandwich of its own can be hated.

It learns nothing. A sandwich counts by how well its families go together, less a part of the
risk: three ingredients of one family are loved or hated, of three families seldom either. Of its
sandwiches the worst counts double. It doesn't trade.
"""

from itertools import combinations

from arena_kit import run
from plates import arranged, cards, own_ranking, serving, together

from arena.games.sandwich.ingredients import FAMILY_OF

RISK = {3: 0.0, 2: 0.15, 1: 0.5}  # points off, by the number of families in a sandwich


def choose(ask, game):
    view, kind = ask["view"], ask["kind"]
    if kind == "offer":
        return {"type": "no_offer"}
    if kind == "answer":
        return {"type": "answer", "accept": []}
    if kind == "taste":
        return own_ranking(view["read_out"], game.private)
    hand = cards(view["hands"][game.seat])
    if kind == "serve":
        return serving(safest(hand))
    market = cards(view["market"])
    return {"type": "grab", "order": sorted(range(len(market)), key=lambda place: -fit(market[place], hand))}


def value(place, three):
    return together(three) - RISK[len({FAMILY_OF[card] for card in three})]


def safest(hand):
    """Return the sandwiches with the best total and worst, beginning with different orders of the hand."""
    tries = []
    for shift in range(len(hand)):
        made, total = arranged(hand[shift:] + hand[:shift], value)
        tries.append((total + min(value(0, three) for three in made), made))
    return max(tries)[1]


def fit(card, hand):
    """Return the value of the best sandwich of a card and two of the hand, or of what there is."""
    if len(hand) < 2:
        return sum(together((card, other, other)) for other in hand) / 3
    return max(value(0, (card, *two)) for two in combinations(hand, 2))


run(choose)
