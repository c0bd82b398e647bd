"""Bread Basket: deals the hidden cards many times over, and plays every move out to the end of the hand.

The deals fit all that it has seen. In a playout, everyone takes the best trick at hand, and
otherwise plays any one card. After each part of the deals the worse half of the
moves is dropped, so that most playouts go to the moves that matter.
"""

from arena_engine import ForwardModel
from arena_engine.search import search
from arena_kit import run

WORLDS = 200  # for the two best moves


def choose(ask, game):
    a_third = ask["time"]["move_ms"] / 3000
    return search(ForwardModel(game), ask, seconds=a_third, worlds=WORLDS).move


run(choose)
