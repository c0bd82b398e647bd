"""Rotations: which entry of a match sits where in each game."""

from itertools import permutations
from typing import Literal

from arena.core.errors import UsageError

Rotations = Literal["cyclic", "mirror", "all", "off"]
MOST_SEATS_OF_ALL = 4
"""For more seats, every order is too many games: 120 for 5 seats."""


def check_rotations(rotations: Rotations, seats: int) -> None:
    """Raise UsageError if this kind of rotation needs too many games for this number of seats."""
    if rotations == "all" and seats > MOST_SEATS_OF_ALL:
        raise UsageError(
            f'rotations: "all" is for at most {MOST_SEATS_OF_ALL} seats, not {seats}',
            'use "cyclic", or "mirror" if it matters who sits next to whom',
        )


def seatings(entries: tuple[int, ...], rotations: Rotations) -> tuple[tuple[int, ...], ...]:
    """Return the seating of every game of a match: the entry at each seat, by rotation.

    `cyclic`: n games, entry i of the base order at seat (i + r) mod n. `mirror`: 2n games, the circle in both
    directions; with 2 seats both are the same, so each seating comes twice. `all`: every order, for at most 4
    seats; raises UsageError for more. `off`: one game in the base order.
    """
    n = len(entries)
    if rotations == "off":
        return (entries,)
    if rotations == "all":
        check_rotations(rotations, n)
        return tuple(permutations(entries))
    ways = (entries,) if rotations == "cyclic" else (entries, entries[::-1])
    return tuple(tuple(way[(seat - r) % n] for seat in range(n)) for way in ways for r in range(n))
