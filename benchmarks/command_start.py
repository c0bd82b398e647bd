"""Measures the CPU time of commands that print at once, next to a program of as many commands with nothing in them.

In each round, `arena --help` runs beside the help of the bare program: as many commands of typer, each with an argument
and an option. Each reading command runs beside a command of the bare program that does nothing. Those about leagues
read a store with one league of 24 entries, those about one game the store of the tests; both have their fit kept. A
match of two folders is played again and again, between bots in C that answer at once.

    python benchmarks/command_start.py [--rounds 15] [--matches 1000] [--results FILE]

Prints the least and median CPU time in seconds, and the ratio to the bare program of the same round: median, min, max.
"""

import argparse
import resource
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import typer

from arena.cli.app import app
from benchmarks.comparison import Target, add_results_option, keep, ratio_line, rounds
from benchmarks.league import compiled
from benchmarks.trick_league import write_bots
from tests.support.ledgers import new_league, new_store, plan, played

ENTRIES = 24
HELP = "--help"
OF_LEAGUE = ("rankings", "status", "faults", "history", "matrix")
OF_GAME = {"why": ["--bot", "eve"], "replay show": []}
MATCH = "match"
EXAMPLE = Path(__file__).parents[1] / "tests" / "invariants" / "store-1.tar.xz"
GAME = "cup/3.1"


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
        with tarfile.open(EXAMPLE) as archive:
            archive.extractall(folder / "example", filter="data")
        arena = [sys.executable, "-m", "arena"]
        sides = {
            "bare help": [sys.executable, "bare.py", HELP],
            "bare": [sys.executable, "bare.py", "command0"],
        }
        sides |= {command: [*arena, command] for command in (HELP, *OF_LEAGUE)}
        folder.chmod(0o755)  # bots of a sandbox have other users
        write_bots(folder, ("./bot",), {"bot": compiled(folder)})
        sides[MATCH] = [*arena, MATCH, "bot0", "bot1", "--game", "bread-basket", "--store", "match.sqlite"]
        example = str(folder / "example" / "arena.sqlite")
        sides |= {
            command: [*arena, *command.split(), GAME, *more, "--store", example]
            for command, more in OF_GAME.items()
        }
        for command in sides.values():
            cpu_s(command, folder)  # compiles what was never imported, and fits
        taken: dict[str, list[float]] = {side: [] for side in sides}
        for _ in rounds(options.rounds, options.most_s):
            for side, command in sides.items():
                taken[side].append(cpu_s(command, folder))
    print(f"{'program':16} {'least s':>8} {'median s':>9} {'÷ bare':>7}  min   max")
    for side, times in taken.items():
        bare = taken["bare help" if side == HELP else "bare"]
        ratios = [time / base for time, base in zip(times, bare, strict=True)]
        print(
            f"{side:16} {min(times):8.3f} {median(times):9.3f} {median(ratios):7.2f}  "
            f"{min(ratios):.2f}  {max(ratios):.2f}"
        )
    unit, of = "s of CPU time", f"a league of {ENTRIES} entries, {options.matches} matches"
    base_help = ("the help of as many empty commands of typer", taken["bare help"])
    base = ("an empty command of typer, of as many", taken["bare"])
    help_line = ratio_line(
        "arena --help ÷ as many empty commands",
        "",
        unit,
        (f"arena {HELP}", taken[HELP]),
        base_help,
        Target(at_most=1.1),
    )
    of_match = ratio_line(
        "arena match of two folders ÷ an empty command",
        "bread-basket, C bots",
        unit,
        ("arena match, with its processes", taken[MATCH]),
        base,
    )
    lines = [
        ratio_line(
            f"arena {side} ÷ an empty command",
            of if side in OF_LEAGUE else "a game of the example store",
            unit,
            (f"arena {side}", taken[side]),
            base,
            Target(at_most=1.5),
        )
        for side in (*OF_LEAGUE, *OF_GAME)
    ]
    keep(options.results, [help_line, *lines, of_match])


if __name__ == "__main__":
    main()
