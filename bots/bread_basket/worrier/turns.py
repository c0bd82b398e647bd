"""The turns that a hand allows on a line, and what they take. Cards are numbers, as in Arena's rules."""

from arena.games.bread_basket.state import CHEF, longest_trick, trick_start, worth
from arena.games.bread_basket.transitions import FETCH, STOP


def turns(line, hand, begun):
    """Yield each turn as its first move, the points it takes, the line after it and the cards left in hand."""
    if begun:
        yield STOP, 0, line, hand
        for card, rest in each_card(hand):
            points, after = played(line, card)
            yield card, points, after, rest
        return
    for card, rest in each_card(hand):
        points, after = played(line, card)
        yield card, points, after, rest
        for second, last in each_card(rest):
            more, end = played(after, second)
            yield card, points + more, end, last
    if CHEF in hand:
        for position, card in enumerate(line):
            points, after = fetched(line, position)
            left = hand[:]
            left[left.index(CHEF)] = card
            yield FETCH + position, points, after, left


def each_card(hand):
    """Yield each different card of a hand with the rest of the hand."""
    for card in sorted(set(hand)):
        rest = hand[:]
        rest.remove(card)
        yield card, rest


def played(line, card):
    """Return the points that playing a card to the end of the line takes, and the line after it."""
    after = [*line, card]
    first = trick_start(after, len(line))
    if first < 0:
        return 0, after
    return worth(after[first:])[1], after[:first]


def fetched(line, position):
    """Return the points of the tricks that appear when a card leaves the line, and the line after them."""
    line = line[:position] + line[position + 1 :]
    points = 0
    trick = longest_trick(line, position)
    while trick:
        first, last = trick
        points += worth(line[first : last + 1])[1]
        line = line[:first] + line[last + 1 :]
        trick = longest_trick(line, first)
    return points, line
