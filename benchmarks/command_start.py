"""Measures the CPU time of commands that print at once, next to a program of as many commands with nothing in them.

In each round, `arena --help`, `arena rankings` and `arena status` run after the bare program: 28 commands of typer,
each with an argument and an option, that prints its help. The store has one league of 24 entries.

    python benchmarks/command_start.py [--rounds 15] [--matches 1000] [--results FILE]

Prints the least and median CPU time in seconds, and the ratio to the bare program of the same round: median, min, max.
"""

import argparse
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import typer

from arena.cli.app import app
from benchmarks.comparison import Target, add_results_option, keep, ratio_line, rounds, value_line
from tests.support.ledgers import new_league, new_store, plan, played

ENTRIES = 24
COMMANDS = (["--help"], ["rankings"], ["status"])


def bare_program(commands: int) -> str:
    """Return a program of so many commands, without anything in them."""
    lines = ["import typer", "app = typer.Typer(help='A bare program.', no_args_is_help=True)"]
    for number in range(commands):
        lines += [
            f"@app.command('command{number}')",
            f"def command{number}(name: str = 'x', count: int = 1) -> None:",
            f"    '''Do the thing number {number}, as well as it can be done by anybody who tries to do it.'''",
        ]
    return "\n".join([*lines, "app()", ""])


def make_store(folder: Path, matches: int) -> None:
    """Make a store with one league whose pairs have played so many matches."""
    store = new_store(folder)
    pairs = [(one, other) for one in range(ENTRIES) for other in range(one)]
    planned = plan(
        store, new_league(store, ENTRIES), *(pairs[number % len(pairs)] for number in range(matches))
    )
    store.append([played(match, 0, (5, 1) if match.match_no % 3 else (1, 5)) for match in planned])
    store.close()


def cpu_s(command: Sequence[str], folder: Path) -> float:
    """Run a command to its end; return its CPU time in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--matches", type=int, default=1000)
    add_results_option(parser)
    options = parser.parse_args()
    group: Any = typer.main.get_command(app)
    with TemporaryDirectory(prefix="arena-bench-") as name:
        folder = Path(name)
        (folder / "bare.py").write_text(bare_program(len(group.commands)))
        make_store(folder, options.matches)
        bare = [sys.executable, "bare.py", "--help"]
        sides = {" ".join(words): [sys.executable, "-m", "arena", *words] for words in COMMANDS}
        for command in (bare, *sides.values()):
            cpu_s(command, folder)  # compiles what was never imported
        taken: dict[str, list[float]] = {side: [] for side in ("bare", *sides)}
        for _ in rounds(options.rounds, options.most_s):
            taken["bare"].append(cpu_s(bare, folder))
            for side, command in sides.items():
                taken[side].append(cpu_s(command, folder))
    print(f"{'program':16} {'least s':>8} {'median s':>9} {'÷ bare':>7}  min   max")
    for side, times in taken.items():
        ratios = [time / base for time, base in zip(times, taken["bare"], strict=True)]
        print(
            f"{side:16} {min(times):8.3f} {median(times):9.3f} {median(ratios):7.2f}  "
            f"{min(ratios):.2f}  {max(ratios):.2f}"
        )
    unit, base = "s of CPU time", ("as many empty commands of typer", taken["bare"])
    of = f"a league of {ENTRIES} entries, {options.matches} matches"
    keep(
        options.results,
        [
            ratio_line(
                "arena --help ÷ as many empty commands",
                "",
                unit,
                ("arena --help", taken["--help"]),
                base,
                Target(at_most=1.4),
            ),
            value_line(
                "arena rankings",
                of,
                unit,
                ("arena rankings", taken["rankings"]),
                base,
                Target(at_most=0.45),
                stretch=Target(at_most=0.35),
            ),
            value_line("arena status", of, unit, ("arena status", taken["status"]), base),
        ],
    )


if __name__ == "__main__":
    main()
