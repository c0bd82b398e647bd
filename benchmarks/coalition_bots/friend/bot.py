"""Bread Basket: takes the most points, and tells a friend in its first turn who it is.

Nobody is told who sits where. So it opens with a turn that no other bot plays: its highest card, then its lowest.
"""

from arena_kit import Bot, run
from turns import turns

from arena.games.bread_basket.state import CARDS, RANKS
from arena.games.bread_basket.transitions import format_

HELD = 2.5  # points for a card in hand


class Friend(Bot):
    def start(self, game):
        self.turns_begun = 0

    def move(self, ask):
        view = ask["view"]
        line = [CARDS[name] for name in view["line"]]
        hand = [CARDS[name] for name in view["hand"]]
        begun = bool(view["played"])
        self.turns_begun += not begun
        if self.turns_begun == 1:
            cards = [move["card"] for move in ask["legal"] if move["type"] == "play"]
            return {
                "type": "play",
                "card": (min if begun else max)(cards, key=lambda card: RANKS[CARDS[card]]),
            }
        return format_(max(turns(line, hand, begun), key=lambda turn: turn[1] + HELD * len(turn[3]))[0])


run(Friend)
