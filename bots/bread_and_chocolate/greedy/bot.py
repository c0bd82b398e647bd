"""Bread and Chocolate: plays the card that leaves it with the smallest hand, and remembers nothing.

The size of a hand is its number of cards, or in `shram` their cost, with the average cost
for each card that it has to draw. It passes in the opening, and discards the cards that help
least to get rid of others: courts, which take none along, then high numbers.
"""

from arena_kit import run

RANKS = "A23456789TJQK"
AVERAGE_COST = 8  # of a card in shram
NUMBER = {rank: (place + 1 if place < 10 else 0) for place, rank in enumerate(RANKS)}


def choose(ask, game):
    view = ask["view"]
    if ask["kind"] == "opening":
        return {"type": "pass"}
    if ask["kind"] == "discard":
        worst_first = sorted(view["hand"], key=lambda card: NUMBER[card[0]] or 11, reverse=True)
        return {"type": "discard", "cards": worst_first[: view["discard"]]}
    left = left_in_shram if game.options["rules"] == "shram" else left_over
    return min(ask["legal"], key=lambda move: left(move["card"], view["up"], game.options))


def left_over(card, top, options):
    """Return by how many cards the hand grows if a card is played, in `pagat` and `gamerules`."""
    steps = (RANKS.index(card[0]) - RANKS.index(top[0])) % 13
    if steps == 1:
        return NUMBER[card[0]] - 1
    return -NUMBER[card[0]] - 1 if steps == 12 else -1


def left_in_shram(card, top, options):
    """Return by how much the cost of the hand grows if a card is played."""
    cost = cost_of(card, options["values"])
    same_colour = (card[1] in "dh") == (top[1] in "dh")
    return (cost * AVERAGE_COST if same_colour else 0) - cost


def cost_of(card, values):
    if card[0] in "TJQKA":
        high = {"ranks": (10, 11, 12, 13, 14), "note": (10, 10, 10, 10, 11)}[values]
        return high["TJQKA".index(card[0])]
    return int(card[0])


run(choose)
