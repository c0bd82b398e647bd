"""Measures whole leagues: what the sandbox costs in long leagues and short ones, and what a second worker gains.

    python benchmarks/league.py [--rounds 5] [--games 6000] [--short 4] [--results FILE]

Bots are kept from game to game, and wait for their turns. Speeds are games per second of wall time from the first
fifth of a league of the trick game to its end, so the start of workers and bots doesn't count. A bot that thinks uses
1 ms of CPU time for each move. Short leagues are timed from their first game in the store to their end, and their bots
say in their logs that they start. Each round plays every league once, and every short one `--short` times; with
`--games 0` only these.
"""

import argparse
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.comparison import Line, Target, add_results_option, keep, ratio_line, rounds, value_line
from benchmarks.referee import C_BOT, PYTHON_BOT
from benchmarks.trick_league import (
    STORE,
    Way,
    after_first_s,
    games_per_s,
    league_of,
    trick_installed,
    write_bots,
)
from results.base.isolation_levels import Wanted

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
SAYS_START = {
    "C": (
        C_BOT,
        "    ssize_t count;\n",
        '    ssize_t count;\n    if (write(2, "started\\n", 8) != 8) return 1;\n',
    ),
    "Python": (
        PYTHON_BOT,
        "import json, sys\n",
        'import json, sys\nprint("started", file=sys.stderr, flush=True)\n',
    ),
}
"""By kind, a bot, and what makes it say that it starts."""
THINKING_SHARE = 16
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
    "C, one worker": League("C", Way(workers=1)),
    "thinking": League("thinking", Way()),
    "thinking, one worker": League("thinking", Way(workers=1)),
}


class Short(NamedTuple):
    """A short league, and how many times as long as without a sandbox it may take in one."""

    bots: str
    game: str
    seats: int
    games: int
    target: Target

    def __str__(self) -> str:
        return f"{self.games} games of {self.game}, {self.seats} seats, {self.bots} bots, 2 workers"


SHORT = (
    Short("C", "trick", 2, 300, Target(at_most=1.6)),
    Short("C", "bread-basket", 4, 400, Target(at_most=2.0)),
    Short("Python", "trick", 2, 300, Target(at_most=1.3)),
)


def bots_of_all_kinds(place: Path) -> dict[str, list[Path]]:
    """Write the entries of each kind; return their folders."""
    says = {kind: source.replace(old, new, 1) for kind, (source, old, new) in SAYS_START.items()}
    kinds = {
        "C": (("./bot",), {"bot": compiled(place)}),
        "Python": (PYTHON, {"bot.py": PYTHON_BOT.encode()}),
        "thinking": (PYTHON, {"bot.py": THINKING_BOT.encode()}),
        "C that say": (("./bot",), {"bot": compiled(place, says["C"])}),
        "Python that say": (PYTHON, {"bot.py": says["Python"].encode()}),
    }
    found = {}
    for kind, (command, files) in kinds.items():
        (place / kind).mkdir()
        found[kind] = write_bots(place / kind, command, files)
    return found


def compiled(place: Path, source: str = C_BOT) -> bytes:
    """Return the program of a bot in C. Needs gcc."""
    (place / "bot.c").write_text(source)
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


class Found(NamedTuple):
    """What short leagues took, by whether they were sandboxed: one value for each time."""

    taken_s: dict[Wanted, list[float]]
    starts: list[int]
    """How many bots started in the sandbox."""


def play_short(place: Path, bots: list[Path], short: Short, found: Found) -> None:
    """Play a short league without a sandbox and in it, in a new folder."""
    place.mkdir()
    for sandbox, taken in found.taken_s.items():
        folder = place / sandbox
        taken.append(
            after_first_s(folder, league_of(bots, short.games, short.game, short.seats), Way(sandbox=sandbox))
        )
    with closing(sqlite3.connect(folder / STORE)) as store:
        found.starts.append(store.execute("SELECT count(*) FROM log").fetchone()[0])


def short_lines(found: dict[Short, Found]) -> list[Line]:
    """Return the comparisons of short leagues."""
    lines = []
    for short, (taken, starts) in found.items():
        off, on = ("off", taken["off"]), ("sandboxed", taken["auto"])
        name = "a short league after its first game, in the sandbox ÷ without"
        lines.append(ratio_line(name, str(short), "s", on, off, short.target))
        lines.append(value_line("bots started in it", str(short), "starts", ("sandboxed", starts)))
    return lines


def main() -> None:
    """Play the leagues, and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--games", type=int, default=6000)
    parser.add_argument("--short", type=int, default=4)
    add_results_option(parser)
    given = parser.parse_args()
    speeds: dict[str, list[float]] = {name: [] for name in LEAGUES}
    found = {short: Found({"off": [], "auto": []}, []) for short in SHORT}
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as scratch:
        place = Path(scratch)
        place.chmod(0o755)  # bots of a sandbox have other users
        bots = bots_of_all_kinds(place)
        with trick_installed(place):
            for number in rounds(given.rounds, given.most_s):
                for name, league in LEAGUES.items() if given.games else ():
                    games = given.games // (THINKING_SHARE if league.bots == "thinking" else 1)
                    folder = place / f"{number} {name}".replace(" ", "-").replace(",", "")
                    speeds[name].append(games_per_s(folder, bots[league.bots], games, league.way))
                for time, short in product(range(given.short), SHORT):
                    folder = place / f"{number}-{time}-{SHORT.index(short)}"
                    play_short(folder, bots[f"{short.bots} that say"], short, found[short])
    for name, values in speeds.items():
        if values:
            print(
                f"{name:24} {statistics.median(values):7.1f} games/s ({min(values):.1f} to {max(values):.1f})"
            )
    of_short = short_lines(found)
    for line in of_short:
        print(f"{line.name}, {line.setting}: {line.median:.2f} ({line.min:.2f} to {line.max:.2f})")
    keep(given.results, [*(lines(speeds) if given.games else ()), *of_short])


if __name__ == "__main__":
    main()
