"""Plays a random legal move in any game, all equally likely; if there are too many to list, the example."""

from arena_kit import run


def choose(ask, game):
    if "legal" in ask:
        return game.rng.choice(ask["legal"])
    return ask["example"]


run(choose)
