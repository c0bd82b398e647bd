"""Rounds of a field that can change between them. For schedules."""

from collections.abc import Iterable, Mapping
from itertools import combinations

from arena.schedules.base import Field


def next_round(field: Field, matches: int, rounds: int, planned: int) -> int | None:
    """Return the first match of the next round, which another field can play; None if no round follows.

    A round of this field has that many `matches`; all fields together play that many `rounds`. If no match of
    the next round is planned yet, it begins with match number `planned`.

    >>> next_round(Field((1, 2, 3), (2,), from_match=10, from_round=4), 3, 6, 11)
    13
    """
    begun = -(-(planned - field.from_match) // matches) if matches else 0
    return field.from_match + begun * matches if field.from_round + begun < rounds else None


def pairs_before(
    pairs: Mapping[tuple[int, int], int], tables: Iterable[tuple[int, ...]]
) -> dict[tuple[int, int], int]:
    """Return how often each pair had met before these tables.

    >>> pairs_before({(1, 2): 5, (1, 3): 1}, [(1, 2), (1, 2)])
    {(1, 2): 3, (1, 3): 1}
    """
    before = dict(pairs)
    for table in tables:
        for pair in combinations(sorted(table), 2):
            before[pair] = before.get(pair, 0) - 1
    return before
