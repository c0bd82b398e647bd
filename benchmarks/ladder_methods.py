"""Counts the games that ladders and round robins need until the order is right, with 10, 50 and 200 bots.

    python benchmarks/ladder_methods.py [--entries 10 50 200] [--leagues 60] [--luck bread-basket] [--json FILE]

The bots are simulated, with the luck of real games: the scores of a simulated game are those of a real one between four
copies of one bot, plus the strengths of the seated bots. Strengths are spread like quantiles of a normal distribution
whose standard deviation is `SPREAD` times the luck of one seat, so the true order is known.

A method chooses the tables by one estimate and orders the bots by one. Without a ladder, all bots play equally often,
with opponents at random. Two questions are asked, after growing numbers of games: is the mean of Kendall's τ 0.95, and
are the first five bots the true first five, in any order, in half of the leagues?

All counts follow from seeds and are the same on every machine. ± is one standard error, by resampling leagues.
`docs/ladder_methods.py` draws the figure of the page on ratings from the output of --json.
"""

import argparse
import json
import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from pathlib import Path
from statistics import NormalDist

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # more threads take more time for small matrices

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena import registry
from arena.core.ruleset import ruleset
from arena.registry import game as game_named
from arena.schedules.base import Field, Summary
from benchmarks.in_process import Player, play
from benchmarks.noise.fields import FIELDS
from results.base.scoring import match_ranks
from results.ratings import rater
from results.ratings.base import Rating, Scale

Floats = NDArray[np.float64]

SPREAD = 0.8
"""Standard deviation of the strengths, in units of the luck of a seat: about that of ten noise levels of one bot."""
LUCK_GAMES = 3000
NOISE = 0.3
"""Part of the moves that the copies make at random, so that they don't all play the same."""
TOP = 5
TAU = 0.95
TOP_PART = 0.5
START = Rating(0.0, 2.0)
"""Where estimates by scores start, in units of the luck of a seat."""
GAMES_EACH = {10: 400, 50: 400, 200: 200}
"""By number of bots: a league ends after about so many games of each."""


@dataclass(frozen=True)
class Method:
    """How tables are chosen, and by what the bots are ordered: `trueskill` or `scores`."""

    name: str
    tables_by: str
    """Empty: no ladder."""
    order_by: str


METHODS = (
    Method("equally often, order by TrueSkill", "", "trueskill"),
    Method("equally often, order by scores", "", "scores"),
    Method("ladder by TrueSkill, order by TrueSkill", "trueskill", "trueskill"),
    Method("ladder by TrueSkill, order by scores", "trueskill", "scores"),
    Method("ladder by scores, order by scores", "scores", "scores"),
)


def luck_of(game_name: str, folder: Path) -> Floats:
    """Return the scores of real games between copies of one bot, less the mean of the table, in their spread."""
    path = folder / f"luck-{game_name}.json"
    if not path.exists():
        setting = FIELDS[f"{game_name}-noise"]
        game = game_named(setting.game)
        rules = game.resolve(ruleset(game.info, setting.ruleset), setting.seats)
        players = [Player(f"{game_name.replace('-', '_')}/greedy", NOISE)] * setting.seats
        played = [
            list(play(game, rules, players, f"luck/{deal}", random.Random(deal)).scores)
            for deal in range(LUCK_GAMES)
        ]
        path.write_text(json.dumps(played))
    scores = np.array(json.loads(path.read_text()), dtype=np.float64)
    centred = scores - scores.mean(axis=1, keepdims=True)
    seats = scores.shape[1]
    return np.asarray(centred / (centred.std() * sqrt(seats / (seats - 1))))


def strengths_of(entries: int) -> list[float]:
    """Return the strengths, best first."""
    normal = NormalDist(0, SPREAD)
    return [normal.inv_cdf((entries - i - 0.5) / entries) for i in range(entries)]


class ByScores:
    """Estimates by scores, one game after the other: a normal belief for each entry, in units of the luck of a seat."""

    def __init__(self, entries: int) -> None:
        self.ratings = dict.fromkeys(range(entries), START)

    def add(self, table: Sequence[int], scores: Sequence[float]) -> None:
        """Update the entries of a table; what the game gives to all is unknown."""
        before = [self.ratings[entry] for entry in table]
        weights = [1 / (one.sigma**2 + 1) for one in before]
        total = sum(weights)
        surprise = [score - one.mu for score, one in zip(scores, before, strict=True)]
        common = sum(weight * one for weight, one in zip(weights, surprise, strict=True)) / total
        for entry, one, weight, more in zip(table, before, weights, surprise, strict=True):
            variance = one.sigma**2
            gain = variance * weight
            after = variance - gain * variance + gain * gain / total
            self.ratings[entry] = Rating(one.mu + gain * (more - common), sqrt(after))


def league(luck: Floats, entries: int, tables_by: str, number: int) -> dict[str, list[tuple[float, bool]]]:
    """Play a league; return τ, and whether the first five are right, by estimate and for each of `checkpoints`."""
    seats = luck.shape[1]
    rng = random.Random(f"{entries}/{tables_by}/{number}")
    order = rng.sample(range(entries), entries)
    strength = [0.0] * entries
    for entry, one in zip(order, strengths_of(entries), strict=True):
        strength[entry] = one
    system = rater("trueskill", {"draw_probability": 0.01})
    skill = dict.fromkeys(range(entries), system.scale.start)
    scores = ByScores(entries)
    scale = Scale(START, 1.0) if tables_by == "scores" else system.scale
    tables = _on_a_ladder(entries, seats, scale) if tables_by else _equally_often(entries, seats, rng)
    lucky = luck.tolist()
    met = [[0] * entries for _ in range(entries)]
    result = [0.0] * entries
    ends = checkpoints(entries, seats)
    at = set(ends)
    found: dict[str, list[tuple[float, bool]]] = {"trueskill": [], "scores": []}
    table = next(tables)
    for played in range(1, ends[-1] + 1):
        seated = rng.sample(table, seats)
        points = [strength[entry] + more for entry, more in zip(seated, rng.choice(lucky), strict=True)]
        mean = sum(points) / seats
        for entry, one in zip(seated, points, strict=True):
            result[entry] += one - mean
            for other in seated:
                met[entry][other] += 1
        if tables_by == "scores":
            scores.add(seated, points)
        else:
            new = system.rate([skill[entry] for entry in seated], match_ranks(points))
            skill.update(zip(seated, new, strict=True))
        used = scores.ratings if tables_by == "scores" else skill
        table = tables.send([(entry, used[entry]) for entry in seated])
        if played in at:
            fitted = _fitted(np.array(met, dtype=np.float64), np.array(result), seats)
            found["trueskill"].append(_judged([skill[entry].mu for entry in order]))
            found["scores"].append(_judged(fitted[order].tolist()))
    return found


Tables = Generator[Sequence[int], list[tuple[int, Rating]], None]
"""Yields tables; is sent the new ratings after each."""


def _equally_often(entries: int, seats: int, rng: random.Random) -> Tables:
    deck: list[int] = []
    while True:
        table: list[int] = []
        while len(table) < seats:
            deck = deck or rng.sample(range(entries), entries)
            free = next((i for i, entry in enumerate(deck) if entry not in table), None)
            if free is None:
                deck += rng.sample(range(entries), entries)
            else:
                table.append(deck.pop(free))
        yield table


def _on_a_ladder(entries: int, seats: int, scale: Scale) -> Tables:
    schedule = registry.schedule("ladder")
    settings = schedule.settings()
    field = Field(tuple(range(entries)), (seats,), scale=scale)
    ratings = dict.fromkeys(field.entries, scale.start)
    planned: list[tuple[int, ...]] = []
    changed: list[list[tuple[int, Rating]]] = []
    matches: Counter[int] = Counter()
    pairs: Counter[tuple[int, int]] = Counter()
    unseen: Counter[int] = Counter()
    seen = 0
    while True:
        sees = schedule.sees(field, settings, len(planned))
        for match_no in range(seen, sees):
            unseen.subtract(planned[match_no])
            ratings.update(changed[match_no])
        seen = sees
        summary = Summary(len(planned), seen, matches, unseen, pairs, ratings=ratings)
        new = [pairing.entries for pairing in schedule.next_matches(field, settings, summary) or ()]
        planned += new
        for table in new:
            matches.update(table)
            unseen.update(table)
            pairs.update(combinations(sorted(table), 2))
        for table in new:
            changed += [(yield table)]


def _fitted(met: Floats, result: Floats, seats: int) -> Floats:
    """Return the strengths by least squares, as `results.analysis.point_strengths` does without effects of seats."""
    games = met.diagonal()
    matrix = np.diag(games) - met / seats
    return (
        np.asarray(np.linalg.lstsq(matrix, result, rcond=None)[0])
        if (games == 0).any()
        else np.asarray(np.linalg.solve(matrix + 1 / len(result), result))
    )


def _judged(values: Sequence[float]) -> tuple[float, bool]:
    """Return Kendall's τ of values by true place, and whether the first five are the true ones."""
    known = np.array(values)
    n = len(known)
    ahead = np.sign(known[:, None] - known[None, :])
    tau = float(np.triu(ahead, 1).sum()) / (n * (n - 1) / 2)
    return tau, float(known[:TOP].min()) > float(known[TOP:].max())


def checkpoints(entries: int, seats: int) -> list[int]:
    """Return the numbers of matches after which estimates are judged."""
    most = GAMES_EACH.get(entries, 400) * entries // seats
    found, one = [], 4.0 * entries / seats
    while one <= most:
        found.append(int(one))
        one *= 1.12
    return found


def _both(
    luck: Floats, entries: int, leagues: int, processes: int
) -> Iterator[tuple[Method, NDArray[np.float64]]]:
    """Yield for each method: [league, checkpoint, (τ, top five right)]."""
    with ProcessPoolExecutor(processes) as pool:
        for by in dict.fromkeys(one.tables_by for one in METHODS):
            jobs = [pool.submit(league, luck, entries, by, number) for number in range(leagues)]
            played = [job.result() for job in jobs]
            for method in METHODS:
                if method.tables_by == by:
                    yield method, np.array([one[method.order_by] for one in played], dtype=np.float64)


def _crossing(at: Sequence[int], means: Floats, goal: float) -> float:
    """Return the number of matches at which the means reach the goal for good, between those that were looked at."""
    below = np.flatnonzero(means < goal)
    if not len(below):
        return float(at[0])
    i = int(below[-1])
    if i == len(at) - 1:
        return float("inf")
    part = (goal - means[i]) / (means[i + 1] - means[i])
    return float(at[i] + part * (at[i + 1] - at[i]))


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--entries", type=int, nargs="+", default=[10, 50, 200])
    parser.add_argument("--leagues", type=int, default=60)
    parser.add_argument(
        "--luck",
        choices=sorted({field.game for field in FIELDS.values() if field.is_ordered}),
        default="bread-basket",
    )
    parser.add_argument(
        "--folder", type=Path, default=Path(tempfile.gettempdir()), help="keeps the real games"
    )
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--json", type=Path, help="write the curves to this file")
    given = parser.parse_args()
    luck = luck_of(given.luck, given.folder)
    seats = luck.shape[1]
    told = {}
    for entries in given.entries:
        at = checkpoints(entries, seats)
        print(
            f"{entries} bots, {seats} seats, luck of {given.luck}, {given.leagues} leagues: games until",
            flush=True,
        )
        curves = {}
        for method, values in _both(luck, entries, given.leagues, given.processes):
            rng = np.random.default_rng(2)
            line = []
            for column, goal in ((0, TAU), (1, TOP_PART)):
                one = values[:, :, column]
                drawn = [
                    _crossing(at, one[rng.integers(0, len(one), len(one))].mean(axis=0), goal)
                    for _ in range(400)
                ]
                line += [
                    _crossing(at, one.mean(axis=0), goal),
                    float(np.std([d for d in drawn if d < np.inf])),
                ]
            print(
                f"  {method.name:42} τ {TAU}: {line[0]:7.0f} ±{line[1]:4.0f}   "
                f"first {TOP} right: {line[2]:7.0f} ±{line[3]:4.0f}",
                flush=True,
            )
            curves[method.name] = {
                "tau": values[:, :, 0].mean(axis=0).round(4).tolist(),
                "top": values[:, :, 1].mean(axis=0).round(4).tolist(),
                "games": at,
                "needed": line,
            }
        told[str(entries)] = curves
    if given.json:
        given.json.write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
