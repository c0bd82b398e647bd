"""The complete state of a game of Bread Basket."""

from collections.abc import Sequence
from dataclasses import dataclass

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

_KINDS = {"tens": (*range(TEN), CHEF), "none": tuple(range(CHEF)), "extra": tuple(range(CHEF + 1))}


def deck(chefs: str) -> tuple[str, ...]:
    """Return the names of a deck's cards before the shuffle: O, 1, 2, … and the Chefs last, five of each.

    `chefs` is the option of that name: tens (55 cards, the Chefs are the tens), none (55), extra (60).
    """
    return tuple(NAMES[card] for card in _KINDS[chefs] for _ in range(COPIES))


def names(cards: list[int]) -> list[str]:
    """Return the names of cards, in the same order."""
    return [NAMES[card] for card in cards]


SHORTEST = 4
"""The fewest cards in a trick."""


def trick_start(line: Sequence[int], last: int) -> int:
    """Return the position of the first card of the trick that ends at position `last`, or −1 if there is none.

    A trick is four or more adjacent cards with ends of equal rank and all cards inside strictly lower
    or all strictly higher. Since no inside card equals the ends, at most one trick ends at a card.
    """
    end = RANKS[line[last]]
    first = last - 1
    if last < SHORTEST - 1:
        return -1
    rank = RANKS[line[first]]
    if rank < end:
        while rank < end and first:
            first -= 1
            rank = RANKS[line[first]]
    else:
        while rank > end and first:
            first -= 1
            rank = RANKS[line[first]]
    return first if rank == end and last - first >= SHORTEST - 1 else -1


def gains(line: Sequence[int]) -> list[int]:
    """Return, for each rank, the points of the trick that a card of it would take at the end of the line; 0: none.

    Seen from the end, a card is the far end of a sandwich if it is higher than all behind it, and of a soup if lower.
    """
    points = [0] * (TEN + 1)
    highest, lowest, inside = -1, CHEF, 2
    for count, card in enumerate(reversed(line)):
        rank = RANKS[card]
        if rank > highest:
            if count > 1:
                points[rank] = inside
            highest = rank
            if not count:
                lowest = rank
        elif rank < lowest:
            if count > 1:
                points[rank] = count + 2
            lowest = rank
        inside += VALUES[card]
    return points


def longest_trick(line: Sequence[int], gap: int) -> tuple[int, int] | None:
    """Return the first and last position of the trick to take after cards left the line, or None.

    `gap` is the position of the card behind the place where they left. The line held no trick before, so
    any trick now spans that place. The longest trick counts; among equally long ones, the one nearest the
    front (decided; source 000 does not say).
    """
    best: tuple[int, int] | None = None
    for last in range(max(gap, SHORTEST - 1), len(line)):
        first = trick_start(line, last)
        if first >= 0 and (best is None or last - first > best[1] - best[0]):
            best = first, last
    return best


def worth(cards: Sequence[int]) -> tuple[str, int]:
    """Return the kind of a trick, `sandwich` or `soup`, and its points.

    A sandwich scores the values of the cards inside and 1 for each end, a soup 1 for each card.
    """
    if RANKS[cards[1]] > RANKS[cards[0]]:
        return "soup", len(cards)
    return "sandwich", sum([VALUES[card] for card in cards[1:-1]]) + 2


@dataclass(slots=True)
class State:
    """The state of a game. `decks`, `stock` and `chef_second` never change; everything else changes in place."""

    decks: tuple[tuple[int, ...], ...]
    """The shuffled deck of each hand of the game; past ones may be empty."""
    hand_no: int
    """The current hand of the game, from 0."""
    stock: tuple[int, ...]
    stock_at: int
    """The stock is the rest of `stock` from this position on."""
    held: list[list[int]]
    """The cards each seat holds, in the order they came."""
    line: list[int]
    """Oldest card first."""
    aside: int
    """Chefs laid aside in this hand."""
    to_move: int
    """Whose turn it is; NOTHING after the last hand."""
    played: int
    """The first card of this turn; NOTHING before it is played."""
    scores: list[int]
    """Points of each seat in all hands so far, including this one."""
    before: tuple[int, ...]
    """The scores when this hand was dealt."""
    chef_second: bool = False
    """Whether a Chef's ability may follow a first card."""

    def copy(self) -> "State":
        """Return an independent copy."""
        return State(
            self.decks,
            self.hand_no,
            self.stock,
            self.stock_at,
            [cards[:] for cards in self.held],
            self.line[:],
            self.aside,
            self.to_move,
            self.played,
            self.scores[:],
            self.before,
            self.chef_second,
        )

    @property
    def dealer(self) -> int:
        """The seat that dealt this hand: the right neighbour of the seat that begins."""
        return (self.hand_no - 1) % len(self.held)

    @property
    def stock_count(self) -> int:
        """How many cards are left in the stock."""
        return len(self.stock) - self.stock_at
