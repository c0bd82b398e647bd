"""Bread and Chocolate: remembers every card through all resets, and uses that to think ahead.

    python3 bot.py [--forget]

For each decision, it deals the cards it can't know at random, consistent with everything it
has seen: where each card was, which cards entered and left each hand, and who had no legal
play. It plays out every move on these deals, to the end of the hand or close to it, and makes
the move that does best on average. So it goes out whenever it can see how.

With `--forget`, the same bot knows only what is on the table now.
"""

import sys
from itertools import chain

from arena_kit import Bot, run
from forgetting import forgetful_deal
from search import BATCH, best_move, some_discards

from arena.core.ruleset import with_options
from arena.games.bread_and_chocolate import GAME
from arena.games.bread_and_chocolate.determinization import Guesser
from arena.games.bread_and_chocolate.rules import rules_of


class Rememberer(Bot):
    forgetful = "--forget" in sys.argv[1:]

    def start(self, game):
        options = with_options(GAME.info, game.options)
        self.rules = rules_of(options)
        self.guesser = Guesser(options, game.seats, game.seat, game.private)

    def event(self, event):
        if not self.forgetful:
            self.guesser.hear([event])

    def move(self, ask):
        view, seat, rng = ask["view"], self.game.seat, self.game.rng
        deal = self.deals(view)
        state = deal(rng)
        if ask["kind"] == "discard":
            moves = some_discards(state.held[seat], view["discard"], rng)
        else:
            moves = [GAME.parse_move(state, seat, raw) for raw in ask["legal"]]
        return GAME.format_move(best_move(moves, deal, seat, rng))

    def deals(self, view):
        """Return a function of random numbers that deals the unknown cards, and returns the state."""
        if self.forgetful:
            return lambda rng: forgetful_deal(self.rules, view, rng)
        this_hand = {**view, "hands": view["hand_no"] + 1}  # as if it were the last
        batches = iter(lambda: self.guesser.worlds(this_hand, BATCH, self.game.rng), None)
        found = chain.from_iterable(batches)
        return lambda rng: next(found)


run(Rememberer)
