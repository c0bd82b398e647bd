"""The 56 ingredients as small integers, their families, and how well families go together.

A card is its index in the data file `ingredients.toml`: 0 to 55, seven of each family in turn. With two boxes,
each is there twice, as the same integer. Figures are whole millionths, so that their sums are exact.
"""

from collections.abc import Sequence

from arena.core.game_files import read_toml

FAMILY_SIZE = 7
MILLION = 1_000_000
"""The figure 1 in millionths."""

_FILE = read_toml("arena.games.sandwich", "ingredients.toml")
_PAIRS: dict[frozenset[str], int] = {
    frozenset((family, other)): round(figure * MILLION)
    for family, row in _FILE["pairs"].items()
    for other, figure in row.items()
}

FAMILIES = tuple(_FILE["families"])
"""Name of each family in messages."""
FAMILY_COUNT = len(FAMILIES)
NAMES = tuple(name for members in _FILE["families"].values() for name in members)
"""Name of each card in messages, family by family."""
CARDS = {name: card for card, name in enumerate(NAMES)}
"""Card by name."""
FAMILY_NAME_OF = {name: FAMILIES[card // FAMILY_SIZE] for name, card in CARDS.items()}
"""The name of the family of each ingredient, by name."""
FAMILY_OF = tuple(card // FAMILY_SIZE for card in range(len(NAMES)))
"""Family of each card."""
PAIRS = tuple(tuple(_PAIRS[frozenset((one, other))] for other in FAMILIES) for one in FAMILIES)
"""For two families, what a pair of their cards adds to a sandwich, in millionths; symmetric."""
PAIRS_OF_CARDS = tuple(tuple(PAIRS[one][other] for other in FAMILY_OF) for one in FAMILY_OF)
"""The same by two cards."""


def names(cards: Sequence[int]) -> list[str]:
    """Return the names of cards, in the same order."""
    return [NAMES[card] for card in cards]
