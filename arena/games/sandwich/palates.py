"""Palates: what a sandwich is worth to a seat, and how a seat ranks sandwiches (our decision).

The source leaves taste to the people at the table. Here each seat has a liking for each family, normal with
mean 0 and standard deviation 1, and a quirk for each ingredient, normal with mean 0 and 0.5, for the whole
game. All sums are in whole millionths.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from arena.core.chance import Chance
from arena.games.sandwich.ingredients import FAMILY_COUNT, FAMILY_OF, MILLION, NAMES, PAIRS_OF_CARDS

LIKING_SIGMA = 1.0
QUIRK_SIGMA = 0.5
DECIMALS = 6

Sandwich = tuple[int, int, int]
"""Three cards, in the order their maker named them."""


@dataclass(frozen=True)
class Palate:
    """The tastes of one seat, in millionths."""

    likings: tuple[int, ...]
    """By family."""
    quirks: tuple[int, ...]
    """By ingredient."""

    @cached_property
    def tastes(self) -> tuple[int, ...]:
        """What each card alone is worth to the seat: the liking for its family plus the quirk."""
        return tuple([self.likings[FAMILY_OF[card]] + quirk for card, quirk in enumerate(self.quirks)])

    def worth(self, sandwich: Sandwich) -> int:
        """Return what a sandwich is worth: its three ingredients and its three pairs."""
        a, b, c = sandwich
        tastes, pairs = self.tastes, PAIRS_OF_CARDS
        return tastes[a] + tastes[b] + tastes[c] + pairs[a][b] + pairs[a][c] + pairs[b][c]

    def ranking(self, sandwiches: Sequence[Sandwich]) -> tuple[int, ...]:
        """Return the indices of the sandwiches, best first; equal ones in their given order."""
        worths = [self.worth(sandwich) for sandwich in sandwiches]
        return tuple(sorted(range(len(worths)), key=lambda place: -worths[place]))


def draw_palate(chance: Chance, seat: int) -> Palate:
    """Return the palate of a seat, drawn from the streams `likings/SEAT` and `quirks/SEAT`."""
    likings = chance.normals(f"likings/{seat}", FAMILY_COUNT, LIKING_SIGMA, DECIMALS)
    quirks = chance.normals(f"quirks/{seat}", len(NAMES), QUIRK_SIGMA, DECIMALS)
    return Palate(millionths(likings), millionths(quirks))


def millionths(figures: Sequence[float]) -> tuple[int, ...]:
    """Return figures as whole millionths."""
    return tuple([round(figure * MILLION) for figure in figures])


def figure(millionths: int) -> float:
    """Return whole millionths as a figure for messages, with at most six decimals."""
    return millionths / MILLION
