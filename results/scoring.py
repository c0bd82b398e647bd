"""Shares and wins in whole numbers.

Share of a game = (seats ranked below + half of those tied) / (n − 1), where n is
the number of seats. A win = rank 1 alone; shared among k, 1/k. Both are counted
in units of 1 / `UNIT`, so that sums over any number of games are exact and equal
sums are equal.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import lcm

MAX_SEATS = 16
"""The most seats for which the units are exact."""

UNIT = 2 * lcm(*range(1, MAX_SEATS + 1))
"""One whole share, or one whole win, in units: 1441440."""

_KEPT = 4096
"""How many results are kept: at four seats there are 75 ways to finish, and each game is counted in several tables."""

LEAST_MATCHES = 10
"""Entries with fewer matches are unranked, because their ratings say little."""


def game_shares(ranks: Sequence[int]) -> tuple[int, ...]:
    """Return the share of each seat in units; `ranks` has 2 to 16 seats, 1 is best, equal ranks tie.

    >>> [share / UNIT for share in game_shares([1, 2, 2, 4])]
    [1.0, 0.5, 0.5, 0.0]
    """
    return _shares(tuple(ranks))


@lru_cache(maxsize=_KEPT)
def _shares(ranks: tuple[int, ...]) -> tuple[int, ...]:
    whole = 2 * (_seats(ranks) - 1)
    return tuple(
        UNIT // whole * sum(2 if other > rank else other == rank for other in ranks) - UNIT // whole
        for rank in ranks
    )


def game_wins(ranks: Sequence[int]) -> tuple[int, ...]:
    """Return the win of each seat in units.

    >>> [win / UNIT for win in game_wins([1, 3, 1, 4])]
    [0.5, 0.0, 0.5, 0.0]
    """
    return _wins(tuple(ranks))


@lru_cache(maxsize=_KEPT)
def _wins(ranks: tuple[int, ...]) -> tuple[int, ...]:
    _seats(ranks)
    first = UNIT // sum(rank == 1 for rank in ranks)
    return tuple(first if rank == 1 else 0 for rank in ranks)


def match_ranks(shares: Sequence[int]) -> tuple[int, ...]:
    """Return the rank of each entry of a match by the sum of its shares: 1 is best, equal sums tie.

    >>> match_ranks([5, 7, 7, 1])
    (3, 1, 1, 4)
    """
    return tuple(1 + sum(other > share for other in shares) for share in shares)


def is_ranking(ranks: Sequence[int]) -> bool:
    """Return whether these are valid ranks of a finished game: 1 is best, equal seats share one, as in 1, 2, 2, 4."""
    return _is_ranking(tuple(ranks))


@lru_cache(maxsize=_KEPT)
def _is_ranking(ranks: tuple[int, ...]) -> bool:
    return all(rank == 1 + sum(other < rank for other in ranks) for rank in ranks)


def _seats(ranks: Sequence[int]) -> int:
    if not 2 <= len(ranks) <= MAX_SEATS:
        raise ValueError(f"{len(ranks)} seats; shares are counted for 2 to {MAX_SEATS}")
    return len(ranks)
