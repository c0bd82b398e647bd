"""TrueSkill, computed by the trueskill package.

Source of the method: Herbrich, Minka and Graepel, "TrueSkill: A Bayesian Skill
Rating System" (2007).
"""

import math
from collections.abc import Mapping, Sequence

import trueskill

from results.errors import BadRating
from results.ratings import truncated
from results.ratings.base import Rating


class TrueSkill:
    """TrueSkill for any number of entries, each playing for itself. A `RatingSystem`.

    Three things differ from calling the package as it is:

    - Its V and W functions fail for great upsets; here they hold for all ratings.
    - It puts tied entries in a chain, where each is compared with its neighbours
      only, so that equal results would be worth different amounts. Here the
      chain is turned through every position and the mean taken; entries with
      equal ratings and equal ranks get equal ratings.
    - A draw probability of 0 is refused: with it the package lets a tie widen
      the ratings silently, and any match can end in a tie.
    """

    name = "trueskill"

    def __init__(
        self,
        mu: float = 25.0,
        sigma: float = 25 / 3,
        beta: float = 25 / 6,
        tau: float = 25 / 300,
        draw_probability: float = 0.1,
    ) -> None:
        """Fix the parameters.

        `mu`, `sigma`: of an entry that has played nothing · `beta`: the difference in strength that wins
        76 % of matches of two · `tau`: by how much strength is taken to wander from match to match, as a
        standard deviation; 0 lets ratings freeze · `draw_probability`: how often two equals tie.

        Raises BadRating for a value out of range.
        """
        given = {
            "mu": (mu, -1e4, 1e4),
            "sigma": (sigma, 1e-3, 1e4),
            "beta": (beta, 1e-3, 1e4),
            "tau": (tau, 0.0, 1e4),
            "draw_probability": (draw_probability, 1e-3, 0.99),
        }
        for option, (value, low, high) in given.items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
                raise BadRating(
                    f"rating trueskill: {option} is {value!r}, not a number from {low:g} to {high:g}",
                    "any match can end in a tie, so ties must have a probability"
                    if option == "draw_probability"
                    else "leave it out for the usual value",
                )
        self._parameters = {option: float(value) for option, (value, _, _) in given.items()}
        self._environment = _Environment(**self._parameters)

    @property
    def parameters(self) -> Mapping[str, float]:
        """Every parameter with its value."""
        return dict(self._parameters)

    def initial(self) -> Rating:
        """Return the rating of an entry that has played nothing."""
        return Rating(self._parameters["mu"], self._parameters["sigma"])

    def rate(self, ratings: Sequence[Rating], ranks: Sequence[int]) -> tuple[Rating, ...]:
        """Return the ratings after one match, in the order given; `ranks`: 1 is best, equal ones are tied.

        Raises ValueError for fewer than two entries or another number of ranks than of ratings.
        """
        if len(ratings) != len(ranks) or len(ratings) < 2:
            raise ValueError(f"{len(ratings)} ratings and {len(ranks)} ranks; it takes two or more of each")
        places = sorted(range(len(ratings)), key=lambda i: (ranks[i], ratings[i].mu, ratings[i].sigma))
        tied = _runs([ranks[i] for i in places])
        turns = math.lcm(*(len(group) for group in tied))
        sums = [[0.0, 0.0] for _ in ratings]
        for turn in range(turns):
            order = [places[group[(k + turn) % len(group)]] for group in tied for k in range(len(group))]
            for i, (mu, sigma) in zip(order, self._chain(ratings, ranks, order), strict=True):
                sums[i][0] += mu
                sums[i][1] += sigma
        new: list[Rating] = list(ratings)
        for equals in _runs([(ranks[i], ratings[i].mu, ratings[i].sigma) for i in places]):
            members = [places[k] for k in equals]
            count = turns * len(members)
            mu = math.fsum(sums[i][0] for i in members) / count
            sigma = math.fsum(sums[i][1] for i in members) / count
            for i in members:
                new[i] = Rating(mu + 0.0, sigma)  # + 0.0: no negative zero, which a database can't keep
        return tuple(new)

    def _chain(
        self, ratings: Sequence[Rating], ranks: Sequence[int], order: Sequence[int]
    ) -> list[tuple[float, float]]:
        """Rate the entries in this order, best first; where numbers fail, leave the ratings as they were."""
        groups = [(trueskill.Rating(ratings[i].mu, ratings[i].sigma),) for i in order]
        try:
            rated = self._environment.rate(groups, [ranks[i] for i in order])
            new = [(rating.mu, rating.sigma) for (rating,) in rated]
        except (ArithmeticError, ValueError):
            new = []
        if new and all(math.isfinite(mu) and 0 < sigma < math.inf for mu, sigma in new):
            return new
        return [(ratings[i].mu, ratings[i].sigma) for i in order]


class _Environment(trueskill.TrueSkill):  # type: ignore[misc]  # the package has no types
    """The package's environment with V and W that hold everywhere."""

    def v_win(self, diff: float, draw_margin: float) -> float:
        return truncated.win(diff - draw_margin)[0]

    def w_win(self, diff: float, draw_margin: float) -> float:
        return truncated.win(diff - draw_margin)[1]

    def v_draw(self, diff: float, draw_margin: float) -> float:
        return truncated.draw(diff, draw_margin)[0]

    def w_draw(self, diff: float, draw_margin: float) -> float:
        return truncated.draw(diff, draw_margin)[1]


def _runs(values: Sequence[object]) -> list[range]:
    """Return the positions of each run of equal neighbours."""
    starts = [i for i in range(len(values)) if i == 0 or values[i] != values[i - 1]]
    return [range(a, b) for a, b in zip(starts, [*starts[1:], len(values)], strict=True)]


RATING = TrueSkill
