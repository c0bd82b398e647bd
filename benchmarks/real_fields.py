"""Plays real fields of C bots through the whole of Arena, by the clock: a race of eight, and a ladder of many.

    python benchmarks/real_fields.py race [--budget 20000] [--at-least 8]
    python benchmarks/real_fields.py ladder [--bots 200] [--rounds 100] [--aim order]

The bots are `baker` of Bread Basket, with other numbers of worlds in its command. `race` plays `arena race` of a base
and eight variants, and then eight `arena compare` of the base and a variant, with the same X; both are timed, after a
short race has built and entered all bots. Comparisons have their own default of `--at-least` unless it is given.
`ladder` has bots with 1, 2, 3 and so on worlds at tables of four, `rounds` matches for each; printed are seconds,
games a second, and τ between the order found and the numbers of worlds. Needs a machine without other load, and a C
compiler.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from shutil import copytree
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
BAKER = ROOT / "bots/bread_basket/baker"
BASE, VARIANTS = 20, (5, 10, 15, 20, 25, 40, 80, 160)
"""Worlds."""


class Took(NamedTuple):
    """Seconds by the clock and of all cores, those of the bots included."""

    clock_s: float
    cores_s: float

    def __add__(self, other: "Took") -> "Took":  # type: ignore[override]
        return Took(self.clock_s + other.clock_s, self.cores_s + other.cores_s)


def arena(folder: Path, *words: str) -> tuple[Took, str]:
    """Run a command; return its seconds and its output. Exit codes from 10 to 12 are answers."""
    begun_s, before = time.monotonic(), os.times()
    done = subprocess.run(
        [sys.executable, "-m", "arena", *words], cwd=folder, stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode not in (0, 10, 11, 12):
        raise SystemExit(f"arena {' '.join(words)}: exit code {done.returncode}")
    after = os.times()
    cores_s = after.children_user + after.children_system - before.children_user - before.children_system
    return Took(time.monotonic() - begun_s, cores_s), done.stdout


def baker(folder: Path, name: str, worlds: int) -> str:
    """Make a baker that looks at so many worlds; return its name."""
    copytree(BAKER, folder / name)
    manifest = folder / name / "bot.toml"
    text = manifest.read_text().replace('name = "baker"', f'name = "{name}"').replace('"arena"', '"me"')
    head, found, rest = text.partition("command = [")
    inside, _, rest = rest.partition("]")
    if not found:
        raise AssertionError(f"{manifest} has no command")
    manifest.write_text(f'{head}command = [{inside}, "--worlds", "{worlds}", "--ms", "1000"]{rest}')
    return name


def race(folder: Path, budget: int, at_least: int | None) -> None:
    """Time a race of eight, and eight comparisons."""
    base = baker(folder, "base", BASE)
    variants = [baker(folder, f"worlds{worlds}-{place}", worlds) for place, worlds in enumerate(VARIANTS)]
    rules = ("--option", "hands=2", "-x", "0.1", "--budget", str(budget), "--format", "json")
    arena(folder, "race", base, *variants, *rules[:4], "--budget", "400")
    raced, said = arena(folder, "race", base, *variants, *rules, "--seed", "1")
    rows = json.loads(said)
    print(
        f"race: {seconds(raced)}, {rows[0]['games']:,} games, {rows[0]['answer']}: {rows[0]['variant']}",
        flush=True,
    )
    compared, games = Took(0.0, 0.0), 0
    earliest = () if at_least is None else ("--at-least", str(at_least))
    for variant in variants:
        took, said = arena(folder, "compare", base, variant, *rules, *earliest, "--seed", "1")
        (row,) = json.loads(said)
        compared, games = compared + took, games + row["games"]
        print(f"compare {variant}: {seconds(took)}, {row['games']:,} games, {row['answer']}", flush=True)
    print(
        f"race ÷ eight compares: clock {raced.clock_s / compared.clock_s:.2f}, cores "
        f"{raced.cores_s / compared.cores_s:.2f}, games {rows[0]['games'] / games:.2f}"
    )


def seconds(took: Took) -> str:
    """Return in words how long something took."""
    return f"{took.clock_s:.0f} s, {took.cores_s:.0f} s of cores"


def tau(places: Sequence[int]) -> float:
    """Return Kendall's τ of an order with the right one."""
    pairs = list(combinations(places, 2))
    return sum(1 if one < other else -1 for one, other in pairs) / len(pairs)


def ladder(folder: Path, bots: int, rounds: int, aim: str) -> None:
    """Time a ladder of bots with 1, 2, 3 and so on worlds."""
    for worlds in range(1, bots + 1):
        baker(folder, f"w{worlds:03}", worlds)
    (folder / "many.toml").write_text(
        f'name = "many"\ngame = "bread-basket"\nseats = 4\nseed = 1\nsame_author = true\noptions = {{ hands = 2 }}\n'
        f'[schedule]\nkind = "ladder"\naim = "{aim}"\n[stop]\nmatches = {bots * rounds // 4}\n[[bots]]\nglob = "w*"\n'
    )
    arena(folder, "league", "create", "many.toml")
    took, _ = arena(folder, "run", "many")
    rows = json.loads(arena(folder, "rankings", "many", "--format", "json")[1])
    order = [int(row["label"][1:]) for row in rows]
    games = sum(row["games"] for row in rows) // 4
    print(
        f"{bots} bots, {games:,} games, {seconds(took)}: {games / took.clock_s:.0f} games/s; τ {-tau(order):.3f}"
    )


def main() -> None:
    """Play what was asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("race", "ladder"))
    parser.add_argument("--budget", type=int, default=20_000)
    parser.add_argument("--at-least", type=int)
    parser.add_argument("--bots", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--aim", default="order")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if given.what == "race":
            race(Path(folder), given.budget, given.at_least)
        else:
            ladder(Path(folder), given.bots, given.rounds, given.aim)


if __name__ == "__main__":
    main()
