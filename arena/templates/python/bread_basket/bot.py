"""Bread Basket: takes the trick with the most points, or else plays its lowest card."""

from arena_kit import run

RANK = {"O": 0, "C": 10, **{str(number): number for number in range(1, 11)}}
VALUE = {**RANK, "O": -5}


def choose(ask, game):
    plays = [move for move in ask["legal"] if move["type"] == "play"]
    line = ask["view"]["line"]
    best = max(plays, key=lambda move: points_of(line, move["card"]))  # the lowest of equally good cards
    if points_of(line, best["card"]) > 0:
        return best
    if ask["kind"] == "second_card":
        return {"type": "stop"}
    return plays[0]  # the lowest card


def points_of(line, card):
    """Return the points that a card brings at the end of the line."""
    end = RANK[card]
    ranks = [RANK[other] for other in line]
    if end not in ranks:
        return 0
    start = len(ranks) - 1 - ranks[::-1].index(end)
    inside = line[start + 1 :]
    if len(inside) < 2:
        return 0
    if all(RANK[other] < end for other in inside):  # a sandwich
        return 2 + sum(VALUE[other] for other in inside)
    if all(RANK[other] > end for other in inside):  # a soup
        return 2 + len(inside)
    return 0


if __name__ == "__main__":
    run(choose)
