"""Rotations: which entry of a match sits where in each of its games."""

from itertools import permutations
from typing import Literal

Rotations = Literal["cyclic", "mirror", "all", "off"]


def seatings(entries: tuple[int, ...], rotations: Rotations) -> tuple[tuple[int, ...], ...]:
    """Return the seating of every game of a match: the entry at each seat, by rotation.

    `cyclic`: n games, entry i of the base order at seat (i + r) mod n. `mirror`: 2n, the circle both ways
    round. `all`: every order, at most 4 seats. `off`: one game in the base order.
    """
    n = len(entries)
    if rotations == "off":
        return (entries,)
    if rotations == "all":
        if n > 4:
            raise ValueError(f"all rotations of {n} seats are too many; 4 is the most")
        return tuple(permutations(entries))
    ways = (entries,) if rotations == "cyclic" else (entries, entries[::-1])
    return tuple(tuple(way[(seat - r) % n] for seat in range(n)) for way in ways for r in range(n))
