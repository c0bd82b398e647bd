"""The scramble of the market: who gets which card (settled for source 002).

Around a table the quickest hand decides; here the grab order does.
"""

from collections.abc import Mapping, Sequence


def scramble(rankings: Mapping[int, Sequence[int]], grab_order: Sequence[int], own_last: bool) -> list[int]:
    """Return for each seat the position of the card that it gets; position p is the card that seat p turned up.

    `rankings` holds each seat's order of all positions, best first. All whose hands are empty reach for their
    best card still there; it goes to the first of its reachers in grab order, its owner behind all others;
    and again, until each seat has one. With `own_last` players pass over their own card unless it is the only
    one left.
    """
    taken = [-1] * len(rankings)
    there = [True] * len(rankings)
    empty = list(grab_order)
    tried = [0] * len(rankings)
    while empty:
        if len(empty) == 1:
            taken[empty[0]] = there.index(True)
            break
        winners: dict[int, int] = {}
        for seat in empty:
            ranking = rankings[seat]
            place = tried[seat]
            while not there[ranking[place]] or (own_last and ranking[place] == seat):
                place += 1
            tried[seat] = place
            position = ranking[place]
            if winners.get(position, position) == position:  # nobody so far, or its owner
                winners[position] = seat
        for position, seat in winners.items():
            taken[seat] = position
            there[position] = False
        empty = [seat for seat in empty if taken[seat] < 0]
    return taken
