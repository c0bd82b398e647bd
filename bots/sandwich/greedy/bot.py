"""Sandwich: uses only the table of how well families go together, which is the same for everyone.

It grabs the card that goes best with its hand, makes the best sandwich it can, then the best
one from the remaining cards, and never trades.
"""

from itertools import combinations

from arena_kit import run


def choose(ask, game):
    view = ask["view"]
    if not hasattr(game, "pairs"):
        game.pairs = pair_figures(game.private)
    pairs = game.pairs
    if ask["kind"] == "grab":
        market, hand = view["market"], view["hands"][game.seat]
        order = sorted(range(len(market)), key=lambda place: -fit(market[place], hand, pairs))
        return {"type": "grab", "order": order}
    if ask["kind"] == "offer":
        return {"type": "no_offer"}
    if ask["kind"] == "answer":
        return {"type": "answer", "accept": []}
    if ask["kind"] == "serve":
        return {"type": "serve", "sandwiches": sandwiches(view["hands"][game.seat], pairs)}
    read_out = view["read_out"]
    ranking = sorted(range(len(read_out)), key=lambda place: -own_worth(read_out[place], pairs, game.private))
    return {"type": "taste", "ranking": ranking}


def pair_figures(private):
    """Return the pair figure of every two ingredients."""
    family_of = {name: family for family, names in private["families"].items() for name in names}
    return {
        one: {other: private["pairs"][family][family_of[other]] for other in family_of}
        for one, family in family_of.items()
    }


def fit(card, hand, pairs):
    """Return how well a card goes with the two cards of a hand that it goes best with."""
    return sum(sorted((pairs[card][other] for other in hand), reverse=True)[:2])


def sandwiches(hand, pairs):
    """Make sandwiches of all cards, each the best possible from the cards that are left."""
    left, made = list(hand), []
    while left:
        best = max(combinations(left, 3), key=lambda three: together(three, pairs))
        for card in best:
            left.remove(card)
        made.append(list(best))
    return made


def together(sandwich, pairs):
    """Return the sum of the three pair figures of a sandwich."""
    a, b, c = sandwich
    return pairs[a][b] + pairs[a][c] + pairs[b][c]


def own_worth(sandwich, pairs, private):
    """Return the value of a sandwich to the bot itself."""
    likings = sum(private["likings"][family] for name in sandwich for family in families_of(name, private))
    return together(sandwich, pairs) + likings + sum(private["quirks"][name] for name in sandwich)


def families_of(name, private):
    return [family for family, names in private["families"].items() if name in names]


run(choose)
