"""The bot's beliefs about another player's palate.

A palate is 8 likings (normal, standard deviation 1) and 56 quirks (0.5). If one sandwich is
ranked above another, a linear function of them is positive. Given that, the belief is replaced
by the normal distribution with the same mean and covariance along that function. The covariance
is stored as the initial one minus a sum of squares.
"""

from itertools import pairwise
from math import erfc, exp, pi, sqrt

LIKING_VARIANCE = 1.0
QUIRK_VARIANCE = 0.25
FAMILIES = 8
FIGURES = 64


class Belief:
    """Mean and covariance of one palate: the likings, then the quirks."""

    def __init__(self, kitchen):
        self.kitchen = kitchen
        self.mean = [0.0] * FIGURES
        self.learned = []
        """Vectors whose squares are subtracted from the initial covariance."""

    def tastes(self):
        """Return the expected value of each card by itself."""
        mean = self.mean
        return [mean[family] + mean[FAMILIES + card] for card, family in enumerate(self.kitchen.family_of)]

    def learn(self, ranking):
        """Learn from a ranking of sandwiches, best first."""
        for better, worse in pairwise(ranking):
            self._learn_pair(better, worse)

    def _learn_pair(self, better, worse):
        direction = {}
        for cards, sign in ((better, 1.0), (worse, -1.0)):
            for card in cards:
                for figure in (self.kitchen.family_of[card], FAMILIES + card):
                    direction[figure] = direction.get(figure, 0.0) + sign
        spread = [0.0] * FIGURES
        for figure, weight in direction.items():
            spread[figure] = weight * (LIKING_VARIANCE if figure < FAMILIES else QUIRK_VARIANCE)
        for vector in self.learned:
            along = sum(weight * vector[figure] for figure, weight in direction.items())
            spread = [own - along * part for own, part in zip(spread, vector, strict=True)]
        variance = sum(weight * spread[figure] for figure, weight in direction.items())
        if variance < 1e-9:
            return
        offset = self.kitchen.together(better) - self.kitchen.together(worse)
        deviation = sqrt(variance)
        z = (offset + sum(weight * self.mean[figure] for figure, weight in direction.items())) / deviation
        pull = density(z) / max(probability(z), 1e-12)
        shrink = min(1.0, max(0.0, pull * (pull + z)))
        self.mean = [own + pull / deviation * part for own, part in zip(self.mean, spread, strict=True)]
        factor = sqrt(shrink / variance)
        self.learned.append([factor * part for part in spread])


def density(z):
    return exp(-z * z / 2) / sqrt(2 * pi)


def probability(z):
    """Return the probability that a standard normal number is below z."""
    return erfc(-z / sqrt(2)) / 2
