"""Plays random games of OpenSpiel's card games that are written in C++, from Python."""

import random
from collections.abc import Callable

import pyspiel

from benchmarks.peers.inside.rounds import serve

GAMES = ("crazy_eights", "gin_rummy", "go_fish", "hearts", "oh_hell")


def playing(name: str) -> Callable[[], int]:
    """Return what plays one game."""
    game = pyspiel.load_game(name)

    def play() -> int:
        state = game.new_initial_state()
        decisions = 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(random.choices(outcomes, weights)[0])
                continue
            legal = state.legal_actions()
            state.apply_action(legal[int(random.random() * len(legal))])
            decisions += 1
        return decisions

    return play


if __name__ == "__main__":
    serve({name: playing(name) for name in GAMES if name in pyspiel.registered_names()})
