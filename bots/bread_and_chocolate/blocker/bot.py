"""Bread and Chocolate: keeps a way out for itself, and blocks that of the others.

A card one below the top discards as many cards as its number. So who holds one more card than
that can go out with it. In `pagat` and `gamerules`, it lays no card that lets another player go
out so, keeps a card with which it could do so itself, and otherwise wants few cards, but not one
or two, which are hard to get rid of. The points in it are about what the champion's tuner found.

In `shram`, it draws only if it must, and lays the card that the fewest others fit on: all but its
own and those on the up pile, as far as it has seen them. It passes in the opening.
"""

from arena_kit import Bot, run

from arena.core.ruleset import with_options
from arena.games.bread_and_chocolate import GAME
from arena.games.bread_and_chocolate.playout_policy import burden
from arena.games.bread_and_chocolate.rules import CARDS, NAMES, number, rank, rules_of

PASS = {"type": "pass"}
HARD = {0: -50.0, 1: 4.0, 2: 1.5}  # points that a hand of so few cards costs
EXTRA = 0.3  # for each other card
GIVEN = 8.0  # for a way out that another player may have
KEPT = 6.0  # gained by a way out on the next turn, if nobody changes the top


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
        if ask["kind"] == "opening":
            return PASS
        view = ask["view"]
        hand = {CARDS[name] for name in view["hand"]}
        if ask["kind"] == "discard":
            return {"type": "discard", "cards": [NAMES[card] for card in worst(hand, view["discard"])]}
        cards = [CARDS[move["card"]] for move in ask["legal"]]
        effect = self.rules.effect[CARDS[view["up"]]]
        if self.rules.name == "shram":
            best = min(cards, key=lambda card: self.danger(card, effect[card], view))
        else:
            fewest = min(held for seat, held in enumerate(view["held"]) if seat != self.game.seat)
            best = min(cards, key=lambda card: price(card, effect[card], hand, fewest))
        return {"type": "play", "card": NAMES[best]}

    def danger(self, card, effect, view):
        """Return the cards drawn, then how many others fit on the card, then the cards kept."""
        unseen = set(range(52)).difference(CARDS[name] for name in (*view["hand"], *self.up))
        following = (self.game.seat + 1) % self.game.seats
        answers = self.rules.playable(card, False, view["held"][following]) & unseen
        return effect, len(answers), -self.rules.cost[card]


def worst(hand, count):
    """Return the cards to discard, but not one that could then discard all others."""
    kept = [card for card in hand if number(card) == len(hand) - count - 1][:1]
    return sorted(hand.difference(kept), key=burden, reverse=True)[:count]


def price(card, effect, hand, fewest):
    """Return by how many points a card is worse than another: what it leaves in the hand, and to the others."""
    left = len(hand) - 1 + effect
    points = HARD.get(left, 0) + EXTRA * left
    below = (card - 4) % 52  # a card of the rank below
    if 0 < number(below) == fewest - 1 or (fewest == 1 and number(below) == 0):
        points += GIVEN
    if any(rank(other) == rank(below) and 0 < number(other) == left - 1 for other in hand - {card}):
        points -= KEPT
    return points


run(Blocker)
