"""Measures the CPU time that schedules take to plan: a ladder's matches, and the rounds of a Swiss, in large fields.

The results are made up. Each ladder begins with ratings as after some matches, and is planned block by block; after a
block, the ratings of those who played are moved. The Swiss is played from its first round on.

    python benchmarks/planning.py [--blocks 12] [--rounds 6] [--entries 2000 10000] [--results FILE]
"""

import argparse
import random
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena.schedules.base import Field, Finished, Summary
from arena.schedules.ladder import SCHEDULE as LADDER
from arena.schedules.ladder import LadderSettings
from arena.schedules.swiss import SCHEDULE as SWISS
from arena.schedules.swiss import SwissSettings
from benchmarks.comparison import Line, Target, add_results_option, keep, value_line
from results.ratings.base import Rating
from results.scoring import UNIT

FIRST = "Blocks after the first, which is a line of its own."


def ladder_ms(entries: int, seats: int, blocks: int, *, joined: bool) -> list[float]:
    """Plan a ladder; return the CPU time of a match in milliseconds, by block.

    `joined`: whether a tenth of the field joined late, so that the rules for a moving field hold.
    """
    rng = random.Random(entries)
    late = dict.fromkeys(range(0, entries, 10), 5 * entries) if joined else {}
    field = Field(entries=tuple(range(entries)), seats=(seats,), joined=late)
    settings = LadderSettings()
    ratings = {e: Rating(rng.gauss(25, 6), rng.uniform(1.5, 4)) for e in field.entries if rng.random() < 0.98}
    matches = {e: rng.randrange(8, 20) for e in field.entries}
    latest = {e: 16 * entries // 2 - rng.randrange(entries) for e in field.entries}
    planned = 16 * entries // 2
    pairs: dict[tuple[int, int], int] = {}
    unseen: dict[int, int] = {}
    waiting: list[tuple[int, ...]] = []
    found = []
    for _ in range(blocks):
        summary = Summary(
            planned,
            max(0, planned - len(waiting)),
            matches,
            unseen,
            pairs,
            ratings=ratings,
            latest=latest,
        )
        begun_s = time.process_time()
        LADDER.rests(field, settings, summary)
        tables = LADDER.next_matches(field, settings, summary) or ()
        found.append((time.process_time() - begun_s) * 1000 / len(tables))
        for match_no, table in enumerate(tables, planned):
            for entry in table.entries:
                matches[entry] += 1
                unseen[entry] = unseen.get(entry, 0) + 1
                latest[entry] = match_no
            for place, one in enumerate(table.entries):
                for other in table.entries[:place]:
                    pair = (min(one, other), max(one, other))
                    pairs[pair] = pairs.get(pair, 0) + 1
        planned += len(tables)
        waiting += [table.entries for table in tables]
        while len(waiting) > 32:
            for entry in waiting.pop(0):
                unseen[entry] -= 1
                before = ratings.get(entry, field.scale.start)
                ratings = {
                    **ratings,
                    entry: Rating(before.mu + rng.gauss(0, 0.5), max(0.8, before.sigma * 0.97)),
                }
    return found


def swiss_s(entries: int, rounds: int) -> list[float]:
    """Plan a Swiss at tables of two; return the CPU time of each round in seconds."""
    rng = random.Random(entries)
    field = Field(entries=tuple(range(entries)), seats=(2,))
    settings = SwissSettings(rounds=rounds)
    tally: Any = SWISS.tally(field, settings)
    planned, found = 0, []
    for _ in range(rounds):
        summary = Summary(planned, planned, tally=tally)
        begun_s = time.process_time()
        tables = SWISS.next_matches(field, settings, summary) or ()
        found.append(time.process_time() - begun_s)
        planned += len(tables)
        for match_no, table in enumerate(tables, summary.planned):
            share = rng.choice((0, 1, 2)) * UNIT // 2
            tally.add(Finished(match_no, table.round_no, table.entries, (share, UNIT - share), 1))
    return found


def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--blocks", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--entries", type=int, nargs="+", default=[2000, 10_000])
    add_results_option(parser)
    given = parser.parse_args()
    lines: list[Line] = []
    for entries in given.entries:
        for seats, joined in ((2, False), (2, True), (4, False)):
            times = ladder_ms(entries, seats, given.blocks, joined=joined)
            print(
                f"ladder {entries:6} entries, {seats} seats{', moving' if joined else '':8}: "
                f"first block {times[0]:6.2f} ms a match, then {median(times[1:]):6.2f} "
                f"({min(times[1:]):.2f} to {max(times[1:]):.2f})",
                flush=True,
            )
            setting = f"{entries:,} entries at tables of {seats}{', some joined late' if joined else ''}"
            name, unit = "plan a match of a ladder", "ms of CPU time"
            lines.append(
                value_line(name, setting, unit, ("a block", times[1:]), target=Target(at_most=1), note=FIRST)
            )
            lines.append(value_line("the same, first block", setting, unit, ("the first block", times[:1])))
    for entries in (2000, 2001):
        times = swiss_s(entries, given.rounds)
        print(
            f"Swiss {entries} entries: {median(times):.2f} s a round ({min(times):.2f} to {max(times):.2f})"
        )
        name, setting = "plan a round of a Swiss", f"{entries:,} entries at tables of 2"
        lines.append(value_line(name, setting, "s of CPU time", ("a round", times), target=Target(at_most=1)))
    keep(given.results, lines)


if __name__ == "__main__":
    main()
