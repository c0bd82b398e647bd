"""Bread and Chocolate: draws only if it must, and lays the card that the fewest others fit on.

Whoever has no card that fits must draw, so a card that few others fit on is a safe one. It
counts the cards that can be in other hands: all but its own and those on the up pile, as far as
it has seen them. It passes in the opening, and discards high numbers, which are hard to lay.
"""

from arena_kit import Bot, run

from arena.core.ruleset import with_options
from arena.games.bread_and_chocolate import GAME
from arena.games.bread_and_chocolate.rules import CARDS, NAMES, number, rules_of

PASS = {"type": "pass"}


class Blocker(Bot):
    def start(self, game):
        self.rules = rules_of(with_options(GAME.info, game.options))
        self.up = set()  # cards known to be on the up pile

    def event(self, event):
        if event["kind"] in ("dealt", "reset", "refilled"):
            self.up = {event["up"]}
        elif event["kind"] == "spread":
            self.up.update(event["cards"])
        elif event["kind"] == "flipped":
            self.up.discard(event["down"])
            self.up.add(event["up"])
        elif event["kind"] == "played":
            self.up.add(event["card"])

    def move(self, ask):
        view = ask["view"]
        if ask["kind"] == "opening":
            return PASS
        hand = [CARDS[name] for name in view["hand"]]
        if ask["kind"] == "discard":
            hand.sort(key=number, reverse=True)
            return {"type": "discard", "cards": [NAMES[card] for card in hand[: view["discard"]]]}
        top = CARDS[view["up"]]
        unseen = set(range(52)) - set(hand) - {CARDS[name] for name in self.up}
        cards = [CARDS[move["card"]] for move in ask["legal"]]
        effect = self.rules.effect[top]
        following = (self.game.seat + 1) % self.game.seats

        def danger(card):
            """Return the cards drawn, then how many others fit on the card, then the cards kept."""
            spread = card // 4 == top // 4
            answers = self.rules.playable(card, spread, view["held"][following]) & unseen
            return max(0, effect[card]), len(answers), effect[card], -self.rules.cost[card]

        return {"type": "play", "card": NAMES[min(cards, key=danger)]}


run(Blocker)
