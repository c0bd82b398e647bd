"""What a rating is, and what a rating system does."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from msgspec import Struct


class Rating(Struct, frozen=True):
    """What is believed of an entry's strength: a normal distribution."""

    mu: float
    """Its mean."""
    sigma: float
    """Its standard deviation, above 0."""

    @property
    def conservative(self) -> float:
        """μ − 3σ: the entry is at least this strong with 99.9 % certainty; what rankings are ordered by."""
        return self.mu - 3 * self.sigma


class RatingSystem(Protocol):
    """A way of rating: a start, and a step from the result of one match to new ratings.

    A step is a pure function: the same ratings and ranks give the same bits. It
    depends neither on the order in which the entries are listed nor on which
    entry they are, and raises for no ratings that it has itself given.
    """

    name: str
    """As in league files."""

    @property
    def parameters(self) -> Mapping[str, float]:
        """Every parameter with its value; enough to make the same system again."""

    def initial(self) -> Rating:
        """Return the rating of an entry that has played nothing."""

    def rate(self, ratings: Sequence[Rating], ranks: Sequence[int]) -> tuple[Rating, ...]:
        """Return the ratings after one match, in the order given.

        `ranks`: of each, 1 is best, equal ones are tied. Two entries at least.
        """
