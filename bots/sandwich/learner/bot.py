"""Sandwich: learns its neighbours' palates from every tasting, and uses them to grab, trade and serve.

    python3 bot.py [--no-learning]

With `--no-learning`, the same bot always believes that everyone likes all ingredients equally,
so that only the table of how families go together counts.
"""

import sys

from arena_kit import Bot, run
from beliefs import Belief
from kitchen import Kitchen

LEARNING = "--no-learning" not in sys.argv[1:]
EVALUATIONS = 24
"""Hands evaluated for one grab: cards on the market times random ways for the rest of the pile to fall."""
LEAST_GAIN = 0.15
"""Minimum gain for a trade to be worth it, as beliefs are uncertain."""


class Learner(Bot):
    learning = LEARNING

    def start(self, game):
        self.kitchen = Kitchen(game.private)
        self.beliefs = [self.make_belief() for _ in range(game.seats)]
        self.boxes = list(range(len(self.kitchen.names))) * game.options["boxes"]

    def make_belief(self):
        return Belief(self.kitchen)

    def event(self, event):
        if event["kind"] == "tasted" and self.learning and event["taster"] != self.game.seat:
            ranking = [self.kitchen.cards(sandwich) for sandwich in event["sandwiches"]]
            self.beliefs[event["taster"]].learn(ranking)

    def move(self, ask):
        return getattr(self, ask["kind"])(ask["view"])

    def tastes_of(self, seats):
        return [self.beliefs[seat].tastes() for seat in seats]

    def hand(self, view, seat):
        return self.kitchen.cards(view["hands"][seat])

    def grab(self, view):
        """Rank the cards by the value of the hand with each, if the rest of the pile falls at random."""
        market = self.kitchen.cards(view["market"])
        hand = self.hand(view, self.game.seat)
        receivers = self.tastes_of(view["receivers"])
        unseen = list(self.boxes)
        for card in [*market, *(card for seat in range(self.game.seats) for card in self.hand(view, seat))]:
            unseen.remove(card)
        worths = [0.0] * len(market)
        for _ in range(max(2, EVALUATIONS // len(market)) if view["pile"] else 1):
            rest = hand + self.game.rng.sample(unseen, view["pile"])
            for place, card in enumerate(market):
                worths[place] += self.kitchen.good_serving([*rest, card], receivers)[1]
        return {"type": "grab", "order": sorted(range(len(market)), key=lambda place: -worths[place])}

    def serve(self, view):
        sandwiches = self.kitchen.best_serving(
            self.hand(view, self.game.seat), self.tastes_of(view["receivers"])
        )
        names = self.kitchen.names
        return {"type": "serve", "sandwiches": [[names[card] for card in one] for one in sandwiches]}

    def offer(self, view):
        """Offer the exchange with the largest expected gain for both, unless the gain is too small."""
        own = self.planned(view, self.game.seat)
        best, found = LEAST_GAIN, None
        for seat in range(self.game.seats):
            if seat == self.game.seat:
                continue
            other = self.planned(view, seat)
            for give in {card for one, _ in own for card in one}:
                for want in {card for one, _ in other for card in one}:
                    gain = self.gain(own, give, want)
                    if gain > best:
                        theirs = self.gain(other, want, give)
                        if theirs > 0 and min(gain, theirs) > best:
                            best, found = min(gain, theirs), (seat, give, want)
        if found is None:
            return {"type": "no_offer"}
        to, give, want = found
        return {
            "type": "offer",
            "to": to,
            "give": self.kitchen.names[give],
            "want": self.kitchen.names[want],
        }

    def answer(self, view):
        """Accept offers that gain something, the most valuable first."""
        own = self.planned(view, self.game.seat)
        card_of = self.kitchen.card_of
        gains = {
            offer["number"]: self.gain(own, card_of[offer["want"]], card_of[offer["give"]])
            for offer in view["offers"]
            if offer["to"] == self.game.seat
        }
        accept = [
            number for number in sorted(gains, key=gains.get, reverse=True) if gains[number] > LEAST_GAIN
        ]
        return {"type": "answer", "accept": accept}

    def taste(self, view):
        """Rank by the bot's own palate."""
        private, kitchen = self.game.private, self.kitchen
        tastes = [
            private["likings"][kitchen.families[family]] + private["quirks"][name]
            for name, family in zip(kitchen.names, kitchen.family_of, strict=True)
        ]
        worths = [kitchen.worth(kitchen.cards(sandwich), tastes) for sandwich in view["read_out"]]
        return {"type": "taste", "ranking": sorted(range(len(worths)), key=lambda place: -worths[place])}

    def planned(self, view, seat):
        """Return the sandwiches that a seat would make of its hand, each with its receiver's tastes."""
        step = [(to - self.game.seat) % self.game.seats for to in view["receivers"]]
        receivers = self.tastes_of([(seat + by) % self.game.seats for by in step])
        sandwiches, _ = self.kitchen.good_serving(self.hand(view, seat), receivers)
        return list(zip(sandwiches, receivers, strict=True))

    def gain(self, planned, give, get):
        """Return what planned sandwiches gain if one card replaces another and nothing else changes."""
        gains = []
        for sandwich, tastes in planned:
            if give in sandwich:
                changed = list(sandwich)
                changed[changed.index(give)] = get
                gains.append(self.kitchen.worth(changed, tastes) - self.kitchen.worth(sandwich, tastes))
        return max(gains)


run(Learner)
