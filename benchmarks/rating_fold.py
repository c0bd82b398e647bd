"""How fast matches are rated, against the trueskill package: both sides in one run, the median ratio with min and max.

python benchmarks/rating_fold.py [--rounds 15] [--results FILE]
"""

import argparse
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import trueskill

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.comparison import Target, add_results_option, keep, ratio_line, value_line
from results.ratings import Rater, rater
from results.ratings.base import Rating
from results.ratings.trueskill import REFERENCE as PACKAGE
from results.ratings.trueskill import TrueSkillSettings

Match = tuple[list[Rating], list[int]]
MATCHES = 40
COMPARED = 100
"""Matches to look for differences in, a round: a rare one is decided by the last bit."""
TIES = "Arena rates tied entries in every order and takes the mean; the package takes one order."
REFERENCE = Rater(PACKAGE, TrueSkillSettings(draw_probability=0.1)).rate
"""The package's arithmetic, for the differences."""


def matches(entries: int, *, ties: bool, count: int = MATCHES) -> list[Match]:
    """Return random matches, with one tie each if asked for."""
    rng = random.Random(entries)
    found = []
    for _ in range(count):
        ranks = list(range(1, entries + 1))
        if ties:
            first = rng.randrange(entries - 1)
            ranks[first + 1] = ranks[first]
        found.append(([Rating(rng.gauss(25, 5), rng.uniform(0.5, 5)) for _ in range(entries)], ranks))
    return found


def tied_often(count: int) -> list[Match]:
    """Return random matches of 3 to 6 entries with ranks that many of them share, great upsets among them."""
    rng = random.Random(0)
    found = []
    for _ in range(count):
        entries = rng.randrange(3, 7)
        ranks = [rng.randrange(entries // 2 + 1) for _ in range(entries)]
        found.append(([Rating(rng.gauss(25, 8), rng.uniform(0.5, 8)) for _ in range(entries)], ranks))
    return found


def cpu_us(rate: Callable[[Sequence[Rating], Sequence[int]], object], table: Sequence[Match]) -> float:
    """Return the CPU time of one match in microseconds."""
    begun_s = time.process_time()
    for ratings, ranks in table:
        rate(ratings, ranks)
    return (time.process_time() - begun_s) / len(table) * 1e6


def difference(
    ours: Callable[[Sequence[Rating], Sequence[int]], Sequence[Rating]],
    theirs: Callable[[Sequence[Rating], Sequence[int]], Sequence[Rating]],
    ratings: Sequence[Rating],
    ranks: Sequence[int],
) -> float:
    """Return the largest difference between two ways to rate one match."""
    pairs = zip(ours(ratings, ranks), theirs(ratings, ranks), strict=True)
    return max(max(abs(one.mu - other.mu), abs(one.sigma - other.sigma)) for one, other in pairs)


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=15)
    add_results_option(parser)
    given = parser.parse_args()
    package = trueskill.TrueSkill(tau=0.0, draw_probability=0.1)

    def by_package(ratings: Sequence[Rating], ranks: Sequence[int]) -> list[Rating]:
        rated = package.rate([(trueskill.Rating(one.mu, one.sigma),) for one in ratings], ranks)
        return [Rating(one.mu, one.sigma) for (one,) in rated]

    lines, furthest = [], 0.0
    print(f"{'entries':>7} {'ties':>4} {'µs':>7} {'package µs':>10}  times as fast (min, max)")
    for entries in range(2, 7):
        for ties in (False, True):
            table = matches(entries, ties=ties)
            rate = rater("trueskill", {"draw_probability": 0.1}).rate
            rounds = []
            for _ in range(given.rounds):
                own = cpu_us(rate, table)
                theirs = cpu_us(by_package, table)
                rounds.append((theirs / own, own, theirs))
            rounds.sort()
            ratio, own, theirs = (statistics.median(column) for column in zip(*rounds, strict=True))
            print(
                f"{entries:>7} {'one' if ties else 'none':>4} {own:>7.1f} {theirs:>10.1f}"
                f"  {ratio:.1f} ({rounds[0][0]:.1f}, {rounds[-1][0]:.1f})"
            )
            compared = matches(entries, ties=ties, count=COMPARED * given.rounds)
            furthest = max(furthest, *(difference(rate, REFERENCE, *match) for match in compared))
            lines.append(
                ratio_line(
                    "rating a match: the trueskill package ÷ ours",
                    f"{entries} entries, {'a tie' if ties else 'no ties'}",
                    "µs of CPU time",
                    ("the trueskill package", [theirs for _, _, theirs in rounds]),
                    ("ours", [own for _, own, _ in rounds]),
                    Target(at_least=5 if ties else 8),
                    note=TIES if ties else "",
                )
            )
    rate = rater("trueskill", {"draw_probability": 0.1}).rate
    often = tied_often(10 * COMPARED * given.rounds)
    rarely = max(difference(rate, REFERENCE, *match) for match in often)
    for which, found in (("at most one tie", furthest), ("many ties and upsets", rarely)):
        lines.append(
            value_line(
                "largest difference of a rating from the package",
                f"2 to 6 entries, {which}, {len(often):,} matches",
                "points of µ or σ",
                ("ours", [found]),
                target=Target(at_most=1e-9),
                note="The package with the same functions V and W, and the same treatment of ties.",
            )
        )
    keep(given.results, lines)


if __name__ == "__main__":
    main()
