"""Shares and wins in whole numbers; intervals of a proportion, and how much of a result is the luck of the deal. Pure.

Share of a game = (seats ranked below + half of those tied) / (n − 1), where n is
the number of seats. A win = rank 1 alone; shared among k, 1/k. Both are counted
in units of 1 / `UNIT`, so that sums over any number of games are exact and equal
sums are equal.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import lcm, sqrt
from statistics import NormalDist
from typing import Literal

from msgspec import Struct

MAX_SEATS = 16
"""The most seats for which the units are exact."""

UNIT = 2 * lcm(*range(1, MAX_SEATS + 1))
"""One whole share, or one whole win, in units: 1441440."""

_KEPT = 4096
"""How many results are kept: at four seats there are 75 ways to finish, and each game is counted in several tables."""

LEAST_MATCHES = 10
"""Entries with fewer matches are unranked, because their ratings say little."""


def added(total: float, score: float) -> float:
    """Return the sum of two scores, or sums of scores, with at most 4 decimals: exact, so that no order changes it.

    Each float is the nearest to its decimal number, and so is the sum, up to 1e11. Whole numbers are `int`.
    """
    sum_ = total + score
    if type(sum_) is int:
        return sum_
    near = round(sum_, 4)
    return int(near) if near.is_integer() else near


Sides = tuple[int, ...]
"""The side of each seat, from 0; empty if every seat plays for itself."""


class Partners(Struct, frozen=True):
    """Who are partners at the tables of a league."""

    sides: Mapping[int, Sides] = {}
    """By table size. All sides of a table have the same number of seats."""
    forfeit_loses: Literal["seat", "side"] = "seat"
    """Whether the first forfeit of a side loses its game, or only those of all its seats."""
    teams: tuple[tuple[int, ...], ...] = ()
    """The entries of each fixed team, the first of which stands for it in all results; empty if partners are drawn."""

    def at(self, seats: int) -> Sides:
        """Return the side of each seat at a table of that size; empty if every seat plays for itself."""
        return self.sides.get(seats, ())

    def units(self, entries: Sequence[int]) -> tuple[int, ...]:
        """Return what meets at a table, given its entries in base order: the entries, or fixed teams by their first."""
        if not self.teams:
            return tuple(entries)
        first = _first_of(self.teams)
        return tuple(dict.fromkeys(first[entry] for entry in entries))

    def seated(self, units: Sequence[int], seats: int) -> tuple[int, ...]:
        """Return the entries of a match in base order, given what meets at a table of that size: as `units` gives."""
        if not self.teams:
            return tuple(units)
        waiting = [iter(next(team for team in self.teams if team[0] == unit)) for unit in units]
        return tuple([next(waiting[side]) for side in self.sides[seats]])

    @property
    def team_size(self) -> int:
        """How many entries a fixed team has; 1 if partners are drawn."""
        return len(self.teams[0]) if self.teams else 1


@lru_cache
def _first_of(teams: tuple[tuple[int, ...], ...]) -> dict[int, int]:
    """Return the first entry of the team of each entry."""
    return {entry: team[0] for team in teams for entry in team}


NO_PARTNERS = Partners()


def of_sides(sides: Sides, values: Sequence[int]) -> tuple[int, ...]:
    """Return the value of each side, given one by seat that is the same for partners."""
    return tuple([values[sides.index(side)] for side in range(max(sides) + 1)])


def game_shares(ranks: Sequence[int], sides: Sides = ()) -> tuple[int, ...]:
    """Return the share of each seat in units; `ranks` has 1 to 16 seats, 1 is best, equal ranks tie.

    A single seat has half a share, as those of a table at which all tie.

    With `sides`, partners have the same rank, and the share is that of their side among the sides.

    >>> [share / UNIT for share in game_shares([1, 2, 2, 4])]
    [1.0, 0.5, 0.5, 0.0]
    >>> [share / UNIT for share in game_shares([1, 3, 1, 3], (0, 1, 0, 1))]
    [1.0, 0.0, 1.0, 0.0]
    """
    if sides:
        shares = _shares(of_sides(sides, ranks))
        return tuple([shares[side] for side in sides])
    return _shares(tuple(ranks))


@lru_cache(maxsize=_KEPT)
def _shares(ranks: tuple[int, ...]) -> tuple[int, ...]:
    whole = 2 * (_seats(ranks) - 1)
    if not whole:
        return (UNIT // 2,)
    return tuple(
        UNIT // whole * sum(2 if other > rank else other == rank for other in ranks) - UNIT // whole
        for rank in ranks
    )


def game_wins(ranks: Sequence[int], sides: Sides = ()) -> tuple[int, ...]:
    """Return the win of each seat in units; with `sides`, each seat has the win of its side.

    >>> [win / UNIT for win in game_wins([1, 3, 1, 4])]
    [0.5, 0.0, 0.5, 0.0]
    """
    if sides:
        wins = _wins(of_sides(sides, ranks))
        return tuple([wins[side] for side in sides])
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


@lru_cache(maxsize=_KEPT)
def is_ranking(ranks: tuple[int, ...]) -> bool:
    """Return whether these are valid ranks of a finished game: 1 is best, equal seats share one, as in 1, 2, 2, 4."""
    return all(rank == 1 + sum(other < rank for other in ranks) for rank in ranks)


def _seats(ranks: Sequence[int]) -> int:
    if not 1 <= len(ranks) <= MAX_SEATS:
        raise ValueError(f"{len(ranks)} seats; shares are counted for 1 to {MAX_SEATS}")
    return len(ranks)


CONFIDENCE = 0.95
"""The confidence of all intervals here."""

_Z2 = NormalDist().inv_cdf((1 + CONFIDENCE) / 2) ** 2


class Interval(Struct, frozen=True):
    """A proportion with the ends of its interval, all from 0 to 1."""

    middle: float
    low: float
    high: float

    @property
    def is_one_sided(self) -> bool:
        """Whether the interval lies entirely above or entirely below one half."""
        return self.low > 0.5 or self.high < 0.5


def wilson(successes: float, trials: int) -> Interval | None:
    """Return the proportion of successes, 0 to `trials`, with its score interval; None without a trial.

    A tie counts as half a success, which makes the interval slightly too wide. Source: Wilson, "Probable
    inference, the law of succession, and statistical inference" (1927).
    """
    if not trials:
        return None
    z2 = _Z2
    share = successes / trials
    centre = (share + z2 / (2 * trials)) / (1 + z2 / trials)
    half = sqrt(z2 * (share * (1 - share) / trials + z2 / (4 * trials**2))) / (1 + z2 / trials)
    return Interval(share, max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half)))


class DealSums(Struct, frozen=True):
    """Sums over matches of one entry that all have the same number of games and seats.

    Points are shares in units of 1 / (2 (seats − 1)).
    """

    entry_no: int
    seats: int
    games: int
    matches: int
    points: int
    game_squares: int
    """Sum of the squares of each game's points."""
    match_squares: int
    """Sum of the squares of each match's points."""


class Luck(Struct, frozen=True):
    """The spread of the share of a game, within matches (rotations of one deal) and between them."""

    matches: int
    within: float
    """Standard deviation of the share between the games of one deal."""
    between: float
    """Standard deviation between deals of the mean over all rotations, after subtracting the effect of `within`."""
    worth: float | None
    """How many games on separate deals give as much information as one match; None if the matches don't differ."""


def luck(sums: Iterable[DealSums]) -> Luck | None:
    """Return the spread of one entry, or pooled over several, each around its own mean.

    One-way analysis of variance with the match as the group. None if there are too few data: fewer than two
    games per match, or no entry with two matches. Raises ValueError if the matches have different sizes.
    Source: Fisher, "Statistical methods for research workers" (1925), chapter VII.
    """
    kinds = list(sums)
    if len({(one.seats, one.games) for one in kinds}) > 1:
        raise ValueError("matches of different sizes can't be pooled")
    kinds = [one for one in kinds if one.matches > 1]
    if not kinds or kinds[0].games < 2:
        return None
    games, unit = kinds[0].games, 2 * (kinds[0].seats - 1)
    matches = sum(one.matches for one in kinds)
    # Whole numbers, each multiplied by the number of games, so that subtraction loses no digits.
    inside = sum(games * one.game_squares - one.match_squares for one in kinds)
    within = inside / (games * matches * (games - 1)) / unit**2
    outside = sum((one.matches * one.match_squares - one.points**2) / one.matches for one in kinds)
    of_means = outside / (games * (matches - len(kinds))) / unit**2  # times the games of a match
    between = (of_means - within) / games
    separate = within + between
    worth = games * separate / of_means if of_means > 0 else None
    return Luck(matches, sqrt(within), sqrt(max(0.0, between)), worth)
