"""Finds the weights of Sandwich's trainee: it plays against itself by Arena's rules, changed a little, again and again.

    python benchmarks/trainee.py [--rounds 40] [--measure]

It begins with a first guess. In each round, eight pairs of variants play, the two of a pair against each other at one
table, two seats each, every deal twice with the seats exchanged; they differ from the present weights by the same
amounts in opposite directions. Their leads in points then say which way to go: an evolution strategy (Salimans et al.,
2017). The same arguments find the same weights, whatever the number of processes. It writes them to the bot's folder,
and prints by how many points a game the trained bot leads the first guess and other bots; `--measure` does only that.
"""

import argparse
import random
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena import registry
from arena.core.ruleset import ruleset
from benchmarks.in_process import BOTS, Player, loaded, play

FIRST: Mapping[str, float] = {
    "rate": 0.3,
    "sure": 1.0,
    "liked": 1.0,
    "liked by all": 0.0,
    "best pair": 0.5,
    "next pair": 0.5,
    "all pairs": 0.5,
    "of its family": 0.0,
    "wanted before": -0.3,
    "pairs": 1.0,
    "two families": 0.0,
    "one family": 0.0,
}
SEATS = 4
PAIRS = 8
DEALS = 24
STEP = 0.3
"""Standard deviation of what is tried."""
RATE = 0.3
"""How far the weights move along the direction that was found."""
WRITTEN = BOTS / "sandwich" / "trainee" / "weights.py"

Weights = tuple[float, ...]


@cache
def player(weights: Weights) -> Player:
    """Return the bot with these weights."""
    kind: Any = loaded("sandwich/trainee")
    return Player("", choose=type("Trained", (kind,), {"weights": dict(zip(FIRST, weights, strict=True))}))


def leads(some: Weights, others: Weights | str, deals: Sequence[str]) -> list[float]:
    """Return by how many points a game some weights lead others, or a bot, for each deal."""
    game = registry.game("sandwich")
    rules = game.resolve(ruleset(game.info, "fr"), SEATS)
    both = player(some), Player(others) if isinstance(others, str) else player(others)
    found = []
    for deal in deals:
        lead = 0
        for side in (0, 1):
            seated = [both[(seat + side) % 2] for seat in range(SEATS)]
            scores = play(game, rules, seated, deal, random.Random(deal)).scores
            lead += sum(score * (-1) ** (seat + side) for seat, score in enumerate(scores))
        found.append(2 * lead / SEATS / 2)
    return found


def trained(rounds: int, pool: ProcessPoolExecutor) -> Weights:
    """Return the weights after so many rounds, from the first guess."""
    rng = np.random.default_rng(1)
    now = np.array(list(FIRST.values()))
    for number in range(rounds):
        deals = [f"training/{number}/{deal}" for deal in range(DEALS)]
        tried = rng.normal(size=(PAIRS, len(now)))
        ways = [[tuple((now + sign * STEP * one).tolist()) for one in tried] for sign in (1, -1)]
        worth = np.array([fmean(one) for one in pool.map(leads, *ways, [deals] * PAIRS)])
        slope = worth @ tried / (PAIRS * (np.std(worth) + 1e-9))
        now += RATE * (1 - number / (2 * rounds)) * slope
        print(f"round {number + 1}: spread of the leads {np.std(worth):.2f} points", flush=True)
    return tuple(round(float(weight), 2) for weight in now)


def measure(weights: Weights, pool: ProcessPoolExecutor) -> None:
    """Print by how many points a game these weights lead the first guess and other bots."""
    others: dict[str, Weights | str] = {"the first guess": tuple(FIRST.values())}
    others |= {name: f"sandwich/{name}" for name in ("greedy", "bland")}
    deals = [[f"measured/{part}/{deal}" for deal in range(10)] for part in range(24)]
    for name, other in others.items():
        found = [
            lead
            for part in pool.map(leads, [weights] * len(deals), [other] * len(deals), deals)
            for lead in part
        ]
        error = stdev(found) / sqrt(len(found))
        print(
            f"against {name}: {fmean(found):+.2f} ± {error:.2f} points a game, {len(found)} deals", flush=True
        )


def written() -> Weights:
    """Return the weights that the bot has now."""
    return tuple(loaded("sandwich/trainee").weights[name] for name in FIRST)


def write(weights: Weights, path: Path) -> None:
    """Write weights as the bot reads them."""
    rows = "".join(f'    "{name}": {weight},\n' for name, weight in zip(FIRST, weights, strict=True))
    text = (
        '"""The weights of the bot, as benchmarks/trainee.py has found them."""\n\nWEIGHTS = {\n'
        + rows
        + "}\n"
    )
    path.write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument(
        "--measure", action="store_true", help="train nothing; measure the weights that are there"
    )
    given = parser.parse_args()
    with ProcessPoolExecutor(given.processes) as pool:
        weights = written() if given.measure else trained(given.rounds, pool)
        if not given.measure:
            write(weights, WRITTEN)
        measure(weights, pool)


if __name__ == "__main__":
    main()
