"""Compares what ratings may be computed from: each match as one, or each game.

    python benchmarks/rating_units.py [--leagues 60] [--setting N]

The same simulated leagues are rated by TrueSkill three times: each match by the ranks of its sums of shares, by the
ranks of its sums of scores, and each game by its own ranks. Printed for each:

- information: how much the ratings tell of the true differences, as the ratio of their variance to that of the errors,
  relative to matches by shares;
- coverage: of how many pairs the true difference of μ is within 1.96 standard deviations by σ. True is what ratings
  come to in a long league, each way by itself.

What the games of a match are worth depends on what they have in common. The cards at a seat go to every bot once,
which makes a match worth more than as many independent games; what a bot keeps for a whole match, such as its
neighbour, makes it worth less. `worth` is the number of independent games that say as much about a bot's mean score.

± is one standard error.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))

from results.base.scoring import game_shares, match_ranks
from results.ratings import Rater, rater

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Setting(NamedTuple):
    """Simulated leagues, in units of the luck that every game has of its own."""

    words: str
    entries: int
    seats: int
    matches: int
    spread: float
    """Standard deviation of the strengths."""
    step: float
    """Scores are whole multiples of it: a large step gives many ties."""
    cards: float = 0.7
    """Standard deviation of what the cards at a seat are worth in all games of a deal."""
    kept: float = 0.0
    """Standard deviation of what a bot has in all games of a match."""

    @property
    def worth(self) -> float:
        """How many independent games say as much as a match."""
        of_match = self.kept**2 + 1 / self.seats
        return (1 + self.cards**2 + self.kept**2) / of_match


SETTINGS = (
    Setting("wide field", 8, 2, 60, 1.0, 0.2),
    Setting("wide field, heavy ties", 10, 2, 300, 1.0, 2.0),
    Setting("close field", 10, 2, 300, 0.2, 0.5),
    Setting("wide field", 8, 3, 60, 1.0, 0.4),
    Setting("close field, heavy ties", 10, 3, 1000, 0.2, 2.0),
    Setting("wide field", 10, 4, 100, 1.0, 0.4),
    Setting("close field", 10, 4, 300, 0.3, 0.4),
    Setting("close field, long", 10, 4, 3000, 0.1, 0.9),
    Setting("wide field", 12, 6, 100, 1.0, 0.4),
    Setting("close field", 12, 6, 300, 0.2, 0.9),
    Setting("games worth as many", 10, 4, 300, 0.5, 0.4, cards=0.5, kept=0.29),
    Setting("games that repeat each other", 10, 4, 300, 0.5, 0.4, cards=0.7, kept=0.9),
)
LONG = 12_000
"""Matches of the league that ratings come to, and of the one of equals in which ties are counted."""
WAYS = ("matches by shares", "matches by scores", "games")
Match = tuple[list[int], list[tuple[list[int], Sequence[int]]]]
"""Entries, and what is rated: entries of one rating step and their ranks."""


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--leagues", type=int, default=60)
    parser.add_argument("--setting", type=int, choices=range(len(SETTINGS)), help="only this one; from 0")
    given = parser.parse_args()
    for setting in SETTINGS if given.setting is None else (SETTINGS[given.setting],):
        for line in compared(setting, given.leagues):
            print(line, flush=True)


def compared(setting: Setting, leagues: int) -> Iterator[str]:
    """Yield a line for each way."""
    strengths = np.random.default_rng(7).normal(0, 1, setting.entries) * setting.spread
    long = setting._replace(matches=LONG)
    even = _steps(long, np.zeros(setting.entries), np.random.default_rng(5))
    raters = {way: rater("trueskill", {"draw_probability": _ties(steps)}) for way, steps in even.items()}
    endless = _steps(long, strengths, np.random.default_rng(6))
    truth = {way: _rated(raters[way], setting.entries, steps)[0] for way, steps in endless.items()}
    signal: dict[str, list[float]] = {way: [] for way in WAYS}
    noise: dict[str, list[float]] = {way: [] for way in WAYS}
    held: dict[str, list[float]] = {way: [] for way in WAYS}
    for number in range(leagues):
        rng = np.random.default_rng([setting.entries, setting.matches, number])
        for way, steps in _steps(setting, strengths, rng).items():
            mu, sigma = _rated(raters[way], setting.entries, steps)
            true = truth[way]
            error = mu - true
            a, b = np.triu_indices(setting.entries, 1)
            spread = np.hypot(sigma[a], sigma[b])
            held[way].append(float((np.abs(error[a] - error[b]) <= 1.96 * spread).mean()))
            signal[way].append(float(mu @ (true - true.mean())))
            noise[way].append(float(mu.var() * setting.entries))
    first = None
    for way in WAYS:
        found = _information(np.array(signal[way]), np.array(noise[way]), truth[way])
        first = first or found
        rng = np.random.default_rng(1)
        drawn = []
        for _ in range(200):
            pick = rng.integers(0, leagues, leagues)
            one = _information(np.array(signal[way])[pick], np.array(noise[way])[pick], truth[way])
            base = _information(
                np.array(signal[WAYS[0]])[pick], np.array(noise[WAYS[0]])[pick], truth[WAYS[0]]
            )
            drawn.append(one / base)
        ties = raters[way].options["draw_probability"]
        yield (
            f"{setting.words:28} {setting.entries:2} bots, {setting.seats} seats, {setting.matches:4} × "
            f"{setting.seats}, worth {setting.worth:3.1f}  {way:17}  ties {ties:4.2f}  "
            f"{found / first:4.2f} ±{np.std(drawn):.2f}  {100 * np.mean(held[way]):5.1f} "
            f"±{100 * np.std(held[way]) / leagues**0.5:.1f}"
        )


def _information(signal: Floats, total: Floats, truth: Floats) -> float:
    """Return the variance of the ratings that the true ones explain, over the rest of it."""
    centred = truth - truth.mean()
    slope = signal.mean() / float(centred @ centred)
    explained = slope * signal.mean()
    return float(explained / (total.mean() - explained))


def _ties(steps: list[list[tuple[list[int], Sequence[int]]]]) -> float:
    """Return how often two equals tie in one rating step, as `arena league create` measures it."""
    tied = [
        first == second for match in steps for _, ranks in match for first, second in combinations(ranks, 2)
    ]
    return min(max(sum(tied) / len(tied), 0.01), 0.5)


def _rated(
    system: Rater, entries: int, steps: list[list[tuple[list[int], Sequence[int]]]]
) -> tuple[Floats, Floats]:
    """Return μ and σ by entry after all matches."""
    ratings = [system.scale.start] * entries
    for match in steps:
        for table, ranks in match:
            after = system.rate([ratings[entry] for entry in table], ranks)
            for entry, rating in zip(table, after, strict=True):
                ratings[entry] = rating
    return np.array([one.mu for one in ratings]), np.array([one.sigma for one in ratings])


def _steps(
    setting: Setting, strengths: Floats, rng: np.random.Generator
) -> dict[str, list[list[tuple[list[int], Sequence[int]]]]]:
    """Return what each way rates: by match, the entries and ranks of each rating step."""
    seats, matches = setting.seats, setting.matches
    tables = np.argsort(rng.random((matches, setting.entries)), axis=1)[:, :seats]
    at_seat = (np.arange(seats)[:, None] - np.arange(seats)[None, :]) % seats  # [game, place in the table]
    worth = (
        strengths[tables] + rng.normal(0, setting.kept, tables.shape) if setting.kept else strengths[tables]
    )
    cards = rng.normal(0, setting.cards, (matches, seats))
    score = worth[:, None, :] + cards[:, at_seat] + rng.normal(0, 1, (matches, seats, seats))
    scores = np.round(score / setting.step).astype(np.int64)
    ranks = 1 + (scores[..., None, :] > scores[..., :, None]).sum(axis=-1)
    found: dict[str, list[list[tuple[list[int], Sequence[int]]]]] = {way: [] for way in WAYS}
    for table, of_games, points in zip(
        tables.tolist(), ranks.tolist(), scores.sum(axis=1).tolist(), strict=True
    ):
        sums = [sum(shares) for shares in zip(*map(game_shares, of_games), strict=True)]
        found["matches by shares"].append([(table, match_ranks(sums))])
        found["matches by scores"].append([(table, match_ranks(points))])
        found["games"].append([(table, of_game) for of_game in of_games])
    return found


if __name__ == "__main__":
    main()
