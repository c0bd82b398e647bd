"""A bot for any game: it plays a random legal move."""

from arena_kit import run


def choose(ask, game):
    if "legal" in ask:
        return game.rng.choice(ask["legal"])
    return ask["example"]  # there are too many moves to list: build your own in this form


if __name__ == "__main__":
    run(choose)
