"""Measures what rules in another language cost: Kuhn poker in JavaScript and in Python, played at random in turn.

    python plugins/rules-program/cost.py [--rounds 7] [--games 300]

Prints the CPU time of a decision in µs, that of the program included, and their ratio: median, least and most of all
rounds. A decision is everything that the rules do for it; bots and clocks are left out.
"""

import argparse
import resource
import statistics
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [
    str(ROOT),
    *(str(ROOT / place / "src") for place in ("plugins/rules-program", "examples/kuhn-js", "examples/kuhn")),
]

from arena.core.chance import Chance, Stream  # noqa: E402 - found by the path above
from arena.core.game import Outcome, Recorder, play_chance  # noqa: E402
from arena.core.ruleset import ruleset  # noqa: E402


def play(game: Any, number: int) -> int:
    """Play a random game; return how many decisions it had."""
    chance, rng = Chance(seed=str(number).encode()), Stream(b"cost", str(number))
    draw = Recorder(chance)
    state, _ = game.deal(2, ruleset(game.info), chance)
    state, _ = play_chance(game, state, draw)
    decisions = 0
    while not isinstance(turn := game.turn(state), Outcome):
        (asked,) = turn
        game.view(state, asked.seat)
        move = game.parse_move(state, asked.seat, game.format_move(game.sample_move(state, asked.seat, rng)))
        state, _ = game.apply(state, {asked.seat: move})
        decisions += 1
    return decisions


def cpu_s(pid: int | None) -> float:
    """Return the CPU time of this process, and of another and all below it."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    return own.ru_utime + own.ru_stime + (0.0 if pid is None else _below(pid))


def _below(pid: int) -> float:
    from arena.sandbox.survivors import with_descendants

    ticks = 0
    for one in with_descendants([pid]):
        fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / 100


def main() -> None:
    """Measure, and print the figures."""
    PYTHON, JAVASCRIPT = import_module("kuhn").GAME, import_module("kuhn_js").GAME  # noqa: N806 - constants there

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--games", type=int, default=300)
    given = parser.parse_args()
    play(JAVASCRIPT, 0)
    pid = JAVASCRIPT._rules._process.pid
    rows: list[tuple[float, float]] = []
    for _ in range(given.rounds):
        row = []
        for game, child in ((JAVASCRIPT, pid), (PYTHON, None)):
            before = cpu_s(child)
            decisions = sum(play(game, number) for number in range(given.games))
            row.append(1e6 * (cpu_s(child) - before) / decisions)
        rows.append((row[0], row[1]))
    for name, values in (
        ("JavaScript, µs", [one for one, _ in rows]),
        ("Python, µs", [other for _, other in rows]),
        ("ratio", [one / other for one, other in rows]),
    ):
        print(f"{name}: {statistics.median(values):.1f} ({min(values):.1f} to {max(values):.1f})")


if __name__ == "__main__":
    main()
