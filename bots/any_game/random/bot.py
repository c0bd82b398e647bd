"""Plays any legal move of any game, all equally likely; where there are too many to list, the example."""

from arena_kit import run


def choose(ask, game):
    if "legal" in ask:
        return game.rng.choice(ask["legal"])
    return ask["example"]


run(choose)
