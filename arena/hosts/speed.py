"""How fast a host is: reference playouts, random games by the rules, on one core."""

import random
import time

from arena import registry
from arena.core.chance import Chance
from arena.core.game import Outcome
from arena.core.ruleset import ruleset

GAME, SEATS = "bread-basket", 2
GAMES, ROUNDS = 10, 20
EVERY_S = 3_600.0
"""How often a host measures again."""


def playouts_per_s() -> float:
    """Return how many reference playouts this machine makes in a second: the best of some rounds, about 50 ms in all.

    The best, in CPU time, because other programs can only make a round slower.
    """
    game = registry.game(GAME)
    rules = game.resolve(ruleset(game.info), SEATS)
    best_s = float("inf")
    for _ in range(ROUNDS):
        begun_s = time.thread_time()
        for number in range(GAMES):
            rng = random.Random(number)  # noqa: S311 - the same games everywhere
            state, _ = game.deal(SEATS, rules, Chance(f"speed/{number}".encode()))
            while not isinstance(turn := game.turn(state), Outcome):
                moves = {decision.seat: game.sample_move(state, decision.seat, rng) for decision in turn}
                game.advance(state, moves)
        best_s = min(best_s, time.thread_time() - begun_s)
    return GAMES / best_s
