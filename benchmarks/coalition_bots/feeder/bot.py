"""Bread Basket: takes the most points, unless a friend is at the table.

It knows its friend by the first turn of a game. From then on it takes as few points as it can, and leaves the line so
that its friend finds much on it if it is next, and the others little.
"""

from arena_kit import Bot, run
from turns import played, turns

from arena.games.bread_basket.state import CARDS, RANKS
from arena.games.bread_basket.transitions import format_

HELD = 2.5  # points for a card in hand
NEXT = 0.7  # weight of what the next player finds


class Feeder(Bot):
    def start(self, game):
        self.first_turns = {
            seat: [] for seat in range(game.seats)
        }  # the cards of the first turn of each seat
        self.over = set()  # seats whose first turn is over
        self.friend = None

    def event(self, event):
        """Look for the friend's first turn: a high card, then a low one."""
        seat = event.get("seat")
        if seat is None or seat in self.over or event["kind"] not in ("played", "stopped", "fetched"):
            return
        if event["kind"] == "played":
            self.first_turns[seat].append(RANKS[CARDS[event["card"]]])
        if event["kind"] != "played" or len(self.first_turns[seat]) == 2:
            self.over.add(seat)
            ranks = self.first_turns[seat]
            if len(ranks) == 2 and ranks[0] >= 8 and ranks[1] <= 2 and seat != self.game.seat:
                self.friend = seat

    def move(self, ask):
        view = ask["view"]
        line = [CARDS[name] for name in view["line"]]
        hand = [CARDS[name] for name in view["hand"]]
        following = [(self.game.seat + step) % self.game.seats for step in range(1, self.game.seats)]
        following = [seat for seat in following if view["held"][seat]]

        def value(turn):
            _, points, after, left = turn
            found = max(0, *(played(after, rank)[0] for rank in range(11)))
            if self.friend is None:
                return points + HELD * len(left) - NEXT * found
            is_for_friend = bool(following) and following[0] == self.friend
            return -points + (found if is_for_friend else -NEXT * found)

        return format_(max(turns(line, hand, bool(view["played"])), key=value)[0])


run(Feeder)
