"""TrueSkill, in fewer operations than the trueskill package takes.

Source of the method: Herbrich, Minka and Graepel, "TrueSkill: A Bayesian Skill
Rating System" (2007).
"""

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Annotated, Literal, TypeVar

import trueskill
from msgspec import Meta, Struct

from results.ratings.base import Rating, Scale
from results.ratings.trueskill_messages import Parameters, draw, rated, rated_sides, win

Chain = Callable[[Parameters, Sequence[tuple[float, float]], Sequence[int]], list[tuple[float, float]]]
"""Rates one match of entries in the order of finishing: from μ and σ before, and ranks, to μ and σ after."""
SideChain = Callable[
    [Parameters, Sequence[Sequence[tuple[float, float]]], Sequence[int]], list[list[tuple[float, float]]]
]
"""The same of sides with several members."""
One = TypeVar("One")


class TrueSkillSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The keys of `[rating]` for TrueSkill.

    Keys:
        mu: μ of a new entry
        sigma: σ of a new entry
        beta: the unit of strength: a bot this much stronger finishes above the other in 76 of 100 games (with
            `rates = "matches"`, matches); leave it
        tau: how much σ grows before each game (with `rates = "matches"`, before each match); 0: versions do
            not change
        draw_probability: share of games (with `rates = "matches"`, of matches) in which two equals tie;
            default: measured at `create` by letting the game play itself, and held between 0.01 and 0.5
        rates: `games`: each game of a match updates the ratings · `matches`: a match does, as one, by its
            sums of shares
    """

    mu: Annotated[float, Meta(ge=-10_000, le=10_000)] = 25.0
    sigma: Annotated[float, Meta(ge=0.001, le=10_000)] = 25 / 3
    beta: Annotated[float, Meta(ge=0.001, le=10_000)] = 25 / 6
    tau: Annotated[float, Meta(ge=0, le=10_000)] = 0.0
    draw_probability: Annotated[float, Meta(ge=0.001, le=0.99)] = 0.1
    rates: Literal["games", "matches"] = "games"


class TrueSkill:
    """TrueSkill for any number of entries, each playing for itself or with partners. A `RatingSystem`.

    It passes messages as the package does, but without its objects (`trueskill_messages`), and nearly always agrees
    with it in twelve digits. It differs from the package in three ways:

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

    def __init__(
        self, chains: Callable[[TrueSkillSettings], tuple[Chain, SideChain]] = lambda _: (rated, rated_sides)
    ) -> None:
        """`chains`: returns what passes the messages of a match, of entries and of sides."""
        self._chains = chains

    def scale(self, settings: TrueSkillSettings) -> Scale:
        """Return the scale: a new entry's rating, and β as the unit."""
        return Scale(Rating(settings.mu, settings.sigma), settings.beta)

    def rate(
        self, settings: TrueSkillSettings, ratings: Sequence[Rating], ranks: Sequence[int]
    ) -> tuple[Rating, ...]:
        """Return the ratings after one match; `ranks`: 1 is best, equal ones are tied; best first."""
        parameters = _parameters(settings)
        chain, _ = self._chains(settings)
        before = [(rating.mu, rating.sigma) for rating in ratings]
        tied = _runs(ranks)
        if len(tied) == len(before):
            return tuple([Rating(*one) for one in _rated(chain, parameters, before, ranks)])
        turns = 1 if len(before) == 2 else math.lcm(*map(len, tied))  # two are treated alike
        found = [_rated(chain, parameters, _turned(before, tied, turn), ranks) for turn in range(turns)]
        new: list[Rating] = []
        for group in tied:
            first, size = group.start, len(group)
            for alike in _runs(before[first : group.stop]):
                sums = []
                for member in alike:
                    mu = sigma = 0.0
                    for turn, one in enumerate(found):
                        place = one[first + (member - turn) % size]
                        mu += place[0]
                        sigma += place[1]
                    sums.append((mu, sigma))
                count = turns * len(alike)
                mean = Rating(
                    math.fsum([mu for mu, _ in sums]) / count, math.fsum([sigma for _, sigma in sums]) / count
                )
                new += [mean] * len(alike)
        return tuple(new)

    def rate_sides(
        self, settings: TrueSkillSettings, sides: Sequence[Sequence[Rating]], ranks: Sequence[int]
    ) -> list[list[Rating]]:
        """Return the ratings of the members of sides after one match; `ranks`: of sides, best first.

        A side performs as the sum of its members. Tied sides are treated as tied entries are.
        """
        _, chain = self._chains(settings)
        before = [[(member.mu, member.sigma) for member in side] for side in sides]
        parameters = _parameters(settings, 2 * len(before[0]))
        tied = _runs(ranks)
        turns = 1 if len(before) == 2 else math.lcm(*map(len, tied))
        found = []
        for turn in range(turns):
            turned = _turned(before, tied, turn)
            try:
                after = chain(parameters, turned, ranks)
            except (ArithmeticError, ValueError):
                return [list(side) for side in sides]
            found.append(_turned(after, tied, -turn))
        return [
            [
                Rating(*(math.fsum(values) / turns for values in zip(*ways, strict=True)))
                for ways in zip(*of_side, strict=True)
            ]
            for of_side in zip(*found, strict=True)
        ]


def _turned(before: Sequence[One], tied: Sequence[range], turn: int) -> Sequence[One]:
    """Return the ratings with those of each tied group moved on by some places."""
    if not turn:
        return before
    turned: list[One] = []
    for group in tied:
        first = group.start + turn % len(group)
        turned += before[first : group.stop]
        turned += before[group.start : first]
    return turned


def _rated(
    chain: Chain, parameters: Parameters, before: Sequence[tuple[float, float]], ranks: Sequence[int]
) -> Sequence[tuple[float, float]]:
    """Rate the entries, best first; where numbers fail, leave the ratings as they were."""
    try:
        after = chain(parameters, before, ranks)
    except (ArithmeticError, ValueError):
        return before
    for mu, sigma in after:
        if not (-math.inf < mu < math.inf and 0 < sigma < math.inf):
            return before
    return after


@cache
def _parameters(settings: TrueSkillSettings, compared: int = 2) -> Parameters:
    """Return the parameters of matches; `compared`: how many entries two sides have together."""
    package = trueskill.TrueSkill(
        settings.mu, settings.sigma, settings.beta, settings.tau, settings.draw_probability
    )
    margin = trueskill.calc_draw_margin(settings.draw_probability, compared, package)
    return Parameters(settings.beta, settings.tau, margin)


def _runs(values: Sequence[object]) -> list[range]:
    """Return the positions of each run of equal neighbours."""
    runs, start = [], 0
    for i in range(1, len(values)):
        if values[i] != values[i - 1]:
            runs.append(range(start, i))
            start = i
    runs.append(range(start, len(values)))
    return runs


RATING = TrueSkill()


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


@cache
def _by_the_package(settings: TrueSkillSettings) -> tuple[Chain, SideChain]:
    package = Package(settings.mu, settings.sigma, settings.beta, settings.tau, settings.draw_probability)

    def sides(
        _: Parameters, before: Sequence[Sequence[tuple[float, float]]], ranks: Sequence[int]
    ) -> list[list[tuple[float, float]]]:
        groups = [tuple([trueskill.Rating(mu, sigma) for mu, sigma in side]) for side in before]
        return [[(one.mu, one.sigma) for one in side] for side in package.rate(groups, ranks)]

    def entries(
        parameters: Parameters, before: Sequence[tuple[float, float]], ranks: Sequence[int]
    ) -> list[tuple[float, float]]:
        return [one for (one,) in sides(parameters, [(one,) for one in before], ranks)]

    return entries, sides


REFERENCE = TrueSkill(_by_the_package)
"""TrueSkill whose messages the package passes; ties are treated as in every league."""
