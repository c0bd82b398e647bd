"""Plackett–Luce, computed by the openskill package.

Source: Weng and Lin, "A Bayesian Approximation Method for Online Ranking" (2011).
"""

from collections.abc import Sequence
from functools import cache
from typing import Annotated

from msgspec import Meta, Struct, structs
from openskill.models import PlackettLuce as Model

from results.ratings.base import Rating, Scale


class PlackettLuceSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The keys of `[rating]` beside those of every system; the defaults are openskill's, but for τ.

    Keys:
        mu: μ of a new entry
        sigma: σ of a new entry
        beta: spread of one match's performance
        kappa: the least part of a variance that stays
        tau: how much σ grows before each match
    """

    mu: Annotated[float, Meta(ge=-10_000, le=10_000)] = 25.0
    sigma: Annotated[float, Meta(gt=0, le=10_000)] = 25 / 3
    beta: Annotated[float, Meta(gt=0, le=10_000)] = 25 / 6
    kappa: Annotated[float, Meta(gt=0, le=0.1)] = 1e-4
    tau: Annotated[float, Meta(ge=0, le=10_000)] = 0.0


class PlackettLuce:
    """A normal distribution for each entry, as in TrueSkill; a table is rated at once. A `RatingSystem`."""

    name = "plackett-luce"
    settings = PlackettLuceSettings

    def scale(self, settings: PlackettLuceSettings) -> Scale:
        """Return the scale: rankings are by μ − 3σ, openskill's `ordinal`."""
        return Scale(Rating(settings.mu, settings.sigma), settings.beta)

    def rate(
        self, settings: PlackettLuceSettings, ratings: Sequence[Rating], ranks: Sequence[int]
    ) -> tuple[Rating, ...]:
        """Return the ratings after one match."""
        return tuple(one for (one,) in self.rate_sides(settings, [(rating,) for rating in ratings], ranks))

    def rate_sides(
        self, settings: PlackettLuceSettings, sides: Sequence[Sequence[Rating]], ranks: Sequence[int]
    ) -> list[list[Rating]]:
        """Return the ratings of partners after one match."""
        model = _model(settings)
        teams = [[model.rating(mu=one.mu, sigma=one.sigma) for one in side] for side in sides]
        rated = model.rate(teams, ranks=[float(rank) for rank in ranks])
        return [[Rating(one.mu, one.sigma) for one in side] for side in rated]


@cache
def _model(settings: PlackettLuceSettings) -> Model:
    return Model(**structs.asdict(settings))


RATING = PlackettLuce()
