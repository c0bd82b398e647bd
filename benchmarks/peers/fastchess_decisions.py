"""Compares the cost of a decision with fastchess: whole games of 40 decisions between programs in C, on both cores.

    FASTCHESS=path python benchmarks/peers/fastchess_decisions.py [--rounds 5] [--games 1000] [--results FILE]

fastchess plays chess between two engines that answer at once with the moves of one game, which is broken off after 20
moves of each; Arena its trick game between two bots that answer at once, in a league without a sandbox. Both keep the
processes from game to game, and play two games at a time, each bound to a core. fastchess looks once a second whether
it is done, so its time is that from the first to the last question of any engine. For CPU times, those of all
processes are divided by the decisions, for the games by which a long run is longer than a short one.
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.comparison import Target, add_results_option, keep, ratio_line, rounds
from benchmarks.league import compiled
from benchmarks.peers.environments import NotThere
from benchmarks.trick_league import DECISIONS, Way, games_per_s, trick_installed, write_bots

ENGINE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *game[] = { // legal, made of random moves, without a repetition
    "f2f3", "f7f6", "a2a4", "d7d5", "g2g3", "d8d6", "e2e3", "d6c5", "f1a6", "c8g4",
    "e1e2", "c5c4", "d2d3", "c4e4", "a6b7", "c7c6", "d3e4", "e7e6", "b7a8", "e8d8",
    "a8b7", "g8e7", "b1c3", "h7h5", "e2d2", "f6f5", "d1f1", "b8d7", "e4f5", "e7c8",
    "d2e2", "f8c5", "c3b5", "h8e8", "f1g2", "d7b8", "a4a5", "g4f5", "a1a2", "c5b6",
};

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

int main(void) {
    static char line[65536];
    double first = 0, last = 0;
    long asked = 0;
    int played = 0;
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "go", 2)) {
            last = seconds();
            if (!asked++) first = last;
            const char *move = game[played % (sizeof game / sizeof *game)];
            printf("info depth 1 score cp 0 nodes 1 time 0 pv %s\nbestmove %s\n", move, move);
        } else if (!strncmp(line, "position", 8)) {
            char *at = strstr(line, "moves");
            for (played = 0; at && (at = strchr(at, ' ')); at++) played++;
        } else if (!strncmp(line, "isready", 7)) {
            puts("readyok");
        } else if (!strcmp(line, "uci\n")) {
            puts("id name fixed\nid author benchmark\nuciok");
        } else if (!strncmp(line, "quit", 4)) {
            break;
        }
        fflush(stdout);
    }
    FILE *told = asked ? fopen(getenv("ENGINE_TIMES"), "a") : NULL;
    if (told) {
        fprintf(told, "%.9f %.9f %ld\n", first, last, asked);
        fclose(told);
    }
    return 0;
}
"""
SHORTER = 4
"""A short run has so many times fewer games."""
NOTE = (
    "Other games. fastchess is written in C++, checks moves by the rules of chess, sends all moves so far with each "
    "question and reads a line about the search; it keeps a clock, and here writes no games. Arena is written in "
    "Python, sends views and legal moves as JSON, checks the answers by rules in Python, watches time and memory, and "
    "stores and rates every game with its replay."
)


class Cost(NamedTuple):
    """What a decision costs."""

    wall_us: float
    """By the clock, with two games at a time."""
    cpu_us: float


def children_cpu_s() -> float:
    """Return the CPU time of this process and of all children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def engine(place: Path) -> Path:
    """Compile the engine; return its path."""
    source, program = place / "engine.c", place / "engine"
    source.write_text(ENGINE)
    subprocess.run(["gcc", "-O2", "-o", program, source], check=True)
    return program


def fastchess_run(tool: str, program: Path, games: int) -> tuple[float, float]:
    """Run fastchess; return µs by the clock for a decision, and the CPU time of all in seconds."""
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        times = Path(folder) / "times.txt"
        command = [tool, "-engine", f"cmd={program}", "name=one", "-engine", f"cmd={program}", "name=other"]
        command += ["-each", "tc=60+1", "-rounds", str(games // 2), "-games", "2", "-maxmoves", "20"]
        command += ["-concurrency", "2", "-use-affinity", "-ratinginterval", "0", "-scoreinterval", "0"]
        command += ["-autosaveinterval", "0"]
        before_s = children_cpu_s()
        done = subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, "ENGINE_TIMES": str(times)},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        cpu_s = children_cpu_s() - before_s
        rows = [[float(word) for word in row.split()] for row in times.read_text().splitlines()]
        asked = sum(row[2] for row in rows)
        if done.returncode or asked != games * DECISIONS:
            raise NotThere(f"fastchess ended with exit code {done.returncode} after {asked:.0f} decisions")
        return (max(row[1] for row in rows) - min(row[0] for row in rows)) / asked * 1e6, cpu_s


def arena_run(folder: Path, bots: list[Path], games: int) -> tuple[float, float]:
    """Play a league; return the same."""
    before_s = children_cpu_s()
    speed = games_per_s(folder, bots, games, Way())
    return 1e6 / speed / DECISIONS, children_cpu_s() - before_s


def cost(long: tuple[float, float], short: tuple[float, float], games: int) -> Cost:
    """Return the cost of a decision from a long run and a short one."""
    more = (games - games // SHORTER) * DECISIONS
    return Cost(long[0], (long[1] - short[1]) / more * 1e6)


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--games", type=int, default=960)
    add_results_option(parser)
    given = parser.parse_args()
    tool = os.environ.get("FASTCHESS") or shutil.which("fastchess")
    if tool is None or shutil.which(tool) is None or shutil.which("gcc") is None:
        keep(
            given.results, [], "no fastchess: set FASTCHESS to the path of its program; gcc is needed as well"
        )
        return
    tool = str(Path(shutil.which(tool) or tool).resolve())
    games = given.games
    ours, theirs = [], []
    try:
        with tempfile.TemporaryDirectory(prefix="arena-bench-") as scratch:
            place = Path(scratch)
            program, bots = engine(place), write_bots(place, ("./bot",), {"bot": compiled(place)})
            with trick_installed(place):
                for number in rounds(given.rounds, given.most_s):
                    runs = [fastchess_run(tool, program, count) for count in (games, games // SHORTER)]
                    theirs.append(cost(runs[0], runs[1], games))
                    runs = [
                        arena_run(place / f"{number}-{count}", bots, count)
                        for count in (games, games // SHORTER)
                    ]
                    ours.append(cost(runs[0], runs[1], games))
    except NotThere as why:
        keep(given.results, [], str(why))
        return
    setting = "games of 40 decisions, programs in C, 2 at a time"
    lines = [
        ratio_line(
            f"a decision: fastchess ÷ Arena, {words}",
            setting,
            "µs",
            ("fastchess -use-affinity", [getattr(one, clock) for one in theirs]),
            ("Arena", [getattr(one, clock) for one in ours]),
            target,
            note=NOTE,
        )
        for words, clock, target in (
            ("by the clock", "wall_us", Target(at_least=1.2)),
            ("CPU time", "cpu_us", None),
        )
    ]
    for one in lines:
        print(f"{one.name}: {one.median:.2f} ({one.min:.2f} to {one.max:.2f})")
    keep(given.results, lines)


if __name__ == "__main__":
    main()
