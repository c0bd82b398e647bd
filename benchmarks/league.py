"""Measures whole leagues of the trick game: what the sandbox, storing and rating cost, and what a second worker gains.

    python benchmarks/league.py [--rounds 5] [--games 6000] [--results FILE]

Bots are kept from game to game, and wait for their turns. Speeds are games per second of wall time from the first
fifth of a league to its end, so the start of workers and bots doesn't count. Each round plays every league once.
A bot that thinks uses 1 ms of CPU time for each move.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.comparison import Line, Target, add_results_option, keep, ratio_line, rounds
from benchmarks.referee import C_BOT, PYTHON_BOT
from benchmarks.trick_league import Way, games_per_s, trick_installed, write_bots

THINKING_BOT = PYTHON_BOT.replace("import json, sys\n", "import json, sys, time\n").replace(
    """    if kind == "ask":
""",
    """    if kind == "ask":
        until_s = time.process_time() + 0.001
        while time.process_time() < until_s:
            pass
""",
)
PYTHON = ("python3", "-S", "-E", "bot.py")
THINKING_SHARE = 8
"""A league of thinking bots has this many times fewer games."""


class League(NamedTuple):
    """A league to play: its bots and its way."""

    bots: str
    way: Way


LEAGUES = {
    **{
        f"{bots}, {words}": League(bots, way)
        for bots in ("C", "Python")
        for words, way in (
            ("plain", Way()),
            ("sandboxed", Way(sandbox="auto")),
        )
    },
    "C, not stored": League("C", Way(stored=False)),
    "C, one worker": League("C", Way(workers=1)),
    "thinking": League("thinking", Way()),
    "thinking, one worker": League("thinking", Way(workers=1)),
}


def bots_of_all_kinds(place: Path) -> dict[str, list[Path]]:
    """Write the entries of each kind; return their folders."""
    kinds = {
        "C": (("./bot",), {"bot": compiled(place)}),
        "Python": (PYTHON, {"bot.py": PYTHON_BOT.encode()}),
        "thinking": (PYTHON, {"bot.py": THINKING_BOT.encode()}),
    }
    found = {}
    for kind, (command, files) in kinds.items():
        (place / kind).mkdir()
        found[kind] = write_bots(place / kind, command, files)
    return found


def compiled(place: Path) -> bytes:
    """Return the program of the bot in C. Needs gcc."""
    (place / "bot.c").write_text(C_BOT)
    subprocess.run(["gcc", "-O2", "-o", place / "bot", place / "bot.c"], check=True)
    return (place / "bot").read_bytes()


def lines(speeds: dict[str, list[float]]) -> list[Line]:
    """Return the comparisons."""

    def compared(
        name: str, setting: str, first: str, second: str, target: Target | None, note: str = ""
    ) -> Line:
        sides = (first, speeds[first]), (second, speeds[second])
        return ratio_line(name, setting, "games/s", *sides, target, note=note)

    return [
        *(
            compared(
                "time of a sandboxed league ÷ without a sandbox",
                f"trick, {bots} bots, 2 workers",
                f"{bots}, plain",
                f"{bots}, sandboxed",
                Target(at_most=1.1),
                "Games a second without the sandbox ÷ with it.",
            )
            for bots in ("C", "Python")
        ),
        compared(
            "speed of a league stored and rated ÷ neither",
            "trick, C bots, 2 workers",
            "C, plain",
            "C, not stored",
            Target(at_least=0.9),
        ),
        compared(
            "speed of 2 workers ÷ 1",
            "trick, bots that think 1 ms",
            "thinking",
            "thinking, one worker",
            Target(at_least=1.85),
            "Needs two idle cores.",
        ),
        compared(
            "speed of 2 workers ÷ 1",
            "trick, C bots that answer at once",
            "C, plain",
            "C, one worker",
            None,
            "Needs two idle cores. The runner itself shares them.",
        ),
    ]


def main() -> None:
    """Play the leagues, and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--games", type=int, default=6000)
    add_results_option(parser)
    given = parser.parse_args()
    speeds: dict[str, list[float]] = {name: [] for name in LEAGUES}
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as scratch:
        place = Path(scratch)
        place.chmod(0o755)  # bots of a sandbox have other users
        bots = bots_of_all_kinds(place)
        with trick_installed(place):
            for number in rounds(given.rounds, given.most_s):
                for name, league in LEAGUES.items():
                    games = given.games // (THINKING_SHARE if league.bots == "thinking" else 1)
                    folder = place / f"{number} {name}".replace(" ", "-").replace(",", "")
                    speeds[name].append(games_per_s(folder, bots[league.bots], games, league.way))
    for name, values in speeds.items():
        print(f"{name:24} {statistics.median(values):7.1f} games/s ({min(values):.1f} to {max(values):.1f})")
    keep(given.results, lines(speeds))


if __name__ == "__main__":
    main()
