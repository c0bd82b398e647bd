"""Counts the games that matchmakers need until the order, or the ten best, are right: ours and five others.

    python benchmarks/matchmakers.py [--entries 50] [--leagues 8] [--methods ladder random] [--json FILE]

Bots are simulated: each game of `SEATS` has the order that Plackett and Luce's model gives (strength plus Gumbel noise,
which stands for the points of the seat), and strengths are spread like the quantiles of a normal distribution with a
standard deviation of 1 in log odds, about 0.8 of the luck of a seat. A matchmaker chooses `BLOCK` tables at a time, and
sees the results up to `LAG` games before, as a ladder on a few cores does. Whoever chose the tables, bots are ordered
by all games at once: by places (Bradley and Terry's model of all pairs, as `results.analysis.fit`) and by points (least
squares, as `results.analysis.point_strengths`).

With `--json`, leagues are kept in the file and only those that aren't there are played, so a long run can be done in
steps; `docs/pictures/matchmakers.py` draws its picture. All follows from seeds and is the same on every machine. ± is
one standard error, by resampling leagues. 50 bots with 8 leagues take about ten minutes on one core.
"""

import argparse
import json
import os
import random
import sys
from collections import Counter, deque
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from statistics import NormalDist

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # more threads take more time for small matrices

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena.schedules.base import Field, Summary
from arena.schedules.ladder import SCHEDULE, LadderSettings
from results.ratings import rater

Floats = NDArray[np.float64]
Table = Sequence[int]

SEATS, BLOCK, LAG = 4, 16, 32
TOP, TAU = 10, 0.95
LONGEST = {50: 4000, 200: 22_000, 1000: 160_000}
"""Games of a league, by number of bots: about a third more than tables at random need."""
LONGEST_TOP = {50: 1600, 200: 4500, 1000: 30_000}
"""Of leagues whose matchmaker looks for the ten best."""
GROWTH = 1.12


class League:
    """One league: what was played, and what a matchmaker may know of it."""

    def __init__(self, entries: int, number: int) -> None:
        self.entries = entries
        self.rng = random.Random(f"{entries}/{number}")
        self.best_first = self.rng.sample(range(entries), entries)
        spread = NormalDist()
        self._strength = [0.0] * entries
        for place, entry in enumerate(self.best_first):
            self._strength[entry] = spread.inv_cdf((entries - place - 0.5) / entries)
        self._system = rater("trueskill", {"draw_probability": 0.01})
        self.scale = self._system.scale
        self.ratings = dict.fromkeys(range(entries), self.scale.start)
        self.met = np.zeros((entries, entries))
        self.won, self.points = np.zeros(entries), np.zeros(entries)
        self.planned, self.seen = 0, 0
        self.matches: Counter[int] = Counter()
        self.pairs: Counter[tuple[int, int]] = Counter()
        self.unseen: Counter[int] = Counter()
        self._waiting: deque[tuple[list[int], list[int]]] = deque()

    def play(self, table: Table) -> None:
        """Play a game; its result is seen later."""
        seated = self.rng.sample(list(table), SEATS)
        points = [self._strength[entry] - np.log(-np.log(self.rng.random())) for entry in seated]
        ranks = [1 + sum(other > own for other in points) for own in points]
        mean = sum(points) / SEATS
        for entry, rank, more in zip(seated, ranks, points, strict=True):
            self.won[entry] += SEATS - rank
            self.points[entry] += more - mean
            self.met[entry, seated] += 1
        self.matches.update(seated)
        self.unseen.update(seated)
        self.pairs.update(combinations(sorted(seated), 2))
        self._waiting.append((seated, ranks))
        self.planned += 1

    def see(self, upto: int) -> None:
        """Let the matchmaker see the results of so many games."""
        while self.seen < upto:
            seated, ranks = self._waiting.popleft()
            rated = self._system.rate([self.ratings[entry] for entry in seated], ranks)
            self.ratings.update(zip(seated, rated, strict=True))
            self.unseen.subtract(seated)
            self.seen += 1

    def beliefs(self) -> tuple[Floats, Floats]:
        """Return μ of each entry, equal ones in random order, and σ as expected once the unseen games have results."""
        rated = [self.ratings[entry] for entry in range(self.entries)]
        sigma = [
            (1 / one.sigma**2 + self.unseen[e] / (3 * self.scale.unit**2)) ** -0.5
            for e, one in enumerate(rated)
        ]
        mu = [one.mu + 1e-6 * self.rng.random() for one in rated]
        return np.array(mu), np.array(sigma)

    def least_played(self) -> int:
        """Return one of the entries with the fewest games, at random."""
        fewest = min(self.matches[entry] for entry in range(self.entries))
        return self.rng.choice([e for e in range(self.entries) if self.matches[e] == fewest])

    def by_places(self, value: Floats) -> Floats:
        """Return the strengths by places, beginning with `value`."""
        return _fitted(self.met, self.won, value)

    def by_points(self) -> Floats:
        """Return the strengths by points, by least squares, held a little at 0."""
        information = np.diag(self.met.diagonal() + 0.02) - self.met / SEATS
        return np.asarray(np.linalg.solve(information, self.points))

    def judged(self, value: Floats) -> tuple[float, int]:
        """Return Kendall's τ of strengths with the true order, and how many of the ten best are among their best."""
        known = value[self.best_first]
        ahead = np.sign(known[:, None] - known[None, :])
        pairs = self.entries * (self.entries - 1) / 2
        return float(np.triu(ahead, 1).sum()) / pairs, int(
            (np.argsort(-known[::-1], kind="stable")[:TOP] >= len(known) - TOP).sum()
        )


def _fitted(met: Floats, won: Floats, value: Floats) -> Floats:
    """Return the strengths in log odds that make the results of all pairs likeliest, held a little at 0."""
    met = met - np.diag(met.diagonal())
    held = 0.05
    for _ in range(12):
        chance = 1 / (1 + np.exp(value[None, :] - value[:, None]))
        slope = won - (met * chance).sum(axis=1) - held * value
        information = -met * chance * (1 - chance)
        information += np.diag(held - information.sum(axis=1))
        step = np.linalg.solve(information, slope)
        value = value + step * min(1.0, 2 / max(np.abs(step).max(), 1e-9))
        if np.abs(step).max() < 1e-6:
            break
    return np.asarray(value)


Matchmaker = Callable[[League], Sequence[Table]]
"""Returns the next tables, in order; is told by `League` what it may know."""


def at_random(league: League) -> Sequence[Table]:
    """All play equally often, with opponents at random: a round of decks of all entries."""
    entries = league.rng.sample(range(league.entries), league.entries)
    rest = league.entries % SEATS
    entries += league.rng.sample(entries[: league.entries - rest], (SEATS - rest) % SEATS)
    return [entries[first : first + SEATS] for first in range(0, len(entries), SEATS)]


def swiss(league: League) -> Sequence[Table]:
    """All play equally often, in rounds; of the next in the standings, those that met least share a table."""
    mean = {e: league.won[e] / max(1, league.matches[e]) for e in range(league.entries)}
    left = sorted(range(league.entries), key=lambda e: (-mean[e], league.rng.random()))
    left += league.rng.sample(left[: -(league.entries % SEATS) or None], -league.entries % SEATS)
    tables = []
    while left:
        table = [left.pop(0)]
        while len(table) < SEATS:
            near = [place for place, entry in enumerate(left) if entry not in table][: 2 * SEATS] or [0]
            table.append(left.pop(min(near, key=lambda place: (league.met[table, left[place]].sum(), place))))
        tables.append(table)
    return tables


def nearest(league: League) -> Sequence[Table]:
    """Who has played least meets the nearest by TrueSkill's μ."""
    mu, _ = league.beliefs()
    tables = []
    for _ in range(BLOCK):
        first = league.least_played()
        tables.append([int(entry) for entry in np.argsort(np.abs(mu - mu[first]), kind="stable")[:SEATS]])
        league.matches.update(tables[-1])
    for table in tables:
        league.matches.subtract(table)
    return tables


def quality(league: League) -> Sequence[Table]:
    """Who has played least meets those with whom TrueSkill's draw probability is highest."""
    mu, sigma = league.beliefs()
    beta = 2 * league.scale.unit**2
    tables = []
    for _ in range(BLOCK):
        first = league.least_played()
        whole = beta + sigma**2 + sigma[first] ** 2
        match = np.sqrt(beta / whole) * np.exp(-((mu - mu[first]) ** 2) / (2 * whole))
        match[first] = 2
        tables.append([int(entry) for entry in np.argsort(-match, kind="stable")[:SEATS]])
        league.matches.update(tables[-1])
    for table in tables:
        league.matches.subtract(table)
    return tables


def bandit(top: int = 0) -> Matchmaker:
    """Return LUCB: two pairs of neighbours whose intervals overlap most; with `top`, of both sides of the cut."""

    def choose(league: League) -> Sequence[Table]:
        mu, sigma = league.beliefs()
        precision = sigma**-2
        order = np.argsort(-mu, kind="stable")
        tables = []
        for _ in range(BLOCK):
            wide = 2 / np.sqrt(precision)
            if top:
                inside, outside = order[:top], order[top:]
                lowest = inside[np.argsort((mu - wide)[inside], kind="stable")[: SEATS // 2]]
                highest = outside[np.argsort(-(mu + wide)[outside], kind="stable")[: SEATS // 2]]
                table = [*lowest, *highest]
            else:
                overlap = (mu + wide)[order[1:]] - (mu - wide)[order[:-1]]
                table = []
                for place in np.argsort(-overlap, kind="stable"):
                    pair = [order[place], order[place + 1]]
                    if not set(pair) & set(table):
                        table += pair
                    if len(table) == SEATS:
                        break
            precision[table] += 1 / (3 * league.scale.unit**2)
            tables.append([int(entry) for entry in table])
        return tables

    return choose


def ladder(aim: str = "order") -> Matchmaker:
    """Return the ladder of Arena."""

    def choose(league: League) -> Sequence[Table]:
        field = Field(tuple(range(league.entries)), (SEATS,), scale=league.scale)
        settings = LadderSettings(lag=LAG, block=BLOCK, aim=aim)
        summary = Summary(
            league.planned,
            league.seen,
            league.matches,
            league.unseen,
            league.pairs,
            ratings=league.ratings,
        )
        return [pairing.entries for pairing in SCHEDULE.next_matches(field, settings, summary) or ()]

    return choose


METHODS: dict[str, Matchmaker] = {
    "random": at_random,
    "swiss": swiss,
    "nearest": nearest,
    "quality": quality,
    "bandit": bandit(),
    "ladder": ladder(),
    "bandit-top": bandit(TOP),
    "ladder-top": ladder(f"top:{TOP}"),
}


def played(entries: int, name: str, number: int) -> list[list[float]]:
    """Play a league; return at each checkpoint: games, τ and how many of the ten by places, the same by points."""
    league, choose = League(entries, number), METHODS[name]
    longest = (LONGEST_TOP if name.endswith("-top") else LONGEST).get(entries, 80 * entries)
    rows: list[list[float]] = []
    value, following = np.zeros(entries), 2.0 * entries / SEATS
    needs_ratings = name not in ("random", "swiss")
    while league.planned < longest:
        if needs_ratings:
            league.see(max(league.seen, league.planned - LAG))
        for table in choose(league):
            league.play(table)
            if league.planned >= following:
                value = league.by_places(value)
                rows.append([league.planned, *league.judged(value), *league.judged(league.by_points())])
                following = league.planned * GROWTH
    return rows


def crossing(games: Floats, means: Floats, goal: float) -> float:
    """Return after how many games the means reach the goal: where the rising curve that is closest to them does."""
    means = isotonic_regression(means).x
    below = np.flatnonzero(means < goal)
    if not len(below):
        return float(games[0])
    last = int(below[-1])
    if last == len(games) - 1:
        return float("inf")
    part = (goal - means[last]) / (means[last + 1] - means[last])
    return float(games[last] + part * (games[last + 1] - games[last]))


GOALS = (
    ("τ 0.95, places", 1, TAU),
    ("τ 0.95, points", 3, TAU),
    ("9 of 10, places", 2, 9.0),
    ("9 of 10, points", 4, 9.0),
)


def needed(leagues: Sequence[Sequence[Sequence[float]]], column: int, goal: float) -> tuple[float, float]:
    """Return after how many games the mean of some leagues reaches a goal, and its standard error; NaN: not known."""
    values = np.array(leagues, dtype=np.float64)
    games = values[0, :, 0]
    rng = np.random.default_rng(2)
    draws = [
        crossing(games, values[rng.integers(0, len(values), len(values)), :, column].mean(axis=0), goal)
        for _ in range(400)
    ]
    finite = [one for one in draws if one < np.inf]
    is_known = len(values) > 1 and len(finite) > len(draws) / 2
    error = float(np.std(finite)) if is_known else float("nan")
    return crossing(games, values[:, :, column].mean(axis=0), goal), error


def table_of(kept: dict[str, list[list[list[float]]]]) -> str:
    """Return what each method of one number of bots needed, and as a part of what tables at random did."""
    lines = []
    even = (
        {column: needed(kept["random"], column, goal) for _, column, goal in GOALS}
        if "random" in kept
        else {}
    )
    for name, leagues in kept.items():
        cells = []
        for title, column, goal in GOALS:
            games, error = needed(leagues, column, goal)
            cell = (
                f"{title} {games:,.0f} ±{error:,.0f}"
                if games < np.inf
                else f"{title} not in {leagues[0][-1][0]:,.0f}"
            )
            if column in even and games < np.inf:
                whole, other = even[column]
                ratio = games / whole
                cell += f" ({ratio:.2f} ±{ratio * ((error / games) ** 2 + (other / whole) ** 2) ** 0.5:.2f})"
            cells.append(cell)
        lines.append(
            f"  {name:11} {len(leagues):3} leagues: {'; '.join(cells)}; in the end τ "
            f"{np.mean([one[-1][1] for one in leagues]):.3f}"
        )
    return "\n".join(lines)


def main() -> None:
    """Play what isn't kept yet, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--entries", type=int, nargs="+", default=[50])
    parser.add_argument("--leagues", type=int, default=8)
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(METHODS))
    parser.add_argument(
        "--json", type=Path, help="keep the leagues in this file, and play only those not in it"
    )
    given = parser.parse_args()
    kept = json.loads(given.json.read_text()) if given.json and given.json.exists() else {}
    for entries in given.entries:
        of = kept.setdefault(str(entries), {})
        for number in range(given.leagues):
            for name in given.methods:
                if len(leagues := of.setdefault(name, [])) == number:
                    leagues.append(played(entries, name, number))
                    if given.json:
                        given.json.write_text(json.dumps(kept) + "\n")
        print(f"{entries} bots, {SEATS} seats: games until\n{table_of(of)}", flush=True)


if __name__ == "__main__":
    main()
