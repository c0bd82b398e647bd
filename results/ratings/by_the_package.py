"""TrueSkill as the trueskill package computes it, object by object: the reference for Arena's ratings."""

from collections.abc import Sequence
from functools import cache

import trueskill

from results.ratings.message_passing import Parameters, draw, win
from results.ratings.trueskill import Chain, TrueSkill, TrueSkillSettings


class Package(trueskill.TrueSkill):  # type: ignore[misc]  # the package has no types
    """The package's own message passing, with V and W that hold for great upsets too."""

    def v_win(self, diff: float, draw_margin: float) -> float:
        """Return by how much a win moves the mean."""
        return win(diff - draw_margin)[0]

    def w_win(self, diff: float, draw_margin: float) -> float:
        """Return by how much a win narrows the belief."""
        return win(diff - draw_margin)[1]

    def v_draw(self, diff: float, draw_margin: float) -> float:
        """Return by how much a draw moves the mean."""
        return draw(diff, draw_margin)[0]

    def w_draw(self, diff: float, draw_margin: float) -> float:
        """Return by how much a draw narrows the belief."""
        return draw(diff, draw_margin)[1]


class ByThePackage(TrueSkill):
    """TrueSkill whose messages the package passes; ties are treated as in every league. A `RatingSystem`."""

    def _chain(self, settings: TrueSkillSettings) -> Chain:
        return _chain_of(settings)


@cache
def _chain_of(settings: TrueSkillSettings) -> Chain:
    package = Package(settings.mu, settings.sigma, settings.beta, settings.tau, settings.draw_probability)

    def rated(
        _: Parameters, before: Sequence[tuple[float, float]], ranks: Sequence[int]
    ) -> list[tuple[float, float]]:
        groups = [(trueskill.Rating(mu, sigma),) for mu, sigma in before]
        return [(one.mu, one.sigma) for (one,) in package.rate(groups, ranks)]

    return rated
