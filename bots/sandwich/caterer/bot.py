"""Sandwich: imagines palates that agree with all tastings, and serves to outdo the other cooks.

Points go by rank, so it counts the sandwiches of others that its own will beat, not how good they
are. The hands of the other cooks lie open: it supposes that each makes the best of its own by the
table of families. For a grab, it plays the rest of the market out, the remaining cards falling
at random, up to the serving.
"""

from math import exp
from time import monotonic

from arena_kit import Bot, run
from plates import PAIRS, arranged, cards, own_ranking, serving, together

from arena.games.sandwich.ingredients import MILLION
from arena.games.sandwich.palate_guessing import guess_palate

PALATES = 10  # imagined for each receiver
FUTURES = 8  # ways for the rest of the pile to fall, for each grab
CLOSE = 1.5  # a lead in worth with which a sandwich is ranked higher with a chance of 73 %


class Caterer(Bot):
    def start(self, game):
        self.rankings = [[] for _ in range(game.seats)]
        self.palates = [None] * game.seats
        self.box = list(range(56)) * game.options["boxes"]

    def event(self, event):
        if event["kind"] == "tasted":
            self.rankings[event["taster"]].append([tuple(cards(names)) for names in event["sandwiches"]])
            self.palates[event["taster"]] = None

    def move(self, ask):
        self.until = monotonic() + ask["time"]["move_ms"] / 3000  # a third of the time for one move
        return getattr(self, ask["kind"])(ask["view"])

    def tastes(self, seat):
        """Return what each card alone is worth to a seat, in each of its imagined palates."""
        if self.palates[seat] is None:
            self.palates[seat] = []
            while len(self.palates[seat]) < PALATES:
                palate = guess_palate(self.rankings[seat], self.game.rng)
                self.palates[seat].append([figure / MILLION for figure in palate.tastes])
                if monotonic() > self.until:
                    break
        return self.palates[seat]

    def expected(self, receivers):
        """Return, for each receiver, the mean of what each card alone is worth to it."""
        return [
            [sum(card) / len(card) for card in zip(*self.tastes(seat), strict=True)] for seat in receivers
        ]

    def best(self, hand, receivers):
        """Return the sandwiches of a hand with the most expected worth to their receivers, and this worth."""
        likings = self.expected(receivers)
        return arranged(hand, lambda place, three: worth(three, likings[place]))

    def rivals(self, hands, receivers):
        """Return, for each receiver, the sandwiches that the other cooks are likely to serve it."""
        seats, own = self.game.seats, self.game.seat
        found = [[] for _ in receivers]
        for seat in range(seats):
            served = [(seat + to - own) % seats for to in receivers]
            if seat == own or not set(served) & set(receivers):
                continue
            made, _ = arranged(hands[seat], lambda _, three: together(three))
            for to, three in zip(served, made, strict=True):
                for place, receiver in enumerate(receivers):
                    if receiver == to:
                        found[place].append(three)
        return found

    def beaten(self, place, three, seat, rivals):
        """Return how many sandwiches of rivals the one for a receiver can be expected to beat."""
        total = 0.0
        tastes = self.tastes(seat)
        for likings in tastes:
            own = worth(three, likings)
            total += sum(1 / (1 + exp((worth(other, likings) - own) / CLOSE)) for other in rivals[place])
        return total / len(tastes)

    def outdoing(self, hand, receivers, rivals):
        """Return sandwiches that beat as many of the rivals' as can be expected, and their number."""
        start = [card for three in self.best(hand, receivers)[0] for card in three]
        known = {}

        def value(place, three):
            key = place, *sorted(three)
            if key not in known:
                late = monotonic() > self.until
                known[key] = 0.0 if late else self.beaten(place, three, receivers[place], rivals)
            return known[key]

        return arranged(start, value)

    def serve(self, view):
        hands = [cards(names) for names in view["hands"]]
        rivals = self.rivals(hands, view["receivers"])
        return serving(self.outdoing(hands[self.game.seat], view["receivers"], rivals)[0])

    def grab(self, view):
        """Rank the cards by the rivals' sandwiches that are beaten with each, if the rest falls at random."""
        seats, own, receivers = self.game.seats, self.game.seat, view["receivers"]
        market, hands = cards(view["market"]), [cards(names) for names in view["hands"]]
        unseen = self.box[:]
        for card in [*market, *(card for hand in hands for card in hand)]:
            unseen.remove(card)
        total = [0.0] * seats
        likings = self.expected(receivers)
        for _ in range(FUTURES):
            rest = self.game.rng.sample(unseen, view["pile"] * seats)
            falls = [rest[seat::seats] for seat in range(seats)]
            dealt = self.game.rng.sample(market, seats)
            full = [hand + fall + [card] for hand, fall, card in zip(hands, falls, dealt, strict=True)]
            rivals = self.rivals(full, receivers)
            for place, card in enumerate(market):
                made, _ = arranged(
                    [card, *hands[own], *falls[own]], lambda number, three: worth(three, likings[number])
                )
                total[place] += sum(
                    self.beaten(number, three, receivers[number], rivals) for number, three in enumerate(made)
                )
            if monotonic() > self.until:
                break
        return {"type": "grab", "order": sorted(range(seats), key=lambda place: -total[place])}

    def offer(self, view):
        return {"type": "no_offer"}

    def answer(self, view):
        """Accept the one offer after which the most sandwiches of rivals are beaten, if any."""
        own, receivers = self.game.seat, view["receivers"]
        hands = [cards(names) for names in view["hands"]]
        rivals = self.rivals(hands, receivers)
        best, accept = self.outdoing(hands[own], receivers, rivals)[1] + 0.1, []
        for offer in view["offers"]:
            if offer["to"] == own:
                want, give = cards([offer["want"], offer["give"]])
                changed = [give if card == want else card for card in hands[own]]
                beaten = self.outdoing(changed, receivers, rivals)[1]
                if beaten > best:
                    best, accept = beaten, [offer["number"]]
        return {"type": "answer", "accept": accept}

    def taste(self, view):
        return own_ranking(view["read_out"], self.game.private)


def worth(three, likings):
    a, b, c = three
    return likings[a] + likings[b] + likings[c] + PAIRS[a][b] + PAIRS[a][c] + PAIRS[b][c]


run(Caterer)
