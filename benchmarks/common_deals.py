"""Measures what it is worth if all tables of a round play the same deal, in games.

    python benchmarks/common_deals.py [--deals 200]

Reference bots play a round robin on each deal, in this process, each table in all rotations, as a league would. The
difference of two bots is the mean of what the one took from each opponent, less what the other took, and what they
took from each other. Its variance over deals is compared with that if each table had a deal of its own: then the
results of tables are independent, so their variances add up. "Needs" is the ratio: 0.85 saves 15 % of the games. In a
gauntlet, the difference is that of two bots in their games against the challenger, the first of the bots. The standard
errors are those of the jackknife over deals. All games follow from seeds.
"""

import argparse
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from math import sqrt
from pathlib import Path
from statistics import fmean, variance

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena.core.game import ranks_with_faults
from arena.core.ruleset import ruleset
from arena.core.seatings import seatings
from arena.registry import game as game_named
from benchmarks.in_process import Player, play
from benchmarks.rotations import GREEDY, REFERENCE, RULESETS
from results.base.scoring import UNIT, game_shares

DEALS = 200
SEATS = (2, 4)
Weights = Mapping[tuple[tuple[int, ...], int], float]
"""How a table's result for a bot counts in a difference, by table and bot."""
Deal = Mapping[tuple[tuple[int, ...], int], float]
"""The mean share of a bot at a table on one deal, by table and bot."""


def field_of(name: str) -> Sequence[Player]:
    """Return five bots: the reference bots, and levels of the greedy one."""
    return [*REFERENCE[name][:3], Player(GREEDY[name], 0.2), Player(GREEDY[name], 0.4)]


def played(name: str, players: Sequence[Player], tables: Sequence[tuple[int, ...]], deal_no: int) -> Deal:
    """Return the results of all tables on one deal."""
    game = game_named(name)
    seats = len(tables[0])
    rules = game.resolve(ruleset(game.info, RULESETS[name]), seats)
    found: dict[tuple[tuple[int, ...], int], float] = {}
    for table in tables:
        rng = random.Random(f"{name}/{deal_no}/{table}")
        circle = rng.sample(table, seats)
        sums = dict.fromkeys(table, 0.0)
        games = seatings(tuple(circle), game.info.rotations)
        for seating in games:
            outcome = play(game, rules, [players[no] for no in seating], f"{name}/{seats}/{deal_no}", rng)
            shares = game_shares(ranks_with_faults(outcome.scores, {}))
            for no, share in zip(seating, shares, strict=True):
                sums[no] += share / (UNIT * len(games))
        found.update({(table, no): total for no, total in sums.items()})
    return found


def in_round_robin(tables: Sequence[tuple[int, ...]], one: int, other: int) -> Weights:
    """Return the weights of the difference of two mean shares over all tables."""
    each = sum(one in table for table in tables)
    return {
        (table, no): sign / each
        for no, sign in ((one, 1.0), (other, -1.0))
        for table in tables
        if no in table
    }


def in_gauntlet(tables: Sequence[tuple[int, ...]], one: int, other: int) -> Weights:
    """Return the same over the tables with the challenger."""
    return in_round_robin([table for table in tables if 0 in table], one, other)


def ratio(deals: Sequence[Deal], every: Sequence[Weights]) -> float:
    """Return the mean variance of the differences on common deals, relative to that on deals of their own."""
    common = apart = 0.0
    for weights in every:
        common += variance(sum(weight * deal[key] for key, weight in weights.items()) for deal in deals)
        by_table: dict[tuple[int, ...], list[tuple[tuple[tuple[int, ...], int], float]]] = {}
        for key, weight in weights.items():
            by_table.setdefault(key[0], []).append((key, weight))
        apart += sum(
            variance(sum(weight * deal[key] for key, weight in keys) for deal in deals)
            for keys in by_table.values()
        )
    return common / apart


def with_error(deals: Sequence[Deal], every: Sequence[Weights]) -> tuple[float, float]:
    """Return the ratio and its standard error: a jackknife over twenty parts of the deals."""
    parts = 20
    left_out = [
        ratio([deal for number, deal in enumerate(deals) if number % parts != part], every)
        for part in range(parts)
    ]
    spread = sum((one - fmean(left_out)) ** 2 for one in left_out)
    return ratio(deals, every), sqrt((parts - 1) / parts * spread)


def main() -> None:
    """Measure all games and print a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--deals", type=int, default=DEALS)
    count = parser.parse_args().deals
    kinds: Sequence[tuple[str, Callable[[Sequence[tuple[int, ...]], int, int], Weights]]] = (
        ("round robin", in_round_robin),
        ("gauntlet", in_gauntlet),
    )
    for name in GREEDY:
        players = field_of(name)
        for seats in SEATS:
            if seats not in game_named(name).seats(ruleset(game_named(name).info, RULESETS[name])):
                continue
            tables = list(combinations(range(len(players)), seats))
            deals = [played(name, players, tables, number) for number in range(count)]
            for kind, weights_of in kinds:
                first = 1 if kind == "gauntlet" else 0
                every = [weights_of(tables, *pair) for pair in combinations(range(first, len(players)), 2)]
                value, error = with_error(deals, every)
                print(f"{name:22} {seats} seats  {kind:12} needs {value:.3f} ± {error:.3f}", flush=True)


if __name__ == "__main__":
    main()
