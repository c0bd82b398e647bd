"""Measures whether the prices of moves are what they say.

Do they order bots by strength, hold in their intervals what many more worlds give, and find planted mistakes?

    python benchmarks/move_prices.py GAME [--store FILE] [--games 20] [--decisions 100] [--times 25] [--seed 1]

Plays the league of the game's reference bots unless the store has it, and prices the moves of each bot in some games.

Order: the mean price of each bot with its error, beside its strength; the pairs whose strengths differ significantly
(99 %), and how many of them the prices order alike.
Intervals: of decisions chosen at random, how many intervals hold the price by so many times as many worlds, their mean
width, and the mean difference.
Mistakes: at the same decisions, a legal move chosen at random stands for the one that was made. Those that cost at
least two points and two errors by the many worlds are mistakes, those that cost at most a fifth of a point are not. The
figure is the probability that a mistake has a higher price than a good move (AUC).
Policy: with --noise 0.25, each bot's price is also measured by a policy that makes a quarter of its moves at random,
and by how much it differs in the same games.
"""

import argparse
import dataclasses
import random
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from time import process_time
from typing import Any
from unittest.mock import patch

from msgspec.structs import replace

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena import registry
from arena.conversation.rebuild import conversation
from arena.core.chance import Rng
from arena.core.foresight import Foresight, foresight
from arena.core.game import AnyGame
from arena.league import move_prices
from arena.league.move_prices import WORLDS, Price, Task, price_moves, price_of, tasks_of
from arena.league.stored_games import find, read
from benchmarks.reference_bots import GAMES, SURE, played
from results.analysis.findings import Measure
from results.analysis.fit import fit
from results.analysis.match_sums import match_sums
from results.store import Store, open_store

LEAST_MISTAKE = 2.0
MOST_OF_GOOD = 0.2


def noisy(noise: float, game: AnyGame) -> Foresight[Any, Any]:
    """Return what a game offers to thinking ahead, with a policy that makes a part of its moves at random."""
    own = foresight(game)

    def policy(state: Any, seat: int, rng: Rng) -> Any:
        return game.sample_move(state, seat, rng) if rng.random() < noise else own.policy(state, seat, rng)

    return dataclasses.replace(own, policy=policy)


def mean_and_error(sums: Sequence[tuple[float, int]]) -> tuple[float, float]:
    """Return the mean of sums over numbers of decisions, by game, and its standard error."""
    every = sum(count for _, count in sums)
    mean = sum(total for total, _ in sums) / every
    squares = sum([(total - mean * count) ** 2 for total, count in sums])
    return mean, sqrt(squares * len(sums) / (len(sums) - 1)) / every


def order(store: Store, games: int, noise: float) -> Iterator[str]:
    """Yield the lines about the order of the bots."""
    league = store.leagues.get()
    found = fit(match_sums(store.seats.results(league.uuid), Measure.SHARES), confidence=1 - 2 * (1 - SURE))
    labels = {entry.entry_no: entry.label for entry in store.entries.all(league.uuid)}
    prices: dict[int, tuple[float, float]] = {}
    for strength in sorted(found.strengths, key=lambda one: -one.value):
        began = process_time()
        seats = [
            (read(store, find(store, league, game.match_no, game.rotation)), seat.seat)
            for game in store.games.all(
                league.uuid, entries=[strength.entry_no], newest_first=True, limit=games
            )
            for seat in game.seats
            if seat.entry_no == strength.entry_no
        ]
        sums = [sum_of(price_moves(stored, seat).prices) for stored, seat in seats]
        each_s = (process_time() - began) / len(sums)
        mean, error = prices[strength.entry_no] = mean_and_error(sums)
        label = labels[strength.entry_no]
        line = f"{label:12} strength {strength.value:8.2f}  price {mean:6.2f} ± {error:.2f}  {each_s:5.1f} s a seat"
        if noise:
            with patch.object(move_prices, "foresight", partial(noisy, noise)):
                others = [sum_of(price_moves(stored, seat).prices) for stored, seat in seats]
            differences = [
                (other - own, count) for (other, count), (own, _) in zip(others, sums, strict=True)
            ]
            line += "  other policy {:6.2f} ± {:.2f}, difference {:+.2f} ± {:.2f}".format(
                *mean_and_error(others), *mean_and_error(differences)
            )
        yield line
    pairs = [(one.entry_no, low) for one in found.strengths for low in one.above or ()]
    alike = sum(prices[high][0] < prices[low][0] for high, low in pairs)
    yield f"pairs that differ significantly: {len(pairs)}; ordered alike by price: {alike}"


def sum_of(prices: Sequence[Price]) -> tuple[float, int]:
    """Return the sum of prices, and how many there are."""
    return sum([one.price for one in prices]), len(prices)


def some_tasks(store: Store, count: int, rng: random.Random) -> list[Task]:
    """Return decisions of games and seats chosen at random."""
    league = store.leagues.get()
    games = store.games.all(league.uuid, newest_first=True, limit=200)
    found: list[Task] = []
    while len(found) < count:
        game = rng.choice(games)
        stored = read(store, find(store, league, game.match_no, game.rotation))
        seat = rng.randrange(len(game.seats))
        found += rng.sample(
            own := list(tasks_of(stored, conversation(stored, seat), WORLDS)), min(4, len(own))
        )
    return found[:count]


def judged(task: Task, times: int) -> list[tuple[str, Price, Price]]:
    """Return prices of the move that was made and of another, each with that by many worlds."""
    rng, game = task.rng, registry.game(task.game)
    moves = foresight(game)
    if task.legal is None:
        guesser = moves.guesser(task.ruleset, task.seats, task.seat, task.private)
        guesser.hear(task.events)
        (world,) = guesser.worlds(task.view, 1, rng)
        others = [game.format_move(game.sample_move(world, task.seat, rng))]
    else:
        others = [one for one in task.legal if one != task.made]
    found = []
    for name, made in (("made", task.made), ("other", rng.choice(others))):
        asked = replace(task, made=made)
        few = price_of(asked)
        # Other random numbers: the worlds of the one must not be among those of the other.
        many = price_of(replace(asked, decision=task.decision + 1_000_000, worlds=times * task.worlds))
        if few is not None and many is not None:
            found.append((name, few, many))
    return found


def shares(found: Sequence[tuple[str, Price, Price]]) -> Iterator[str]:
    """Yield the lines about intervals and mistakes."""
    made = [(few, many) for name, few, many in found if name == "made"]
    held = [few.low <= many.price <= few.high for few, many in made]
    error = sqrt(fmean(held) * (1 - fmean(held)) / len(held))
    widths = [few.high - few.low for few, _ in made]
    differences = [few.price - many.price for few, many in made]
    yield f"intervals: {100 * fmean(held):.1f} ± {100 * error:.1f} % of {len(held)} hold the price by many worlds"
    of_difference = stdev(differences) / sqrt(len(held))
    yield f"mean width {fmean(widths):.2f}; difference {fmean(differences):+.3f} ± {of_difference:.3f}"
    mistakes = [few.price for _, few, many in found if many.price >= LEAST_MISTAKE and many.low > 0]
    good = [few.price for _, few, many in found if many.price <= MOST_OF_GOOD]
    wins = [(bad > fine) + (bad == fine) / 2 for bad in mistakes for fine in good]
    yield f"mistakes: {len(mistakes)}, good moves: {len(good)}, AUC {fmean(wins) if wins else 0:.3f}"


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("game", choices=GAMES)
    parser.add_argument("--store", type=Path, default=Path())
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--decisions", type=int, default=100)
    parser.add_argument("--times", type=int, default=25)
    parser.add_argument("--noise", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    path = asked.store if asked.store.is_file() else played(asked.game, asked.store)
    with open_store(path, readonly=True) as store:
        if asked.games:
            for line in order(store, asked.games, asked.noise):
                print(line, flush=True)
        tasks = some_tasks(store, asked.decisions, random.Random(asked.seed))
    found = []
    with ProcessPoolExecutor() as pool:
        for done, one in enumerate(pool.map(partial(judged, times=asked.times), tasks), 1):
            found += one
            print(f"{done} of {len(tasks)} decisions", end="\r", file=sys.stderr, flush=True)
    for line in shares(found) if found else ():
        print(line)


if __name__ == "__main__":
    main()
