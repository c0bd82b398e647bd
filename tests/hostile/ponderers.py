"""What ponderers cost their opponents: the wall time of a good bot's decision, everything on one core.

    python -m tests.hostile.ponderers [rounds]

The good bot needs 40 ms of CPU time for each decision. Its opponent rests while it is not its turn, or has four
processes that spin: frozen; not frozen but counted, which ends its part at its next turn; not frozen and allowed to.
"""

import os
import sys
from statistics import median

from msgspec.structs import replace

from arena.sandbox.bot_program import Bounds
from arena.sandbox.confinement import Confinement, choose
from tests.hostile.frame import hostile_bot
from tests.hostile.table import GOOD, HOSTILE, table
from tests.support.bots.programs import python_bot
from tests.support.sandbox import open_folder

NEEDS_CPU = """
def ask(message):
    until = time.process_time() + 0.04
    while time.process_time() < until:
        pass
    move(message)
"""
RESTS = "def attack(): pass"
SPINS = """
def attack():
    for _ in range(4):
        background(lambda: spin(600))
"""


def one_game(attack: str, confinement: Confinement) -> tuple[float, bool]:
    """Return the mean wall time of the good bot's decisions in one game, in ms, and whether the other was at fault."""
    told = {"sandboxed": False, "secret": "", "place": ""}
    with open_folder() as place:
        bots = {
            HOSTILE: hostile_bot(place / "hostile", attack, "in start", told),
            GOOD: python_bot(place / "good", NEEDS_CPU),
        }
        with table(place / "bots", bots, confinement) as seats:
            bad, good = seats.game(HOSTILE, GOOD).seats
    return good.wall_ns / good.decisions / 1_000_000, bad.verdict is not None


def main(rounds: int = 30) -> None:
    """Print the medians over the rounds, in each of which every case has a game."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    found, _ = choose("require", Bounds())
    counted = replace(found, delegation=None)
    cases = {
        "rests": (RESTS, counted),
        "spins, counted": (SPINS, counted),
        "spins, allowed to": (SPINS, replace(counted, pondering=True)),
    }
    if found.delegation is not None:
        cases |= {"rests, frozen": (RESTS, found), "spins, frozen": (SPINS, found)}
    played: dict[str, list[tuple[float, bool]]] = {name: [] for name in cases}
    for _ in range(rounds):
        for name, case in cases.items():
            played[name].append(one_game(*case))
    for name, games in played.items():
        wall_ms, faults = median(wall_ms for wall_ms, _ in games), sum(fault for _, fault in games)
        sys.stdout.write(
            f"opponent {name}: {wall_ms:.1f} ms a decision, at fault in {faults} of {rounds} games\n"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
