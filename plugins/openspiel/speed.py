"""Compares Connect Four of OpenSpiel in Arena with Connect X of kaggle-environments: CPU time of a decision.

    plugins/openspiel/.venv/bin/python plugins/openspiel/speed.py [--rounds 7] [--seconds 1]

Arena plays between two processes in Python over pipes, with clocks, checks and records, and counts their CPU time, too.
kaggle-environments plays between two functions of its own process. Both choose at once, on one core, as in a league.
The ratio is taken within each round: median, least and most.
"""

import argparse
import os
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from arena.registry import game
from benchmarks.peers.asked import peer
from benchmarks.referee import Table, programs

GAMES = 30


def main() -> None:
    """Measure, and print the figures. Raises NotThere if kaggle-environments can't be installed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1.0, help="for each round of theirs")
    given = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):  # as the worker of a league with its bots
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    rows: list[tuple[float, float]] = []
    with (
        tempfile.TemporaryDirectory(prefix="arena-bench-") as folder,
        peer("kaggle-environments", "kaggle_games.py") as asked,
    ):
        place = Path(folder)
        table = Table(
            game("openspiel:connect_four"), programs(place, "Python")["Python"], place / "table", wall=False
        )
        rows += [
            (asked.cpu_us(given.seconds)["Connect X"], table.refereed(GAMES)) for _ in range(given.rounds)
        ]
        table.pool.close()
    for name, values in (
        ("kaggle-environments, µs a decision", [theirs for theirs, _ in rows]),
        ("Arena, µs a decision", [own for _, own in rows]),
        ("ratio", [theirs / own for theirs, own in rows]),
    ):
        print(f"{name}: {statistics.median(values):.1f} ({min(values):.1f} to {max(values):.1f})")


if __name__ == "__main__":
    main()
