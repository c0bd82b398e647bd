"""What a new version of a bot starts with that takes over from an older one."""

from math import hypot

from results.ratings.base import Rating


def taken_over(rating: Rating, widen: float, start: Rating) -> Rating:
    """Return where an entry with an inherited rating starts: the same μ, and σ widened up to that of a new entry.

    `widen`, 0 or more, is added to σ in quadrature: √(σ² + widen²). `start` is where a new entry starts. A scale
    without σ keeps σ = 0.
    """
    return Rating(rating.mu, max(rating.sigma, min(hypot(rating.sigma, widen), start.sigma)))
