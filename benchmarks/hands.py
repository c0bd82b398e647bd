"""Measures how many hands of Bread and Chocolate tell two bots apart, by points and by places.

    python benchmarks/hands.py [--scale 1]

It plays pairs of bots in this process, each deal of one hand from both seats, and puts matches together from these:
games of n deals in which the bots begin by turns, and the same deals with the sides exchanged. For each pair it prints
how many hands it takes until 99 of 100 such leagues have the pair in the right order, by points and by places:
n · 2 · (2.33 · standard deviation of a match / its mean)².
"""

import argparse
import random
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean, stdev

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena import registry
from arena.core.ruleset import ruleset
from benchmarks.in_process import Player, play

PAIRS = (
    ("greedy", "random", 2000),
    ("blocker", "greedy", 2000),
    ("rememberer", "blocker", 60),
    ("chocolatier", "rememberer", 60),
)
"""Two bots, and the number of deals."""
LENGTHS = (1, 2, 4, 10, 30)
SURE = 2.33
"""Standard deviations that 99 % of a normal distribution lie below, on one side."""
MATCHES = 20_000
"""Put together for each length."""

Deal = tuple[float, float]
"""By how many points the first bot led where it began, and where the other did."""


def deals_of(one: str, other: str, count: int) -> list[Deal]:
    """Play so many deals of one hand from both seats."""
    game = registry.game("bread-and-chocolate")
    rules = game.resolve(ruleset(game.info, "pagat", {"hands": 1}), 2)
    arguments = ("--ms", "4") if one == "chocolatier" else ()
    folder = "any_game" if other == "random" else "bread_and_chocolate"
    players = [Player(f"bread_and_chocolate/{one}", arguments=arguments), Player(f"{folder}/{other}")]
    found: list[Deal] = []
    for number in range(count):
        leads = []
        for side in (0, 1):
            seats = players[::-1] if side else players
            scores = play(
                game, rules, seats, f"hands/{number}", random.Random(f"{one}/{number}/{side}")
            ).scores
            leads.append(scores[side] - scores[1 - side])
        found.append((leads[0], leads[1]))
    return found


def hands_needed(
    deals: Sequence[Deal], length: int, worth: Callable[[float], float], rng: random.Random
) -> float:
    """Return the hands after which a pair is in the right order in 99 of 100 leagues of games of this length."""
    matches = []
    for _ in range(MATCHES):
        chosen = rng.choices(deals, k=length)
        games = [sum(deal[(hand + side) % 2] for hand, deal in enumerate(chosen)) for side in (0, 1)]
        matches.append(fmean(map(worth, games)))
    return 2 * length * (SURE * stdev(matches) / fmean(matches)) ** 2


def place(lead: float) -> float:
    """Return what a game is worth by places: 1 if it is won, −1 if it is lost."""
    return (lead > 0) - (lead < 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0, help="times as many deals")
    given = parser.parse_args()
    print(
        "| pair | points a hand | by points | "
        + " | ".join(f"by places, {n} hands a game" for n in LENGTHS)
        + " |"
    )
    print("|---" * (3 + len(LENGTHS)) + "|")
    for one, other, count in PAIRS:
        deals = deals_of(one, other, round(count * given.scale))
        means = [fmean(deal) for deal in deals]
        error = stdev(means) / len(means) ** 0.5
        rng = random.Random(1)
        points = hands_needed(deals, 1, float, rng)
        places = " | ".join(f"{hands_needed(deals, length, place, rng):.0f}" for length in LENGTHS)
        names = f"`{one}`, `{other}`"
        print(f"| {names} | {fmean(means):+.1f} ± {error:.1f} | {points:.0f} | {places} |", flush=True)


if __name__ == "__main__":
    main()
