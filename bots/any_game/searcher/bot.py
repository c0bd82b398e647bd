"""Plays any game by looking ahead: tries each move in many worlds that fit what it has seen, by the game's rules.

In each world, all seats play on by the game's own policy, or at random if it has none, to the end of the hand or
round. In a game that can't guess what is hidden, it plays a random legal move and says so in its log.
"""

import sys

from arena_engine import ForwardModel, NoSuchRules
from arena_engine.search import search
from arena_kit import Bot, run


class Searcher(Bot):
    def start(self, game):
        try:
            self.model = ForwardModel(game)
            why = "" if self.model.can_guess else "it has no guess"
        except NoSuchRules as error:
            why = str(error)
        if why:
            self.model = None
            print(f"random moves: can't think ahead in {game.game}: {why}", file=sys.stderr)

    def move(self, ask):
        if self.model:
            return search(self.model, ask).move
        return self.game.rng.choice(ask["legal"]) if "legal" in ask else ask["example"]


run(Searcher)
