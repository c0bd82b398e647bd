"""What a rating is, what the numbers of a rating system mean, and what a rating system does."""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from msgspec import Struct


class Rating(Struct, frozen=True):
    """What is believed of an entry's strength."""

    mu: float
    """The estimate; for most systems the mean of a normal distribution."""
    sigma: float = 0.0
    """How unsure it is, as a standard deviation; 0 in a system that doesn't say."""


class Scale(Struct, frozen=True, forbid_unknown_fields=True):
    """What the numbers of a rating system mean. It is stored with each league, so its rankings need no plug-in."""

    start: Rating
    """The rating of an entry that has played nothing. A `sigma` of 0 says that the system never gives any other."""
    unit: float
    """The difference in `mu` with which the better of two wins about 76 % of their matches; above 0."""
    deviations: float = 0.0
    """Rankings are in order of `mu` − so many `sigma`; 0 or more."""
    decimals: int = 2
    """With how many digits after the point ratings are shown, 0 to 6."""

    @property
    def has_sigma(self) -> bool:
        """Whether the system says how unsure a rating is."""
        return self.start.sigma > 0

    def conservative(self, rating: Rating) -> float:
        """Return what rankings are ordered by: what an entry is at least worth, or just its estimate."""
        return rating.mu - self.deviations * rating.sigma

    def shown(self, rating: Rating) -> str:
        """Return a rating as people read it: `25.00 ± 8.33`, or `1500` in a system without σ."""
        mu = f"{rating.mu:.{self.decimals}f}"
        return f"{mu} ± {rating.sigma:.{self.decimals}f}" if self.has_sigma else mu


USUAL = Scale(start=Rating(25.0, 25 / 3), unit=25 / 6, deviations=3.0)
"""TrueSkill's, with its usual settings."""

UNRATED = Scale(start=Rating(0.0), unit=1.0)
"""Where nothing is rated."""


class RatingSystem(Protocol):
    """A way of rating: a scale, and a step from the result of one match to new ratings.

    Both are pure functions: the same arguments give the same bits. They know neither time nor chance, nor which
    entries they rate.
    """

    name: str
    """As in league files: `system = "elo"`."""

    @property
    def settings(self) -> type[Struct]:
        """The type of the system's own keys in `[rating]`, all with defaults: frozen, with `forbid_unknown_fields`."""

    def scale(self, settings: Any) -> Scale:
        """Return what the ratings mean with these settings."""

    def rate(self, settings: Any, ratings: Sequence[Rating], ranks: Sequence[int]) -> Sequence[Rating]:
        """Return the ratings after one match of two entries or more, in the order given.

        `ranks`: of each, 1 is best, equal ones are tied. The entries come best first, tied ones by rating,
        so that the order in which a match lists them makes no difference.
        """


@runtime_checkable
class MeasuresDraws(Protocol):
    """A rating system that goes by how often two equals tie."""

    draws: str
    """The setting, from 0.01 to 0.5, that is measured when a league is created whose file leaves it out."""
