"""Measures what a game costs on hosts of a cluster, beside worker processes of the same machine.

    python benchmarks/cluster_overhead.py [--rounds 3] [--games 240] [--results FILE]

A league of the trick game with bots that sleep 10 ms for each move, so that cores are idle and the time of a game is
known: 400 ms. Eight games are played at once, by 8 worker processes, or by 1, 2 and 4 host agents with 8 slots in
all. CPU time is that of all processes, started and ended ones included, so the start of hosts is in it; the costs of
a start are told apart by leagues of two lengths. Needs `plugins/cluster`.
"""

import argparse
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena.executors.base import Executor
from arena.executors.processes import ProcessExecutor
from arena.league.create import create
from arena.league.definition.read import plan
from arena.league.running.run import LeagueRun
from benchmarks.comparison import Line, add_results_option, keep, rounds, value_line
from benchmarks.referee import PYTHON_BOT
from benchmarks.trick_league import DECISIONS, ENTRIES, league_of, trick_installed, write_bots
from results.store import open_store

SLOTS = 8
SLEEP_S = 0.01
HOSTS = (1, 2, 4)
SLEEPING_BOT = PYTHON_BOT.replace("import json, sys\n", "import json, sys, time\n").replace(
    """    if kind == "ask":
""",
    f"""    if kind == "ask":
        time.sleep({SLEEP_S})
""",
)
PYTHON = ("python3", "-S", "-E", "bot.py")


class Played(NamedTuple):
    """One league: how long it took by the clock, and all CPU time of it, in seconds."""

    wall_s: float
    cpu_s: float


def executor_of(hosts: int) -> Executor:
    """Return the executor of a number of hosts, 0 for worker processes. Raises ImportError without the extra."""
    if not hosts:
        return ProcessExecutor(SLOTS, pin=False)
    from arena_cluster import ClusterSettings
    from arena_cluster.executor import ClusterExecutor

    return ClusterExecutor(ClusterSettings(on=f"local:{hosts}"), SLOTS)


def played(place: Path, bots: Sequence[Path], games: int, hosts: int) -> Played:
    """Play a league of so many games in an empty folder."""
    place.mkdir()
    file = league_of(bots, games)
    began_s, cpu_s = time.perf_counter(), _cpu_s()
    with open_store(place / "arena.sqlite", create=True) as store:
        league = create(store, plan(file, place, file.name))
        run = LeagueRun(store, league, workers=SLOTS, sandbox="off", executor=executor_of(hosts))
        if not run.run(lambda _: None):
            raise SystemExit("the league was not played to its end")
    return Played(time.perf_counter() - began_s, _cpu_s() - cpu_s)


def _cpu_s() -> float:
    """Return the CPU time of this process and all that it has waited for, with theirs."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def lines_of(found: dict[int, list[tuple[Played, Played]]], games: int) -> list[Line]:
    """Return the comparisons: `found` has a short and a long league of each round, by hosts."""
    lines = []
    ideal_s = DECISIONS * SLEEP_S / SLOTS * games

    def per_game(hosts: int) -> list[float]:
        return [(long.cpu_s - short.cpu_s) / games * 1000 for short, long in found[hosts]]

    processes = ("8 worker processes", per_game(0))
    for hosts in HOSTS:
        setting = f"{hosts} host{'s' if hosts > 1 else ''} with {SLOTS // hosts} slots each"
        lines += [
            value_line("CPU time of a game", setting, "ms", (setting, per_game(hosts)), processes),
            value_line(
                "time of a league of sleeping bots ÷ the bots' own",
                setting,
                "×",
                (setting, [(long.wall_s - short.wall_s) / ideal_s for short, long in found[hosts]]),
                ("8 worker processes", [(long.wall_s - short.wall_s) / ideal_s for short, long in found[0]]),
            ),
            value_line(
                "start and end of all hosts",
                setting,
                "s of CPU time",
                (setting, [short.cpu_s for short, _ in found[hosts]]),
                ("8 worker processes", [short.cpu_s for short, _ in found[0]]),
            ),
        ]
    return lines


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--games", type=int, default=240)
    add_results_option(parser)
    given = parser.parse_args()
    try:
        executor_of(1)
    except ImportError:
        keep(given.results, [], "arena-cluster is not installed")
        raise SystemExit("arena-cluster is not installed: pip install plugins/cluster") from None
    short = 2 * ENTRIES * (ENTRIES - 1) // 2
    found: dict[int, list[tuple[Played, Played]]] = {hosts: [] for hosts in (0, *HOSTS)}
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as scratch:
        place = Path(scratch)
        place.chmod(0o755)
        bots = write_bots(place, PYTHON, {"bot.py": SLEEPING_BOT.encode()})
        with trick_installed(place):
            for number in rounds(given.rounds, given.most_s):
                for hosts in found:
                    pair = [
                        played(place / f"{number}-{hosts}-{games}", bots, games, hosts)
                        for games in (short, short + given.games)
                    ]
                    found[hosts].append((pair[0], pair[1]))
    lines = lines_of(found, given.games)
    for line in lines:
        beside = statistics.median(line.sides[1].values)
        print(f"{line.name}, {line.setting}: {line.median:.3g}; with worker processes {beside:.3g}")
    for hosts, values in found.items():
        walls = statistics.median(long.wall_s for _, long in values)
        print(f"{hosts} hosts: {short + given.games} games in {walls:.1f} s")
    keep(given.results, lines)


if __name__ == "__main__":
    main()
