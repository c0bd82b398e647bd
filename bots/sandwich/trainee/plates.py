"""Sandwiches from a hand: what they are worth, and which to make. Cards are numbers, 0 to 55, as in Arena's rules."""

from itertools import combinations

from arena.games.sandwich.ingredients import MILLION, NAMES, PAIRS_OF_CARDS

CARD_OF = {name: card for card, name in enumerate(NAMES)}
PAIRS = [[figure / MILLION for figure in row] for row in PAIRS_OF_CARDS]


def cards(names):
    return [CARD_OF[name] for name in names]


def together(three):
    """Return how well three ingredients go together, whoever eats them."""
    a, b, c = three
    return PAIRS[a][b] + PAIRS[a][c] + PAIRS[b][c]


def arranged(hand, value):
    """Return sandwiches of a hand that no exchange of two cards improves, and their total value.

    `value(place, three)` is the value of serving three cards as the sandwich with this number.
    """
    made = [list(hand[start : start + 3]) for start in range(0, len(hand) - 2, 3)]
    values = [value(place, three) for place, three in enumerate(made)]
    better = True
    while better:
        better = False
        for one, other in combinations(range(len(made)), 2):
            for x in range(3):
                for y in range(3):
                    first, second = made[one][:], made[other][:]
                    first[x], second[y] = second[y], first[x]
                    changed = value(one, first), value(other, second)
                    if sum(changed) > values[one] + values[other] + 1e-9:
                        made[one], made[other] = first, second
                        values[one], values[other] = changed
                        better = True
    return made, sum(values)


def serving(made):
    """Return the move that serves these sandwiches."""
    return {"type": "serve", "sandwiches": [[NAMES[card] for card in three] for three in made]}


def own_ranking(read_out, private):
    """Return the move that ranks sandwiches by the bot's own palate."""
    family_of = {name: family for family, names in private["families"].items() for name in names}

    def worth(names):
        liked = sum(private["likings"][family_of[name]] + private["quirks"][name] for name in names)
        return liked + together(cards(names))

    return {
        "type": "taste",
        "ranking": sorted(range(len(read_out)), key=lambda place: -worth(read_out[place])),
    }
