"""How fast matches are rated, against the trueskill package: both sides in one run, the median ratio with min and max.

python benchmarks/rating_fold.py [--rounds 15] [--json FILE]
"""

import argparse
import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import trueskill

sys.path.insert(0, str(Path(__file__).parents[1]))

from results.ratings import rater
from results.ratings.base import Rating

Match = tuple[list[Rating], list[int]]
MATCHES = 40


def matches(entries: int, *, ties: bool) -> list[Match]:
    """Return random matches, with one tie each if asked for."""
    rng = random.Random(entries)
    found = []
    for _ in range(MATCHES):
        ranks = list(range(1, entries + 1))
        if ties:
            first = rng.randrange(entries - 1)
            ranks[first + 1] = ranks[first]
        found.append(([Rating(rng.gauss(25, 5), rng.uniform(0.5, 5)) for _ in range(entries)], ranks))
    return found


def cpu_us(rate: Callable[[Sequence[Rating], Sequence[int]], object], table: Sequence[Match]) -> float:
    """Return the CPU time of one match in microseconds."""
    begun_s = time.process_time()
    for ratings, ranks in table:
        rate(ratings, ranks)
    return (time.process_time() - begun_s) / len(table) * 1e6


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    package = trueskill.TrueSkill(tau=0.0, draw_probability=0.1)
    rows = []
    print(
        f"{'entries':>7} {'ties':>4} {'arithmetic':>10} {'µs':>7} {'package µs':>10}  times as fast (min, max)"
    )
    for entries in range(2, 7):
        for ties in (False, True):
            table = matches(entries, ties=ties)
            for arithmetic in ("scalar", "package"):
                rate = rater("trueskill", {"draw_probability": 0.1, "arithmetic": arithmetic}).rate
                rounds = []
                for _ in range(given.rounds):
                    own = cpu_us(rate, table)
                    theirs = cpu_us(
                        lambda ratings, ranks: package.rate(
                            [(trueskill.Rating(one.mu, one.sigma),) for one in ratings], ranks
                        ),
                        table,
                    )
                    rounds.append((theirs / own, own, theirs))
                rounds.sort()
                ratio, own, theirs = (statistics.median(column) for column in zip(*rounds, strict=True))
                print(
                    f"{entries:>7} {'one' if ties else 'none':>4} {arithmetic:>10} {own:>7.1f} {theirs:>10.1f}"
                    f"  {ratio:.1f} ({rounds[0][0]:.1f}, {rounds[-1][0]:.1f})"
                )
                rows.append(
                    {"entries": entries, "ties": ties, "arithmetic": arithmetic, "us": own, "ratio": ratio}
                )
    if given.json:
        given.json.write_text(json.dumps(rows))


if __name__ == "__main__":
    main()
