"""The 52 cards of Bread and Chocolate as small integers, and their names.

A card is its index in the order Ac Ad Ah As, 2c … Ks: 0 to 51, so a card's rank is card // 4 (ace 0, king 12).
"""

from collections.abc import Iterable

RANKS = "A23456789TJQK"
"""In ascending order, with the ace as one."""
SUITS = "cdhs"

NAMES = tuple(rank + suit for rank in RANKS for suit in SUITS)
"""Name of each card in messages."""
CARDS = {name: card for card, name in enumerate(NAMES)}
"""Card by name."""
RED = tuple(card % 4 in (1, 2) for card in range(52))
"""Whether each card is red: diamonds and hearts."""


def rank(card: int) -> int:
    """Return the rank of a card, from 0 for an ace to 12 for a king."""
    return card // 4


def names(cards: Iterable[int]) -> list[str]:
    """Return the names of cards, in the same order."""
    return [NAMES[card] for card in cards]
