"""The rank test: among guesses that are distributed as the truth is, the truth has every rank equally often.

Talts and others, "Validating Bayesian inference algorithms with simulation-based calibration", 2018. Ties are broken at
random. Guesses that are too narrow, too wide or shifted, or too much like each other, make some ranks too frequent.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import sqrt

from arena.core.chance import Rng

GUESSES = 15
"""Guesses for each truth: 16 ranks."""
Figures = Mapping[Hashable, float]
"""What is compared, by name."""


class Ranks:
    """Counts the ranks of true figures among guessed ones."""

    def __init__(self, rng: Rng) -> None:
        self._rng = rng
        self.counts: dict[Hashable, Counter[int]] = defaultdict(Counter)

    def add(self, truth: Figures, guesses: Sequence[Figures]) -> None:
        """Take the figures of one truth and of `GUESSES` guesses."""
        assert len(guesses) == GUESSES
        for name, figure in truth.items():
            others = [guess[name] for guess in guesses]
            below = sum([other < figure for other in others])
            ties = sum([other == figure for other in others])
            self.counts[name][below + self._rng.randrange(ties + 1)] += 1

    def worst(self) -> tuple[float, Hashable]:
        """Return by how many standard deviations chi-squared is too large, for the figure where it is the most."""
        return max(
            [(too_large(count.values(), GUESSES + 1), name) for name, count in self.counts.items()],
            key=lambda one: one[0],
        )

    def mean(self) -> float:
        """Return the same on average over all figures."""
        found = [too_large(count.values(), GUESSES + 1) for count in self.counts.values()]
        return sum(found) / len(found)


def too_large(counts: Iterable[int], cells: int) -> float:
    """Return (chi-squared − its mean) ÷ its standard deviation, for cells that are equally likely."""
    found = list(counts)
    expected = sum(found) / cells
    chi = sum([(count - expected) ** 2 for count in found]) / expected + (cells - len(found)) * expected
    return (chi - (cells - 1)) / sqrt(2 * (cells - 1))
