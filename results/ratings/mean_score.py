"""What leagues have instead of ratings if nobody wins or loses against others at the table: the mean score of a game.

It has the form of a rating system, so that all that shows, stores and checks how entries do is the same. But it is
computed by `Fold`, from scores: `rate` gets none.
"""

from collections.abc import Sequence

from msgspec import Struct

from results.ratings.base import Rating, Scale


class MeanScoreSettings(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a league keeps of its game; organisers set nothing."""

    decimals: int = 0
    """How many decimals scores have."""


class MeanScore:
    """The mean score of an entry's games so far. A `RatingSystem`, but leagues can't choose it."""

    name = "score"
    settings = MeanScoreSettings

    def scale(self, settings: MeanScoreSettings) -> Scale:
        """Return a scale without σ, where who hasn't played has 0; means have one decimal more than scores, up to 4."""
        return Scale(start=Rating(0.0), unit=1.0, decimals=min(1 + settings.decimals, 4), of_scores=True)

    def rate(
        self, settings: MeanScoreSettings, ratings: Sequence[Rating], ranks: Sequence[int]
    ) -> Sequence[Rating]:
        """Raise TypeError: places say nothing of scores."""
        raise TypeError(f"mean scores don't follow from places: {settings}, {ratings}, {ranks}")


MEAN_SCORE = MeanScore()


def mean_score(score: float, games: int) -> Rating:
    """Return the mean of a sum of scores over so many games; 0 of none."""
    return Rating(score / games if games else 0.0)
