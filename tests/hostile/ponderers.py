"""What ponderers cost their opponents: the wall time of a good bot's decision, everything on one core.

    python -m tests.hostile.ponderers [games]

The good bot needs 40 ms of CPU time for each decision. Its opponent rests while it is not its turn, or has four
processes that spin: frozen, not frozen but counted (which ends its part at its next turn), or not frozen and allowed to.
"""

import os
import sys
from dataclasses import replace
from statistics import mean

from arena.sandbox.bounds import Bounds
from arena.sandbox.confinement import Confinement, choose
from tests.hostile.frame import hostile_bot
from tests.hostile.table import GOOD, HOSTILE, table
from tests.players.zoo import python_bot
from tests.sandbox.inside import open_folder

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


def decision_ms(attack: str, confinement: Confinement, games: int) -> tuple[float, int]:
    """Return the mean wall time of the good bot's decisions, and how many games ended by a fault of the other."""
    wall_ns, faults = [], 0
    told = {"sandboxed": False, "secret": "", "place": ""}
    with open_folder() as place:
        bots = {
            HOSTILE: hostile_bot(place / "hostile", attack, "in start", told),
            GOOD: python_bot(place / "good", NEEDS_CPU),
        }
        with table(place / "bots", bots, confinement) as seats:
            for _ in range(games):
                bad, good = seats.game(HOSTILE, GOOD).seats
                wall_ns.append(good.wall_ns / good.decisions)
                faults += bad.verdict is not None
    return mean(wall_ns) / 1_000_000, faults


def main(games: int = 30) -> None:
    """Print the figures."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    found, _ = choose("require", Bounds())
    counted = replace(found, delegation=None)
    cases = [("rests", RESTS, counted), ("spins, counted", SPINS, counted)]
    cases.append(("spins, allowed to", SPINS, replace(counted, pondering=True)))
    if found.delegation is not None:
        cases[1:1] = [("rests, frozen", RESTS, found), ("spins, frozen", SPINS, found)]
    for name, attack, confinement in cases:
        wall_ms, faults = decision_ms(attack, confinement, games)
        sys.stdout.write(
            f"opponent {name}: {wall_ms:.2f} ms a decision, {faults} of {games} games ended by its fault\n"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
