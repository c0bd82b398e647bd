"""Bread and Chocolate: plays the card that leaves the smallest hand, and discards the lowest numbers."""

from arena_kit import run

RANKS = "A23456789TJQK"
NUMBER = {rank: place + 1 if place < 10 else 0 for place, rank in enumerate(RANKS)}
AVERAGE_COST = 8  # of a card in shram


def choose(ask, game):
    view = ask["view"]
    if ask["kind"] == "opening":
        return {"type": "pass"}
    if ask["kind"] == "discard":
        # Keep the high cards: played one below the top, they discard most.
        by_number = sorted(view["hand"], key=lambda card: NUMBER[card[0]])
        return {"type": "discard", "cards": by_number[: view["discard"]]}
    growth = cost_growth if game.options["rules"] == "shram" else hand_growth
    return min(ask["legal"], key=lambda move: growth(move["card"], view["up"], game.options))


def hand_growth(card, up, options):
    """Return by how many cards the hand grows when you play a card, in `pagat` and `gamerules`."""
    steps = (RANKS.index(card[0]) - RANKS.index(up[0])) % 13
    if steps == 1:  # one above: draw
        return NUMBER[card[0]] - 1
    return -NUMBER[card[0]] - 1 if steps == 12 else -1  # one below: discard


def cost_growth(card, up, options):
    """Return by how much the cost of the hand grows when you play a card, in `shram`."""
    high = (10, 10, 10, 10, 11) if options["values"] == "note" else (10, 11, 12, 13, 14)
    cost = high["TJQKA".index(card[0])] if card[0] in "TJQKA" else int(card[0])
    same_colour = (card[1] in "dh") == (up[1] in "dh")
    return (cost * AVERAGE_COST if same_colour else 0) - cost


if __name__ == "__main__":
    run(choose)
