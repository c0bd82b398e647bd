"""Bread and Chocolate: infers from every play and every forced draw which cards an opponent has.

For each opponent and each card it keeps the chance that the one holds the other. A forced draw
rules out all cards that would have fitted. A play makes those that would have left fewer cards
unlikely, the more so the more consistently this player has laid the best card so far: cards that
it shows later, without a draw in between, tell. Draws and discards blur the picture again.

It lays the card that leaves the fewest cards in its own hand, or the cheapest ones, and gives
the next player the least to hope for.
"""

from arena_kit import Bot, run

from arena.core.ruleset import with_options
from arena.games.bread_and_chocolate import GAME
from arena.games.bread_and_chocolate.playout_policy import burden
from arena.games.bread_and_chocolate.rules import CARDS, NAMES, rules_of

PASS = {"type": "pass"}
FEAR = 1.0  # weight of what the next player gains
FORCED = 1  # cards that a player without a card that fits draws
SLIPS = (1, 4)  # plays that were not the best, and plays, of an average player


class Listener(Bot):
    def start(self, game):
        self.rules = rules_of(with_options(GAME.info, game.options))
        self.slips = [list(SLIPS) for _ in range(game.seats)]
        cost = self.rules.cost
        self.mean_cost = sum(cost) / len(cost)

    def event(self, event):
        kind, seat = event["kind"], event.get("seat")
        if kind == "dealt":
            self.top, self.spread = CARDS[event["up"]], False
            self.seen = {self.top, *(CARDS[name] for name in event["hand"])}  # in nobody else's hand
            self.held = event["held"][:]
            unseen = 52 - len(self.seen)
            self.chance = [[held / unseen] * 52 for held in self.held]
            self.doubted = [set() for _ in self.held]  # better cards than those laid, since the last draw
            self.forget_seen()
        elif kind in ("spread", "flipped"):
            shown = event["cards"] if kind == "spread" else [event["up"]]
            self.seen.update(CARDS[name] for name in shown)
            if shown:
                self.top = CARDS[shown[-1]]
            self.forget_seen()
        elif kind == "played":
            self.hear_play(seat, CARDS[event["card"]])
        elif kind == "stuck":
            for card in self.rules.playable(self.top, self.spread, self.held[seat]):
                self.chance[seat][card] = 0.0
            self.spread = self.spread and self.rules.name != "gamerules"
        elif kind == "drew":
            self.hear_draw(seat, event)
        elif kind == "discarded":
            kept = 1 - event["count"] / self.held[seat]
            self.chance[seat] = [chance * kept for chance in self.chance[seat]]
            self.held[seat] -= event["count"]
        elif kind in ("reset", "refilled"):
            self.top, self.spread = CARDS[event["up"]], self.spread and kind == "refilled"
            self.seen = {self.top}  # all other cards come back, sooner or later

    def forget_seen(self):
        for chance in self.chance:
            for card in self.seen:
                chance[card] = 0.0

    def hear_play(self, seat, card):
        better = {
            other
            for other in self.rules.playable(self.top, self.spread, self.held[seat])
            if self.left(other) < self.left(card)
        }
        if seat != self.game.seat:
            slips = self.slips[seat]
            slips[1] += 1
            if card in self.doubted[seat]:
                slips[0] += 1
            self.doubted[seat] = (self.doubted[seat] | better) - {card}
            for other in better:
                self.chance[seat][other] *= min(1.0, slips[0] / slips[1])
        self.spread = card // 4 == self.top // 4
        self.top = card
        self.held[seat] -= 1
        self.seen.add(card)
        for chance in self.chance:
            chance[card] = 0.0

    def hear_draw(self, seat, event):
        self.held[seat] += event["count"]
        self.doubted[seat].clear()
        if seat == self.game.seat:
            self.seen.update(CARDS[name] for name in event["cards"])
            self.forget_seen()
            return
        drawn = min(1.0, event["count"] / max(1, event["count"] + event["stock"]))
        chances = self.chance[seat]
        for card in range(52):
            if card not in self.seen:
                chances[card] += (1 - chances[card]) * drawn * 0.5

    def left(self, card):
        """Return by how much a hand grows by laying a card on the present top: cards, or in `shram` their cost."""
        return self.growth(self.top, card)

    def growth(self, top, card):
        effect = self.rules.effect[top][card]
        if self.rules.name == "shram":
            return effect * self.mean_cost - self.rules.cost[card]
        return effect - 1

    def move(self, ask):
        view = ask["view"]
        if ask["kind"] == "opening":
            return PASS
        if ask["kind"] == "discard":
            cards = sorted(view["hand"], key=lambda name: burden(CARDS[name]), reverse=True)
            return {"type": "discard", "cards": cards[: view["discard"]]}
        hand = {CARDS[name] for name in view["hand"]}
        cards = [CARDS[move["card"]] for move in ask["legal"]]
        best = min(cards, key=lambda card: self.left(card) - FEAR * self.reply(card, hand))
        return {"type": "play", "card": NAMES[best]}

    def reply(self, card, hand):
        """Return by how much the next player's hand can be expected to grow after a card is laid."""
        seat = (self.game.seat + 1) % self.game.seats
        spread = card // 4 == self.top // 4
        fitting = self.rules.playable(card, spread, self.held[seat]) - hand
        expected, none_better = 0.0, 1.0
        for other in sorted(fitting, key=lambda other: self.growth(card, other)):
            chance = min(1.0, self.chance[seat][other])
            expected += none_better * chance * self.growth(card, other)
            none_better *= 1 - chance
        forced = FORCED * (self.mean_cost if self.rules.name == "shram" else 1)
        return expected + none_better * forced


run(Listener)
