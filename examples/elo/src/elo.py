"""Elo, for tables of two and more: everybody is taken to have met everybody else at the table.

Source: Elo, "The Rating of Chessplayers, Past and Present" (1978).
"""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Struct

from results.ratings.base import Rating, Scale


class EloSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The keys of `[rating]` beside those of every system.

    Keys:
        start: rating of a new entry
        k: what a match can change at most
    """

    start: Annotated[float, Meta(ge=-10_000, le=10_000)] = 1500.0
    k: Annotated[float, Meta(gt=0, le=400)] = 20.0


class Elo:
    """A rating is one number; 400 points are odds of 10 to 1. A `RatingSystem`."""

    name = "elo"
    settings = EloSettings

    def scale(self, settings: EloSettings) -> Scale:
        """Return the scale: no σ, so rankings are by the rating itself; 200 points win 76 %."""
        return Scale(start=Rating(settings.start), unit=200.0, decimals=0)

    def rate(
        self, settings: EloSettings, ratings: Sequence[Rating], ranks: Sequence[int]
    ) -> tuple[Rating, ...]:
        """Return the ratings after one match."""
        others = len(ratings) - 1
        new = []
        for i, rating in enumerate(ratings):
            gained = 0.0
            for j, other in enumerate(ratings):
                if i != j:
                    scored = 0.5 * ((ranks[i] < ranks[j]) + (ranks[i] <= ranks[j]))
                    gained += scored - 1 / (1 + 10 ** ((other.mu - rating.mu) / 400))
            new.append(Rating(rating.mu + settings.k * gained / others))
        return tuple(new)


RATING = Elo()
