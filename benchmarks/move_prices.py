"""Measures whether the prices of moves are what they say.

Do they order bots by strength, hold in their intervals what many more worlds give, and find planted mistakes?

    python benchmarks/move_prices.py GAME [--store FILE] [--games 20] [--decisions 100] [--times 25] [--draws 10]

Plays the league of the game's reference bots unless the store has it, and prices the moves of each bot in some games.

Order: the mean price of each bot with its error, beside its strength; the pairs whose strengths differ significantly
(99 %), and how many of them the prices order alike.
Intervals: at decisions chosen at random, every move is tried in `--times` as many worlds and some more. These are
shuffled `--draws` times: the first ones make the price with its interval, as `arena why --analyse` would, the rest the
price by so many times as many worlds. The figures are how many intervals hold the latter, on which side the others
miss it, the mean width, and the mean difference. Errors are over decisions.
Mistakes: at the same decisions, a legal move chosen at random stands for the one that was made. Those that cost at
least two points and two errors by the many worlds are mistakes, those that cost at most a fifth of a point are not; in
Sandwich, half the width of the interval and a twentieth, as points are few there. The
figure is the probability that a mistake has a higher price than a good move (AUC), its error by resampling decisions.
Policy: with --noise 0.25, each bot's price is also measured by a policy that makes a quarter of its moves at random,
and by how much it differs in the same games.
"""

import argparse
import dataclasses
import random
import sys
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from time import process_time
from typing import Any, NamedTuple
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena.conversation.rebuild import conversation
from arena.core.chance import Rng
from arena.core.errors import ArenaError
from arena.core.foresight import Foresight, foresight
from arena.core.game import AnyGame
from arena.league import move_prices
from arena.league.move_prices import (
    WORLDS,
    Comparison,
    Price,
    Task,
    estimate,
    price_moves,
    rivals,
    screening,
    tasks_of,
)
from arena.league.stored_games import find, read
from benchmarks.reference_bots import GAMES, SURE, played
from results.analysis.fit import fit
from results.analysis.fit_results import Measure
from results.analysis.match_sums import match_sums
from results.store import Store, open_store

LEAST_MISTAKE: Mapping[str, float | None] = {"sandwich": None}
"""By game; None: half the width of the interval."""
MOST_OF_GOOD = {"sandwich": 0.05}


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


class Judged(NamedTuple):
    """A move that was priced in few worlds and in many."""

    decision: int
    is_made: bool
    """Whether it was made in the game; if not, it was chosen at random."""
    price: float
    low: float
    high: float
    many: float
    """Its price by many worlds."""
    many_low: float


def judged(numbered: tuple[int, Task], times: int, draws: int) -> list[Judged]:
    """Return prices of the move that was made and of another, each with that by many worlds, for each draw."""
    number, task = numbered
    rng = random.Random(number)
    try:
        compared = Comparison(task)
        if len(compared.moves) < 2:
            return []
        leads = compared.leads(screening(WORLDS) + (1 + times) * WORLDS)
    except (ValueError, ArenaError):
        return []
    worlds, found = list(zip(*leads, strict=True)), []
    for made in (0, rng.randrange(1, len(leads))):
        order = [made, *[place for place in range(len(leads)) if place != made]]
        for _ in range(draws):
            rng.shuffle(worlds)
            screened, few, many = (
                [[world[place] for world in some] for place in order]
                for some in (
                    worlds[: screening(WORLDS)],
                    worlds[screening(WORLDS) :][:WORLDS],
                    worlds[screening(WORLDS) + WORLDS :],
                )
            )
            _, price, low, high = estimate([few[place] for place in rivals(screened)])
            _, value, value_low, _ = estimate(many)
            found.append(Judged(number, made == 0, price, low, high, value, value_low))
    return found


def by_decision(found: Sequence[Judged], figure: Callable[[Judged], float]) -> tuple[float, float]:
    """Return the mean of a figure and its standard error over decisions."""
    means: dict[int, list[float]] = defaultdict(list)
    for one in found:
        means[one.decision].append(figure(one))
    each = [fmean(figures) for figures in means.values()]
    return fmean(each), stdev(each) / sqrt(len(each))


def auc(game: str, found: Sequence[Judged]) -> tuple[int, int, float]:
    """Return how many mistakes and good moves there are, and how probably one of the former has the higher price."""
    least, most = LEAST_MISTAKE.get(game, 2.0), MOST_OF_GOOD.get(game, 0.2)
    bad = [
        one.price
        for one in found
        if one.many >= ((one.high - one.low) / 2 if least is None else least) and one.many_low > 0
    ]
    good = sorted(one.price for one in found if one.many <= most)
    if not bad or not good:
        return len(bad), len(good), 0.0
    wins = sum((bisect_left(good, one) + bisect_right(good, one)) / 2 for one in bad)
    return len(bad), len(good), wins / len(bad) / len(good)


def shares(game: str, found: Sequence[Judged], rng: random.Random) -> Iterator[str]:
    """Yield the lines about intervals and mistakes."""
    made = [one for one in found if one.is_made]
    decisions = {one.decision for one in made}
    yield f"intervals at {len(decisions)} decisions, {len(made) // len(decisions)} draws each:"
    for name, figure in (
        ("hold the price by many worlds, %", lambda one: 100.0 * (one.low <= one.many <= one.high)),
        ("it is below, %", lambda one: 100.0 * (one.many < one.low)),
        ("it is above, %", lambda one: 100.0 * (one.many > one.high)),
        ("width", lambda one: one.high - one.low),
        ("price by few − by many", lambda one: one.price - one.many),
    ):
        yield "  {:34} {:7.2f} ± {:.2f}".format(name, *by_decision(made, figure))
    mistakes, good, value = auc(game, found)
    drawn: list[float] = []
    for _ in range(50):
        sample = Counter(rng.choices(sorted(decisions), k=len(decisions)))
        drawn.append(auc(game, [one for one in found for _ in range(sample[one.decision])])[2])
    yield f"mistakes: {mistakes}, good moves: {good}, AUC {value:.3f} ± {stdev(drawn):.3f}"


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
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--jobs", type=int, help="processes; default: one for each core")
    parser.add_argument("--noise", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    path = asked.store if asked.store.is_file() else played(asked.game, asked.store)
    with open_store(path, readonly=True) as store:
        if asked.games:
            for line in order(store, asked.games, asked.noise):
                print(line, flush=True)
        tasks = some_tasks(store, asked.decisions, random.Random(asked.seed))
    found: list[Judged] = []
    judge = partial(judged, times=asked.times, draws=asked.draws)
    with ProcessPoolExecutor(asked.jobs) as pool:
        for done, one in enumerate(pool.map(judge, enumerate(tasks)), 1):
            found += one
            print(f"{done} of {len(tasks)} decisions", end="\r", file=sys.stderr, flush=True)
    for line in shares(asked.game, found, random.Random(asked.seed)) if found else ():
        print(line)


if __name__ == "__main__":
    main()
