"""Bread Basket: assumes that the others hold the very cards that hurt most.

It makes the turn that takes the most points, less the most that any two cards, whichever they
are, could take from the line it leaves. A second card must be worth more than the points of
CARD, because every card played now is missing later.
"""

from arena_kit import run
from turns import played, turns

from arena.games.bread_basket.state import CARDS
from arena.games.bread_basket.transitions import format_

CARD = 2.5
RANKS = range(11)


def choose(ask, game):
    view = ask["view"]
    line = [CARDS[name] for name in view["line"]]
    hand = [CARDS[name] for name in view["hand"]]
    alone = sum(view["held"]) == len(hand)
    known = {}

    def value(turn):
        _, points, after, left = turn
        key = tuple(after)
        if key not in known:
            known[key] = 0 if alone else worst(after)
        return points - known[key] + (0 if alone else CARD * len(left))

    return format_(max(turns(line, hand, bool(view["played"])), key=value)[0])


def worst(line):
    """Return the most points that one or two cards could take from a line."""
    most = 0
    for first in RANKS:
        points, after = played(line, first)
        most = max(most, points, *[points + played(after, second)[0] for second in RANKS])
    return most


run(choose)
