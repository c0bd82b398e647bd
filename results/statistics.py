"""Statistics of totals: intervals of a proportion, and how much of a result is the luck of the deal. Pure."""

from collections.abc import Iterable
from math import sqrt
from statistics import NormalDist

from msgspec import Struct

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
    """In each match."""
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
