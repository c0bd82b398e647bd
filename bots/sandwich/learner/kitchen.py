"""The value of sandwiches, and the best sandwiches from a hand. Cards are numbers, 0 to 55."""

from itertools import combinations

TRIPLES_OF_9 = list(combinations(range(9), 3))
TRIPLES_OF_12 = list(combinations(range(12), 3))


class Kitchen:
    """The ingredients of a game, from the message that starts it."""

    def __init__(self, private):
        self.families = list(private["families"])
        self.names = [name for names in private["families"].values() for name in names]
        self.card_of = {name: card for card, name in enumerate(self.names)}
        families = [family for family, names in private["families"].items() for _ in names]
        self.family_of = [self.families.index(family) for family in families]
        self.pairs = [[private["pairs"][one][other] for other in families] for one in families]

    def cards(self, names):
        return [self.card_of[name] for name in names]

    def together(self, sandwich):
        """Return the sum of the three pair figures of a sandwich."""
        a, b, c = sandwich
        row = self.pairs[a]
        return row[b] + row[c] + self.pairs[b][c]

    def worth(self, sandwich, tastes):
        """Return the value of a sandwich to a player; `tastes` holds the value of each card by itself."""
        a, b, c = sandwich
        row = self.pairs[a]
        return tastes[a] + tastes[b] + tastes[c] + row[b] + row[c] + self.pairs[b][c]

    def best_serving(self, hand, receivers):
        """Return the sandwiches of a hand of 9 or 12 with the highest total value; `receivers` are their tastes."""
        triples = TRIPLES_OF_9 if len(hand) == 9 else TRIPLES_OF_12
        found = _best_for_three if len(hand) == 9 else _best_for_two
        together = [self.together((hand[a], hand[b], hand[c])) for a, b, c in triples]
        worths = []
        for tastes in receivers if len(hand) == 9 else (receivers[0], receivers[2]):
            own = [tastes[card] for card in hand]
            worths.append(
                [pairs + own[a] + own[b] + own[c] for pairs, (a, b, c) in zip(together, triples, strict=True)]
            )
        return [[hand[place] for place in triples[number]] for number in found(worths)]

    def good_serving(self, hand, receivers):
        """Quickly find sandwiches that no exchange of two cards improves; return them and their total value."""
        sandwiches = [list(hand[start : start + 3]) for start in range(0, len(hand), 3)]
        worths = [self.worth(one, tastes) for one, tastes in zip(sandwiches, receivers, strict=True)]
        pairs = self.pairs
        better = True
        while better:
            better = False
            for i, j in combinations(range(len(sandwiches)), 2):
                one, other = sandwiches[i], sandwiches[j]
                t, u = receivers[i], receivers[j]
                now = worths[i] + worths[j] + 1e-9
                for x in range(3):
                    b, c = one[x - 1], one[x - 2]
                    with_one = pairs[b][c] + t[b] + t[c]
                    b_row, c_row = pairs[b], pairs[c]
                    for y in range(3):
                        e, f = other[y - 1], other[y - 2]
                        a, d = one[x], other[y]
                        first = with_one + t[d] + b_row[d] + c_row[d]
                        row = pairs[a]
                        second = u[a] + u[e] + u[f] + row[e] + row[f] + pairs[e][f]
                        if first + second > now:
                            one[x], other[y] = d, a
                            worths[i], worths[j] = first, second
                            now = first + second + 1e-9
                            better = True
        return sandwiches, sum(worths)


def _partitions():
    """Return every way to give three triples of nine cards to three receivers, as numbers of triples."""
    number = {triple: index for index, triple in enumerate(TRIPLES_OF_9)}
    ways = []
    for first, one in number.items():
        rest = [place for place in range(9) if place not in first]
        for second in combinations(rest, 3):
            third = tuple(place for place in rest if place not in second)
            ways.append((one, number[second], number[third]))
    return ways


def _halves():
    """Return every six of twelve places as (the ways to split it into two triples, those of the other six)."""
    number = {triple: index for index, triple in enumerate(TRIPLES_OF_12)}
    splits = {}
    for six in combinations(range(12), 6):
        splits[six] = [
            (number[three], number[tuple(place for place in six if place not in three)])
            for three in combinations(six, 3)
            if three[0] == six[0]
        ]
    return [(splits[six], splits[tuple(place for place in range(12) if place not in six)]) for six in splits]


PARTITIONS = _partitions()
HALVES = _halves()


def _best_for_three(worths):
    a, b, c = worths
    return max(PARTITIONS, key=lambda way: a[way[0]] + b[way[1]] + c[way[2]])


def _best_for_two(worths):
    left, right = worths
    best, found = float("-inf"), ()
    for first, second in HALVES:
        one = max(first, key=lambda split: left[split[0]] + left[split[1]])
        two = max(second, key=lambda split: right[split[0]] + right[split[1]])
        total = left[one[0]] + left[one[1]] + right[two[0]] + right[two[1]]
        if total > best:
            best, found = total, (*one, *two)
    return found
