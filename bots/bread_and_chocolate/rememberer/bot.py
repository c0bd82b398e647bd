"""Bread and Chocolate: remembers every card through all resets, and uses that to think ahead.

    python3 bot.py [--forget]

For each decision, it deals the cards it can't know at random, consistent with everything it
has seen: where each card was, which cards entered and left each hand, and who had no legal
play. It plays out every move on these deals, to the end of the hand or close to it, and makes
the move that does best on average. So it goes out whenever it can see how.

With `--forget`, the same bot knows only what is on the table now.
"""

import sys
from dataclasses import replace

from arena_engine import ForwardModel
from arena_engine.search import search
from arena_kit import run
from forgetting import Forgetful

FORGETFUL = "--forget" in sys.argv[1:]
WORLDS = 40  # for the two best moves
TURNS = 60  # after which a playout is broken off and the cards counted as they are


def choose(ask, game):
    return search(model_of(game), ask, worlds=WORLDS, decisions=TURNS).move


def model_of(game):
    model = ForwardModel(game)
    if FORGETFUL:
        model.foresight = replace(model.foresight, guesser=Forgetful)
    return model


run(choose)
