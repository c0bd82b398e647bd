"""Measures how long `arena run` takes until the first game is in the store, and until it ends.

    python benchmarks/league_start.py [--rounds 7] [--results FILE]

The league has one match of Bread Basket between two bots in Python without the kit, sandboxed if the machine can, and
one worker. Times are by the clock, from the start of the command. Beside it: a Python that imports nothing.
Also how long the first start of twelve such bots takes, as before a league is created, beside the slowest four of
twelve single starts.
"""

import argparse
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena import registry
from arena.checking.trial_start import start_each
from arena.league.running.league_isolation import confine
from arena.sandbox.bot_program import Program
from arena.submissions.launch_spec import ToStart
from benchmarks.comparison import Target, add_results_option, keep, ratio_line, rounds, value_line
from benchmarks.referee import PYTHON_BOT
from benchmarks.trick_league import ROOT, write_bots
from protocol.messages import STARTUP_MS

ARENA = [sys.executable, "-m", "arena"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
LEAGUE = """
name = "first"
game = "bread-basket"
seats = 2
seed = 1
options = { hands = 1 }
[schedule]
kind = "round-robin"
rounds = 1
[[bots]]
path = "bot0"
[[bots]]
path = "bot1"
"""
EVERY_S = 0.002
STARTED = 12
SLOWEST = 4


def first_game_s(folder: Path) -> tuple[float, float]:
    """Run the league in a folder; return the seconds until the first game is stored, and until the command ends."""
    create = [*ARENA, "league", "create", "league.toml"]
    subprocess.run(create, cwd=folder, env=ENVIRONMENT, check=True, capture_output=True)
    return until_first_game_s(folder, "first", "--workers", "1")


def until_first_game_s(
    folder: Path, league: str, *options: str, games_before: int = 0
) -> tuple[float, float]:
    """Run a league; return the seconds until the store has more games than before, and until the command ends."""
    with closing(sqlite3.connect(f"file:{folder / 'arena.sqlite'}?mode=ro", uri=True)) as store:
        begun_s = time.perf_counter()
        process = subprocess.Popen(
            [*ARENA, "run", league, *options],
            cwd=folder,
            env=ENVIRONMENT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while store.execute("SELECT count(*) FROM game").fetchone()[0] <= games_before:
            if process.poll() is not None:
                raise SystemExit("the league ended without a game")
            time.sleep(EVERY_S)
        first_s = time.perf_counter() - begun_s
        process.wait()
        return first_s, time.perf_counter() - begun_s


def starts_s(folder: Path) -> tuple[float, float]:
    """Return the seconds that twelve bots take to start once together, and the slowest four each by itself."""
    game = registry.game("bread-basket")
    confinement, _ = confine(folder / "arena.sqlite", "auto")
    program = Program(folder / "bot0", ("python3", "-S", "-E", "bot.py"))
    bots = [ToStart(f"bot{number}", program, folder) for number in range(STARTED)]

    def seconds(started: list[ToStart]) -> float:
        begun_s = time.perf_counter()
        start_each(started, game, confinement, STARTUP_MS, print)
        return time.perf_counter() - begun_s

    return seconds(bots), sum(sorted(seconds([bot]) for bot in bots)[-SLOWEST:])


def python_s() -> float:
    """Return the seconds that a Python takes that does nothing."""
    begun_s = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return time.perf_counter() - begun_s


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=7)
    add_results_option(parser)
    given = parser.parse_args()
    found = []
    for _ in rounds(given.rounds, given.most_s):
        with tempfile.TemporaryDirectory(prefix="arena-bench-") as name:
            folder = Path(name)
            folder.chmod(0o755)
            write_bots(folder, ("python3", "-S", "-E", "bot.py"), {"bot.py": PYTHON_BOT.encode()})
            (folder / "league.toml").write_text(LEAGUE)
            found.append((*first_game_s(folder), python_s(), *starts_s(folder)))
    first, whole, bare, together, slowest = (list(column) for column in zip(*found, strict=True))
    print(f"first game {statistics.median(first):.2f} s, end {statistics.median(whole):.2f} s")
    python = ("an empty Python program", bare)
    lines = [
        value_line(
            "arena run to the first game",
            "bread-basket",
            "s",
            ("first game", first),
            python,
            Target(at_most=0.8),
        ),
        value_line("arena run of one game", "bread-basket", "s", ("end", whole), python),
        ratio_line(
            "the first start of 12 bots",
            "bread-basket",
            "s",
            ("all together", together),
            ("the slowest four by themselves", slowest),
            Target(at_most=1.5),
        ),
    ]
    keep(given.results, lines)


if __name__ == "__main__":
    main()
