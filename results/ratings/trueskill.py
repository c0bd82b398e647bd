"""TrueSkill, with the arithmetic of the trueskill package.

Source of the method: Herbrich, Minka and Graepel, "TrueSkill: A Bayesian Skill
Rating System" (2007).
"""

import math
from collections.abc import Sequence
from functools import cache
from typing import Annotated

import msgspec
import trueskill
from msgspec import Meta, Struct

from results.ratings.base import Rating, Scale
from results.ratings.message_passing import Parameters, rated


class TrueSkillSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The keys of `[rating]` for TrueSkill."""

    mu: Annotated[float, Meta(ge=-10_000, le=10_000, description="μ of a new entry")] = 25.0
    sigma: Annotated[float, Meta(ge=0.001, le=10_000, description="σ of a new entry")] = 25 / 3
    beta: Annotated[
        float,
        Meta(ge=0.001, le=10_000, description="spread of one match's performance"),
    ] = 25 / 6
    tau: Annotated[
        float,
        Meta(ge=0, le=10_000, description="how much σ grows before each match; 0: versions do not change"),
    ] = 0.0
    draw_probability: Annotated[
        float,
        Meta(
            ge=0.001,
            le=0.99,
            description="share of matches in which two equals tie; default: measured at "
            "`create` by letting the game play itself, and held between 0.01 and 0.5",
        ),
    ] = 0.1


class TrueSkill:
    """TrueSkill for any number of entries, each playing for itself. A `RatingSystem`.

    It passes messages as the package does, to the last bit, but without its objects: `message_passing`.
    It differs from the package in three ways:

    - The package's V and W functions fail for great upsets; these work for all ratings.
    - The package puts tied entries in a chain and compares each only with its
      neighbours, so equal results would be worth different amounts. This class
      rotates the chain through every position and takes the mean, so that entries with
      equal ratings and equal ranks get equal ratings.
    - A draw probability of 0 is refused: with it, the package silently lets a tie widen
      the ratings, and any match can end in a tie.
    """

    name = "trueskill"
    settings = TrueSkillSettings
    draws = "draw_probability"

    def scale(self, settings: TrueSkillSettings) -> Scale:
        """Return the scale: rankings use μ − 3σ, which the strength exceeds with 99.9 % certainty."""
        return Scale(Rating(settings.mu, settings.sigma), settings.beta, deviations=3.0)

    def rate(
        self, settings: TrueSkillSettings, ratings: Sequence[Rating], ranks: Sequence[int]
    ) -> tuple[Rating, ...]:
        """Return the ratings after one match; `ranks`: 1 is best, equal ones are tied; best first."""
        parameters = _parameters(settings)
        tied = _runs(ranks)
        turns = math.lcm(*(len(group) for group in tied))
        sums = [[0.0, 0.0] for _ in ratings]
        for turn in range(turns):
            order = [group[(k + turn) % len(group)] for group in tied for k in range(len(group))]
            for i, (mu, sigma) in zip(order, _chain(parameters, ratings, ranks, order), strict=True):
                sums[i][0] += mu
                sums[i][1] += sigma
        new: list[Rating] = list(ratings)
        for members in _runs([(rank, r.mu, r.sigma) for rank, r in zip(ranks, ratings, strict=True)]):
            count = turns * len(members)
            mu = math.fsum(sums[i][0] for i in members) / count
            sigma = math.fsum(sums[i][1] for i in members) / count
            for i in members:
                new[i] = Rating(mu, sigma)
        return tuple(new)


def _chain(
    parameters: Parameters, ratings: Sequence[Rating], ranks: Sequence[int], order: Sequence[int]
) -> list[tuple[float, float]]:
    """Rate the entries in this order, best first; where numbers fail, leave the ratings as they were."""
    before = [(ratings[i].mu, ratings[i].sigma) for i in order]
    try:
        after = rated(parameters, before, [ranks[i] for i in order])
    except (ArithmeticError, ValueError):
        return before
    return after if all(math.isfinite(mu) and 0 < sigma < math.inf for mu, sigma in after) else before


@cache
def _parameters(settings: TrueSkillSettings) -> Parameters:
    package = trueskill.TrueSkill(**msgspec.structs.asdict(settings))
    two = 2  # entries that are compared
    margin = trueskill.calc_draw_margin(settings.draw_probability, two, package)
    return Parameters(settings.beta, settings.tau, margin)


def _runs(values: Sequence[object]) -> list[range]:
    """Return the positions of each run of equal neighbours."""
    starts = [i for i in range(len(values)) if i == 0 or values[i] != values[i - 1]]
    return [range(a, b) for a, b in zip(starts, [*starts[1:], len(values)], strict=True)]


RATING = TrueSkill()
