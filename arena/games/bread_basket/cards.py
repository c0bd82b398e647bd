"""The cards of Bread Basket as small integers, their names, values and decks (source 000).

A card is its index in the order Onion, 1 … 10, Chef: 0 to 11. Identical cards are the same integer.
"""

ONION = 0
TEN = 10
CHEF = 11
COPIES = 5
"""How many of each card a deck has, if it has any."""

NAMES = ("O", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "C")
"""Name of each card in messages."""
CARDS = {name: card for card, name in enumerate(NAMES)}
"""Card by name."""
RANKS = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10)
"""Ranks for comparison: the Onion is lower than every other card, a Chef equals a 10."""
VALUES = (-5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10)
"""Points of each card inside a sandwich."""

_KINDS = {
    "tens": (*range(TEN), CHEF),
    "none": tuple(range(CHEF)),
    "extra": tuple(range(CHEF + 1)),
}


def deck(chefs: str) -> tuple[str, ...]:
    """Return the names of a deck's cards before the shuffle: O, 1, 2, … and the Chefs last, five of each.

    `chefs` is the option of that name: tens (55 cards, the Chefs are the tens), none (55), extra (60).
    """
    return tuple(NAMES[card] for card in _KINDS[chefs] for _ in range(COPIES))


def names(cards: list[int]) -> list[str]:
    """Return the names of cards, in the same order."""
    return [NAMES[card] for card in cards]
