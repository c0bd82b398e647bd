"""Sandwich: judges cards and sandwiches by weights that were found by playing (benchmarks/trainee.py).

It thinks of no future: a card of the market is worth a weighted sum of what it is to the hand now, and so is a
sandwich to its receiver. It learns of tasters as the apprentice does, as fast as its weights say. It doesn't trade.
"""

from arena_kit import Bot, run
from plates import PAIRS, arranged, cards, own_ranking, serving, together
from weights import WEIGHTS

from arena.games.sandwich.ingredients import FAMILY_COUNT, FAMILY_OF


class Trainee(Bot):
    weights = WEIGHTS

    def start(self, game):
        self.likings = [[0.0] * FAMILY_COUNT for _ in range(game.seats)]

    def event(self, event):
        """Where a ranking surprises, move the likings towards it."""
        if event["kind"] != "tasted" or event["taster"] == self.game.seat:
            return
        likings, rate = self.likings[event["taster"]], self.weights["rate"]
        plates = [cards(names) for names in event["sandwiches"]]
        for place, better in enumerate(plates):
            for worse in plates[place + 1 :]:
                if self.worth(better, likings) - self.worth(worse, likings) < self.weights["sure"]:
                    for liked, disliked in zip(better, worse, strict=True):
                        likings[FAMILY_OF[liked]] += rate
                        likings[FAMILY_OF[disliked]] -= rate

    def move(self, ask):
        return getattr(self, ask["kind"])(ask["view"])

    def worth(self, three, likings):
        """Return what a sandwich is worth to a taster."""
        weights = self.weights
        a, b, c = (FAMILY_OF[card] for card in three)
        families = 1 + (a != b) + (c not in (a, b))
        alike = (0.0, weights["one family"], weights["two families"], 0.0)[families]
        return weights["pairs"] * together(three) + likings[a] + likings[b] + likings[c] + alike

    def wants(self, seat, market, hand, view):
        """Return what each card of the market is worth to a seat."""
        weights, seats, own = self.weights, self.game.seats, self.game.seat
        likings = [self.likings[(seat + to - own) % seats] for to in view["receivers"]]
        found = []
        for card in market:
            family = FAMILY_OF[card]
            liked = [one[family] for one in likings]
            pairs = [*sorted((PAIRS[card][other] for other in hand), reverse=True), 0.0, 0.0]
            found.append(
                weights["liked"] * max(liked)
                + weights["liked by all"] * sum(liked) / len(liked)
                + weights["best pair"] * pairs[0]
                + weights["next pair"] * pairs[1]
                + weights["all pairs"] * sum(pairs) / len(pairs)
                + weights["of its family"] * sum(FAMILY_OF[other] == family for other in hand)
            )
        return found

    def grab(self, view):
        """Rank the cards by their worth; one that somebody reaches for sooner counts for less."""
        market, hands = cards(view["market"]), [cards(names) for names in view["hands"]]
        own = self.game.seat
        worths = self.wants(own, market, hands[own], view)
        for seat in view["grab_order"]:
            if seat == own:
                break
            others = self.wants(seat, market, hands[seat], view)
            worths[others.index(max(others))] += self.weights["wanted before"]
        return {"type": "grab", "order": sorted(range(len(market)), key=lambda place: -worths[place])}

    def serve(self, view):
        likings = [self.likings[seat] for seat in view["receivers"]]
        hand = cards(view["hands"][self.game.seat])
        return serving(arranged(hand, lambda place, three: self.worth(three, likings[place]))[0])

    def offer(self, view):
        return {"type": "no_offer"}

    def answer(self, view):
        return {"type": "answer", "accept": []}

    def taste(self, view):
        return own_ranking(view["read_out"], self.game.private)


run(Trainee)
