"""The scramble of the market: who gets which card (our decision; source 002 leaves it open).

At a real table the quickest hand decides; here the grab order does.
"""

from collections.abc import Mapping, Sequence


def scramble(rankings: Mapping[int, Sequence[int]], grab_order: Sequence[int], own_last: bool) -> list[int]:
    """Return the position of the card that each seat gets; position p is the card that seat p turned up.

    `rankings` holds each seat's order of all positions, best first. All players with empty hands reach for their
    best card still available; it goes to the first of them in grab order, with its owner last. This repeats until
    each seat has a card. With `own_last`, players skip their own card unless it is the only one left.
    """
    taken = [-1] * len(rankings)
    there = [True] * len(rankings)
    empty = list(grab_order)
    while len(empty) > 1:
        winners: dict[int, int] = {}
        for seat in empty:
            for position in rankings[seat]:
                if there[position] and not (own_last and position == seat):
                    break
            if winners.get(position, position) == position:  # nobody yet, or its owner
                winners[position] = seat
        for position, seat in winners.items():
            taken[seat] = position
            there[position] = False
        empty = [seat for seat in empty if taken[seat] < 0]
    for seat in empty:
        taken[seat] = there.index(True)
    return taken
