"""How often memory above the limit is seen that is held for a moment only: `python -m tests.hostile.short_memory`.

As an ordinary user without a control group, where memory is sampled. Started by root, the bots run as such a user.
"""

import argparse
from dataclasses import replace
from pathlib import Path

from protocol.verdicts import Verdict
from tests.hostile.canaries import canaries
from tests.hostile.frame import good_bot, hostile_bot
from tests.hostile.table import GOOD, HOSTILE, table
from tests.players.columns import ORDINARY_USER, confinement_of, in_column
from tests.sandbox.inside import open_folder

CASES = ((1, 290), (1, 600), (8, 290), (8, 400), (8, 600))
"""Processes that hold memory at the same time, as far as the cores allow, and how much in all, in MiB."""
ATTACK = """
def attack():
    def work():
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE
        mmap.mmap(-1, MIB * 2**20 // PROCESSES, flags)
    for _ in range(PROCESSES):
        background(work)
    time.sleep(1)
"""
"""The kernel populates it at once, and each process ends when it has it."""


def is_seen(processes: int, mib: int) -> bool:
    """Play a game with a bot that holds so much in its turn; return whether it got the verdict."""
    source = ATTACK.replace("MIB", str(mib)).replace("PROCESSES", str(processes))

    def work() -> None:
        with canaries(place) as canary:
            bots = {
                HOSTILE: hostile_bot(place / "hostile", source, "in its turn", canary.told(sandboxed=True)),
                GOOD: good_bot(place / "good", canary.secret, 0, []),
            }
            confinement = replace(confinement_of(ORDINARY_USER), pondering=True)
            with table(place / "bots", bots, confinement) as seats:
                guilty, other = seats.game(HOSTILE, GOOD).seats
            assert other.verdict is None
            assert guilty.verdict in (None, Verdict.MEMORY), guilty
            if guilty.verdict:
                (place / "seen").touch()

    with open_folder() as place:
        place.chmod(0o777)
        in_column(ORDINARY_USER, work)
        return Path(place, "seen").exists()


def main() -> None:
    """Print a line for each case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=20, help="how many of each kind")
    games = parser.parse_args().games
    for processes, mib in CASES:
        seen = sum(is_seen(processes, mib) for _ in range(games))
        print(f"{processes} process(es), {mib} MiB: seen in {seen} of {games} games", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
