"""Sandwich: changes its mind about a taster only when a ranking surprises it.

For every taster it keeps a liking of each family, at first none. If a taster ranks one sandwich
above another, and the bot would have thought otherwise or was not sure, it likes the families of
the first a little better for this taster, and those of the second a little less: a perceptron.
It grabs, trades and serves by what it believes.
"""

from arena_kit import Bot, run
from plates import arranged, cards, own_ranking, serving, together

from arena.games.sandwich.ingredients import FAMILY_COUNT, FAMILY_OF

RATE = 0.3  # change of a liking for each ingredient
SURE = 1.0  # a lead in worth that is no surprise any more
FUTURES = 4  # ways for the rest of the pile to fall, for each grab
LEAST_GAIN = 0.2  # for a trade


class Apprentice(Bot):
    def start(self, game):
        self.likings = [[0.0] * FAMILY_COUNT for _ in range(game.seats)]
        self.box = list(range(56)) * game.options["boxes"]

    def event(self, event):
        if event["kind"] != "tasted" or event["taster"] == self.game.seat:
            return
        likings = self.likings[event["taster"]]
        plates = [cards(names) for names in event["sandwiches"]]
        for place, better in enumerate(plates):
            for worse in plates[place + 1 :]:
                if worth(better, likings) - worth(worse, likings) < SURE:
                    for liked, disliked in zip(better, worse, strict=True):
                        likings[FAMILY_OF[liked]] += RATE
                        likings[FAMILY_OF[disliked]] -= RATE

    def move(self, ask):
        return getattr(self, ask["kind"])(ask["view"])

    def best(self, hand, receivers):
        """Return the best sandwiches of a hand for these receivers, and their total worth."""
        likings = [self.likings[seat] for seat in receivers]
        return arranged(hand, lambda place, three: worth(three, likings[place]))

    def grab(self, view):
        """Rank the cards by what the whole hand may become with each."""
        market = cards(view["market"])
        hand = cards(view["hands"][self.game.seat])
        unseen = self.box[:]
        for card in [*market, *(card for names in view["hands"] for card in cards(names))]:
            unseen.remove(card)
        total = [0.0] * len(market)
        for _ in range(FUTURES if view["pile"] else 1):
            rest = hand + self.game.rng.sample(unseen, view["pile"])
            for place, card in enumerate(market):
                total[place] += self.best([card, *rest], view["receivers"])[1]
        return {"type": "grab", "order": sorted(range(len(market)), key=lambda place: -total[place])}

    def offer(self, view):
        return {"type": "no_offer"}

    def answer(self, view):
        """Accept the offers that make the hand better, the best first."""
        hand = cards(view["hands"][self.game.seat])
        now = self.best(hand, view["receivers"])[1]
        gains = {}
        for offer in view["offers"]:
            if offer["to"] == self.game.seat:
                want, give = cards([offer["want"], offer["give"]])
                changed = [give if card == want else card for card in hand]
                gains[offer["number"]] = self.best(changed, view["receivers"])[1] - now
        accept = sorted([number for number in gains if gains[number] > LEAST_GAIN], key=lambda n: -gains[n])
        return {"type": "answer", "accept": accept}

    def serve(self, view):
        return serving(self.best(cards(view["hands"][self.game.seat]), view["receivers"])[0])

    def taste(self, view):
        return own_ranking(view["read_out"], self.game.private)


def worth(three, likings):
    a, b, c = three
    return together(three) + likings[FAMILY_OF[a]] + likings[FAMILY_OF[b]] + likings[FAMILY_OF[c]]


run(Apprentice)
