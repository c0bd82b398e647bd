"""Measures what freezing costs: µs of CPU time per decision in whole games of confined bots, on one core.

    python benchmarks/freezing.py [--rounds 9] [--bots C,Python]

The bots are never frozen, frozen after every answer, or frozen late, as in a league. Each round measures all three
in turn, each as the least of four runs, and ratios to `never` are computed within a round. Needs a control group.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from msgspec.structs import replace

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena.players.bot import BotPlayer
from arena.players.pool import BotPool, PoolLimits
from arena.sandbox.bot_program import Bounds, Program
from arena.sandbox.confinement import Confinement, choose
from benchmarks.comparison import add_results_option, keep, ratio_line
from benchmarks.games.trick import TrickGame
from benchmarks.referee import Table, programs

GAMES = 20


def _cpu_s(players: list[BotPlayer]) -> float:
    """Return the CPU time of this process and of all that runs in the players' groups."""
    groups = [player.process._group for player in players if player.process]
    return time.process_time() + sum(group.cpu_ns() for group in groups if group) / 1e9


class Confined(Table):
    """Two confined bots of one program, frozen in one way."""

    def __init__(self, program: Program, place: Path, confinement: Confinement, *, late: bool) -> None:
        super().__init__(TrickGame(), program, place, wall=False)
        self.pool.close()
        limits = PoolLimits(startup_ms=30_000)
        self.pool = BotPool(
            {0: program, 1: program}, place, place.name, limits, confinement, freezes_late=late
        )
        self.now_s = _cpu_s


def main() -> None:
    """Print one line for each kind of bot and way of freezing."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--bots", default="C,Python", help="the kinds of bots, separated by commas")
    add_results_option(parser)
    given = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    confinement, _ = choose("auto", Bounds())
    if confinement.delegation is None:
        why = "bots can't be frozen here, as there is no control group"
        print(f"not measured: {why}")
        keep(given.results, [], why)
        return
    lines = []
    ways = {
        "never": (replace(confinement, pondering=True), False),
        "at once": (confinement, False),
        "late": (confinement, True),
    }
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        for kind, program in programs(Path(folder), given.bots).items():
            tables = {
                name: Confined(program, Path(folder) / f"{kind}-{name.replace(' ', '-')}", way, late=late)
                for name, (way, late) in ways.items()
            }
            figures: dict[str, list[float]] = {name: [] for name in tables}
            for _ in range(given.rounds):
                for name, table in tables.items():
                    figures[name].append(table.least("refereed", GAMES))
            for table in tables.values():
                table.pool.close()
            for name, values in figures.items():
                ratios = [value / never for value, never in zip(values, figures["never"], strict=True)]
                print(
                    f"{kind:7} frozen {name:8} {statistics.median(values):8.1f} µs   to never: "
                    f"{statistics.median(ratios):.2f}x ({min(ratios):.2f}-{max(ratios):.2f})"
                )
            unit, never = "µs of CPU time a decision", ("never frozen", figures["never"])
            lines += [
                ratio_line(
                    f"whole games, frozen {name} ÷ never",
                    f"trick, {kind} bots",
                    unit,
                    (f"frozen {name}", figures[name]),
                    never,
                )
                for name in ("late", "at once")
            ]
    keep(given.results, lines)


if __name__ == "__main__":
    main()
