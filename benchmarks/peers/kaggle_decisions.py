"""Compares the cost of a decision with kaggle-environments: whole games, with agents that answer at once.

    python benchmarks/peers/kaggle_decisions.py [--rounds 7] [--seconds 1] [--results FILE]

Both play the trick game: kaggle-environments between two functions in its own process, Arena between two processes in
Python over pipes, with its clocks, checks and records. Beside it, kaggle-environments plays its own Connect X. Nothing
is stored. Times are CPU times of a decision, Arena's with those of its bots.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.comparison import Target, add_results_option, keep, ratio_line
from benchmarks.games.trick import TrickGame
from benchmarks.peers.asked import peer
from benchmarks.peers.environments import NotThere
from benchmarks.referee import Table, programs

NOTE = (
    "kaggle-environments calls its agents as functions of its own process, copies the state for each and checks it "
    "against a schema after every move. Arena asks processes, under a clock, checks their answers and keeps a record. "
    "Both know the rules as functions in Python."
)
GAMES = 50


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1.0, help="for each of theirs and round")
    add_results_option(parser)
    given = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    own: list[float] = []
    theirs: dict[str, list[float]] = {}
    try:
        with (
            tempfile.TemporaryDirectory(prefix="arena-bench-") as folder,
            peer("kaggle-environments", "kaggle_games.py") as asked,
        ):
            place = Path(folder)
            table = Table(TrickGame(), programs(place, "Python")["Python"], place / "table", wall=False)
            for _ in range(given.rounds):
                for name, value in asked.cpu_us(given.seconds).items():
                    theirs.setdefault(name, []).append(value)
                own.append(table.refereed(GAMES))
            table.pool.close()
    except NotThere as why:
        keep(given.results, [], str(why))
        return
    lines = [
        ratio_line(
            "a decision: kaggle-environments ÷ Arena",
            "trick, Python bots" if name == "trick" else f"{name} there; trick, Python bots, here",
            "µs of CPU time",
            ("kaggle-environments", values),
            ("Arena", own),
            Target(at_least=50) if name == "trick" else None,
            note=NOTE,
        )
        for name, values in theirs.items()
    ]
    for one in lines:
        print(f"{one.name}, {one.setting}: {one.median:.1f} ({one.min:.1f} to {one.max:.1f})")
    keep(given.results, lines)


if __name__ == "__main__":
    main()
