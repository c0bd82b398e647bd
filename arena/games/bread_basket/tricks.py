"""Tricks in the line: sandwiches and soups, where they are and what they score (source 000)."""

from collections.abc import Sequence

from arena.games.bread_basket.cards import RANKS, VALUES

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
