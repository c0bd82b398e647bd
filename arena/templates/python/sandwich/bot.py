"""Sandwich: combines ingredients that go well together, and never trades."""

from itertools import combinations

from arena_kit import run


def choose(ask, game):
    view = ask["view"]
    tables = game.private
    if ask["kind"] == "grab":
        market, hand = view["market"], view["hands"][game.seat]
        order = sorted(range(len(market)), key=lambda place: -best_pairs(market[place], hand, tables))
        return {"type": "grab", "order": order}
    if ask["kind"] == "offer":
        return {"type": "no_offer"}
    if ask["kind"] == "answer":
        return {"type": "answer", "accept": []}
    if ask["kind"] == "serve":
        return {"type": "serve", "sandwiches": sandwiches(view["hands"][game.seat], tables)}
    read_out = view["read_out"]
    ranking = sorted(range(len(read_out)), key=lambda place: -worth_to_me(read_out[place], tables))
    return {"type": "taste", "ranking": ranking}


def family_of(card, tables):
    return next(family for family, cards in tables["families"].items() if card in cards)


def pair(one, other, tables):
    """Return how well two ingredients go together."""
    return tables["pairs"][family_of(one, tables)][family_of(other, tables)]


def best_pairs(card, hand, tables):
    """Return how well a card goes with the two cards of the hand that suit it best."""
    return sum(sorted((pair(card, other, tables) for other in hand), reverse=True)[:2])


def together(sandwich, tables):
    return sum(pair(one, other, tables) for one, other in combinations(sandwich, 2))


def sandwiches(hand, tables):
    """Make sandwiches of all cards, each the best possible from the cards that are left."""
    left, made = list(hand), []
    while left:
        best = max(combinations(left, 3), key=lambda three: together(three, tables))
        for card in best:
            left.remove(card)
        made.append(list(best))
    return made


def worth_to_me(sandwich, tables):
    """Return the worth of a sandwich to your own palate."""
    likings = sum(tables["likings"][family_of(card, tables)] for card in sandwich)
    return together(sandwich, tables) + likings + sum(tables["quirks"][card] for card in sandwich)


if __name__ == "__main__":
    run(choose)
