"""The interface of rating systems: ratings, the scale that gives them meaning, and the rating step."""

from collections.abc import Sequence
from math import hypot
from typing import Any, Protocol, runtime_checkable

from msgspec import Struct


class Rating(Struct, frozen=True):
    """An estimate of an entry's strength."""

    mu: float
    """The estimate; in most systems the mean of a normal distribution."""
    sigma: float = 0.0
    """Its uncertainty as a standard deviation; 0 in systems without one."""


class Scale(Struct, frozen=True, forbid_unknown_fields=True):
    """The meaning of a system's numbers. It is stored with each league, so reading rankings needs no plug-in."""

    start: Rating
    """The rating of an entry that hasn't played. If its `sigma` is 0, the system never uses another σ."""
    unit: float
    """The difference in `mu` at which the better entry wins about 76 % of its matches; above 0."""
    decimals: int = 2
    """Number of decimals to show, 0 to 6."""
    of_scores: bool = False
    """Whether these are mean scores, which leagues have that compare scores of tables."""

    @property
    def title(self) -> str:
        """What a number without σ is, in words."""
        return "mean score" if self.of_scores else "rating"

    @property
    def has_sigma(self) -> bool:
        """Whether the system reports the uncertainty of ratings."""
        return self.start.sigma > 0

    def shown(self, rating: Rating) -> str:
        """Format a rating for people: `25.00 ± 8.33`, or `1500` in a system without σ."""
        mu = f"{rating.mu:.{self.decimals}f}"
        return f"{mu} ± {rating.sigma:.{self.decimals}f}" if self.has_sigma else mu


USUAL = Scale(start=Rating(25.0, 25 / 3), unit=25 / 6)
"""TrueSkill's scale with its default settings."""

UNRATED = Scale(start=Rating(0.0), unit=1.0)
"""The scale of leagues without ratings."""


class RatingSystem(Protocol):
    """A rating system: a scale, and a step from one match's result to new ratings; pure, without time or chance."""

    name: str
    """The name in league files: `system = "elo"`."""

    @property
    def settings(self) -> type[Struct]:
        """The type of the system's own keys in `[rating]`, all with defaults: frozen, with `forbid_unknown_fields`."""

    def scale(self, settings: Any) -> Scale:
        """Return the meaning of ratings with these settings."""

    def rate(self, settings: Any, ratings: Sequence[Rating], ranks: Sequence[int]) -> Sequence[Rating]:
        """Return the ratings after one match of two or more entries, in the given order.

        `ranks` has one rank per entry: 1 is best, equal ranks tie. Entries come best first, tied ones by rating,
        so that the order in which a match lists them makes no difference.
        """


@runtime_checkable
class RatesSides(Protocol):
    """A rating system for games with partners."""

    def rate_sides(
        self, settings: Any, sides: Sequence[Sequence[Rating]], ranks: Sequence[int]
    ) -> Sequence[Sequence[Rating]]:
        """Return the ratings of the members of two or more sides after one match, as `RatingSystem.rate` does.

        `ranks` has one rank per side. Sides come best first, tied ones by their ratings, and members by rating.
        """


@runtime_checkable
class MeasuresDraws(Protocol):
    """A rating system that uses the probability of a tie between equals."""

    draws: str
    """The setting, from 0.01 to 0.5, that is measured when a league is created without it."""


def taken_over(rating: Rating, widen: float, start: Rating) -> Rating:
    """Return where an entry with an inherited rating starts: the same μ, and σ widened up to that of a new entry.

    `widen`, 0 or more, is added to σ in quadrature: √(σ² + widen²). `start` is where a new entry starts. A scale
    without σ keeps σ = 0.
    """
    return Rating(rating.mu, max(rating.sigma, min(hypot(rating.sigma, widen), start.sigma)))
