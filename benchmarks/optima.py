"""Tunes two numbers of a reference bot of each game, and looks up by brute force what the values found are worth.

    python benchmarks/optima.py [--game sandwich] [--deals 100] [--budget 4000] [--fresh 400]

The bot begins with poor values. By brute force, a grid of 5 × 5 values plays against it, all on the same deals, from
every seat; a quadratic surface through the differences of mean shares has its highest point at the optimum. The tune
is that of `arena tune` at tables of two (three in Sandwich, where the bot with the poor values has the third seat), and
sees none of these games. At the end, the optimum and the values found play against the beginning on fresh deals, the
same for both, and the part of the gain that the tune has is printed with its standard error. Games are played in this
process, by the bots' own code, so that a machine without load needs minutes: `benchmarks/in_process.py`.
"""

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena.core.ruleset import ruleset
from arena.league.tune import STEP_DEALS
from arena.registry import game as game_named
from benchmarks.in_process import Player, loaded, play, think
from results.analysis.sequential_test import Question, SequentialTest
from results.analysis.tuning import AHEAD_STEPS, Tuner, slices

LINES = 5
PLACES = np.linspace(0.0, 1.0, 41)
Values = tuple[float, ...]


@dataclass(frozen=True)
class Case:
    """A bot and two of its numbers, by their names at the top of its bot.py."""

    game: str
    bot: str
    seats: int
    names: tuple[str, str]
    start: Values
    high: Values
    """The lowest values are 0."""
    shipped: Values
    fixed: tuple[tuple[str, int], ...] = ()
    """Other numbers, so that it plays faster."""

    def at(self, point: Sequence[float]) -> Values:
        """Return the values at a point: places from 0 to 1."""
        return tuple(place * high for place, high in zip(point, self.high, strict=True))

    def player(self, values: Values) -> Player:
        """Return the bot with these values, which it has whenever it is called."""
        bot, names = self.bot, self.names

        class Turned(loaded(bot)):  # type: ignore[misc]
            """The bot with other values, beside itself in one process."""

            def start(self, game: Any) -> None:
                _turn(bot, names, values)
                super().start(game)

            def event(self, event: Any) -> None:
                _turn(bot, names, values)
                super().event(event)

            def move(self, ask: Any) -> Any:
                _turn(bot, names, values)
                return super().move(ask)

        return Player(bot, choose=Turned)


CASES = (
    Case("bread-basket", "bread_basket/counter", 2, ("HELD", "FEAR"), (1.0, 0.1), (6.0, 1.5), (2.5, 0.6)),
    Case(
        "bread-and-chocolate",
        "bread_and_chocolate/blocker",
        2,
        ("GIVEN", "KEPT"),
        (1.0, 1.0),
        (16.0, 16.0),
        (8.0, 6.0),
    ),
    Case(
        "sandwich",
        "sandwich/apprentice",
        3,
        ("RATE", "SURE"),
        (0.1, 0.4),
        (1.0, 4.0),
        (0.3, 1.0),
        (("FUTURES", 1),),
    ),
)


def _turn(bot: str, names: Sequence[str], values: Values) -> None:
    for name, value in zip(names, values, strict=True):
        think(bot, name, value)  # type: ignore[arg-type]


def results(case: Case, one: Values, other: Values, deals: str) -> Iterator[float]:
    """Yield, deal by deal, the mean share of one less that of the other, from every seat; others have the start."""
    game = game_named(case.game)
    rules = game.resolve(ruleset(game.info, None, {}), case.seats)
    table = [case.player(values) for values in (one, other, *[case.start] * (case.seats - 2))]
    deal = 0
    while True:
        ahead = 0.0
        for turned in range(case.seats):
            seats = [(seat + turned) % case.seats for seat in range(case.seats)]
            rng = random.Random(f"{deals} {deal} {turned}")
            ranks = play(game, rules, [table[who] for who in seats], f"{deals} {deal}", rng).ranks
            shares = {
                who: fmean(
                    (ranks[seat] < rank) + (ranks[seat] == rank) / 2
                    for at, rank in enumerate(ranks)
                    if at != seat
                )
                for seat, who in enumerate(seats)
            }
            ahead += shares[0] - shares[1]
        deal += 1
        yield ahead / case.seats


def terms(points: Any) -> Any:
    """Return the terms of a quadratic surface at points."""
    one, other = np.asarray(points, dtype=float).T
    return np.stack([np.ones_like(one), one, other, one * one, one * other, other * other], axis=-1)


def optimum(case: Case, deals: int) -> Values:
    """Return the best values by brute force, and print the grid."""
    places = [(one / (LINES - 1), other / (LINES - 1)) for one in range(LINES) for other in range(LINES)]
    shares = []
    for point in places:
        played = list(islice(results(case, case.at(point), case.start, "grid"), deals))
        shares.append(fmean(played))
        told = " ".join(f"{name}={value:g}" for name, value in zip(case.names, case.at(point), strict=True))
        print(f"  {told}: {shares[-1]:+.3f} ± {stdev(played) / sqrt(deals):.3f}", flush=True)
    surface = np.linalg.lstsq(terms(places), np.array(shares), rcond=None)[0]
    everywhere = [(one, other) for one in PLACES for other in PLACES]
    return case.at(everywhere[int((terms(everywhere) @ surface).argmax())])


def tuned(case: Case, budget: int) -> tuple[Values, Tuner]:
    """Return what a tune with so many games finds."""
    start = tuple(value / high for value, high in zip(case.start, case.high, strict=True))
    tuner, waiting = Tuner(start, 1), []
    for step in range(budget // (STEP_DEALS * case.seats)):
        [(first, second)] = tuner.points(step)
        played = results(case, case.at(first), case.at(second), f"tune {step}")
        waiting.append(fmean(islice(played, STEP_DEALS)))
        if len(waiting) > AHEAD_STEPS:
            tuner.add([waiting.pop(0)])
    for left in waiting:
        tuner.add([left])
    return case.at(tuner.best), tuner


def measure(case: Case, deals: int, budget: int, fresh: int) -> None:
    """Look up the optimum, tune, and print what both are worth."""
    for name, value in case.fixed:
        think(case.bot, name, value)
    print(f"{case.game} {case.bot} at tables of {case.seats}", flush=True)
    best = optimum(case, deals)
    found, tuner = tuned(case, budget)
    worth = {
        name: list(islice(results(case, values, case.start, "fresh"), fresh))
        for name, values in (("optimum", best), ("tune", found), ("shipped", case.shipped))
    }
    for name, values in (
        ("start", case.start),
        ("optimum", best),
        ("tune", found),
        ("shipped", case.shipped),
    ):
        gain = worth.get(name)
        error = (
            "" if gain is None else f": {fmean(gain):+.3f} ± {stdev(gain) / sqrt(fresh):.3f} over the start"
        )
        told = " ".join(f"{one}={value:.3g}" for one, value in zip(case.names, values, strict=True))
        print(f"  {name:8} {told}{error}", flush=True)
    top, gained = fmean(worth["optimum"]), fmean(worth["tune"])
    if top:
        # The ratio of two means on the same deals, by the delta method.
        off = [one - gained / top * two for one, two in zip(worth["tune"], worth["optimum"], strict=True)]
        print(
            f"  the tune has {gained / top:.2f} ± {stdev(off) / sqrt(fresh) / abs(top):.2f} of the gain of the optimum"
        )
    test = SequentialTest(Question(0.05, 0.05))
    answer = test.take(islice(results(case, found, case.start, "compare"), 5_000 // case.seats))
    print(f"  the comparison at its end: {answer or 'undecided'} after {test.matches} matches")
    for name, along in zip(case.names, slices(tuner.looked, tuner.best), strict=True):
        print(
            f"  {name}: {along.shares[0]:+.2f} ± {along.errors[0]:.2f} at the lowest value, "
            f"{along.shares[-1]:+.2f} ± {along.errors[-1]:.2f} at the highest",
            flush=True,
        )


def main() -> None:
    """Measure the bots."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--game", choices=[case.game for case in CASES])
    parser.add_argument("--deals", type=int, default=100)
    parser.add_argument("--budget", type=int, default=4000)
    parser.add_argument("--fresh", type=int, default=400)
    given = parser.parse_args()
    for case in CASES:
        if given.game in (None, case.game):
            measure(case, given.deals, given.budget, given.fresh)


if __name__ == "__main__":
    main()
