"""Seatings: who sits where in each game of a match."""

from functools import cache
from itertools import permutations

from arena.core.errors import BadValue
from arena.core.ruleset import Rotations

MOST_SEATS_OF_ALL = 4
"""For more seats, every order is too many games: 120 for 5 seats."""

_TERRACES: dict[int, tuple[int, ...]] = {
    1: (0,),
    2: (0, 1),
    3: (0, 1, 2),
    4: (0, 1, 3, 2),
    5: (0, 1, 2, 4, 3),
    6: (0, 1, 4, 3, 5, 2),
    7: (0, 1, 3, 2, 5, 6, 4),
    8: (0, 1, 3, 7, 4, 2, 6, 5),
    9: (0, 1, 2, 5, 7, 6, 4, 8, 3),
    10: (0, 1, 3, 7, 4, 9, 2, 8, 6, 5),
    11: (0, 1, 2, 7, 6, 4, 9, 5, 8, 10, 3),
    12: (0, 1, 3, 8, 2, 10, 7, 6, 4, 11, 5, 9),
}
"""By number of seats: the first row of a Latin square whose row r has r added, modulo that number.

A difference of neighbours, the last and the first included, stands for that step from one entry to the next. With an
even number, each step but 0 comes once and one of them twice, as in the squares of Williams ("Experimental designs
balanced for the estimation of residual effects of treatments", 1949), so each entry sits right after each other once,
and after one of them twice. With an odd number the steps can't do that: one is missing, and two come twice.
`benchmarks/rotation_squares.py` has found the rows. No Latin square of 3 to 6 is more even: tests/core proves it.
"""
MOST_SEATS_OF_BALANCED = max(_TERRACES)


def check_rotations(rotations: Rotations, seats: int) -> None:
    """Raise BadValue if this kind of rotation isn't possible, or needs too many games, for this number of seats."""
    if rotations == "all" and seats > MOST_SEATS_OF_ALL:
        raise BadValue(
            ("rotations",),
            f'"all" is for at most {MOST_SEATS_OF_ALL} seats, not {seats}',
            'use "balanced" or "mirror" if it matters who sits next to whom, or else "cyclic"',
        )
    if rotations == "balanced" and seats > MOST_SEATS_OF_BALANCED:
        raise BadValue(
            ("rotations",),
            f'"balanced" is for at most {MOST_SEATS_OF_BALANCED} seats, not {seats}',
            'use "mirror" if it matters who sits next to whom, or else "cyclic"',
        )


def seatings(
    entries: tuple[int, ...], rotations: Rotations, sides: tuple[int, ...] = ()
) -> tuple[tuple[int, ...], ...]:
    """Return the seating of every game of a match: the entry at each seat, by rotation.

    `cyclic`: n games, entry i of the base order at seat (i + r) mod n. `mirror`: 2n games, the circle in both
    directions; with 2 seats both are the same, so each seating comes twice. `balanced`: every entry once at each seat,
    with neighbours that change from game to game; n games for at most 12 seats, but with 3 both circles, which is 6.
    `all`: every order, for at most 4 seats. `off`: one game in the base order. Raises UsageError for more seats.

    With `sides` (by seat), partners in the base order are partners in every game: of `all` orders those in which they
    are; of the others, where a rotation would part them, the sides are rotated instead, and the partners within them.
    """
    n = len(entries)
    check_rotations(rotations, n)
    if sides:
        of_all = seatings(entries, rotations)
        together = tuple(one for one in of_all if _partners(one, sides) == _partners(entries, sides))
        if rotations == "all" or len(together) == len(of_all):
            return together
        places = [[seat for seat in range(n) if sides[seat] == side] for side in range(max(sides) + 1)]
        size = len(places[0])
        found = []
        for step in range(size):
            for order in seatings(tuple(range(len(places))), rotations):
                seated = list(entries)
                for side, came in enumerate(order):
                    for place, seat in enumerate(places[side]):
                        seated[seat] = entries[places[came][(place - step) % size]]
                found.append(tuple(seated))
        return tuple(found)
    if rotations == "off":
        return (entries,)
    if rotations == "all":
        return tuple(permutations(entries))
    if rotations == "balanced" and n != 3:
        return tuple(tuple(entries[place] for place in row) for row in _square(n))
    ways = (entries,) if rotations == "cyclic" else (entries, entries[::-1])
    return tuple(tuple(way[(seat - r) % n] for seat in range(n)) for way in ways for r in range(n))


def _partners(seated: tuple[int, ...], sides: tuple[int, ...]) -> set[frozenset[int]]:
    """Return the entries that are partners, side by side."""
    return {
        frozenset(entry for entry, side in zip(seated, sides, strict=True) if side == one) for one in sides
    }


@cache
def _square(seats: int) -> tuple[tuple[int, ...], ...]:
    """Return the rows of a balanced square by places in the base order, which is the first row itself."""
    terrace = _TERRACES[seats]
    place = {number: place for place, number in enumerate(terrace)}
    return tuple(tuple(place[(number + r) % seats] for number in terrace) for r in range(seats))
