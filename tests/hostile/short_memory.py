"""How often memory above the limit is seen that is held for a moment only: `python -m tests.hostile.short_memory`.

As an ordinary user without a control group, where memory is sampled. Started by root, the bots run as such a user.
"""

import argparse
from pathlib import Path

from msgspec.structs import replace

from protocol.verdicts import Verdict
from tests.hostile.canaries import canaries
from tests.hostile.frame import good_bot, hostile_bot
from tests.hostile.table import GOOD, HOSTILE, table
from tests.support.sandbox import ORDINARY_USER, confinement_of, in_column, open_folder

HELD_MS = (0, 5, 10, 25, 50, 100)
"""How long all of them hold it together."""
TOTALS_MIB = (290, 600)
"""Of eight processes; the limit is 256."""
ATTACK = """
def attack():
    told, tells = os.pipe()
    waits, releases = os.pipe()
    def work():
        os.close(releases)
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE
        held = mmap.mmap(-1, MIB * 2**20 // 8, flags)
        os.write(tells, b"x")
        os.read(waits, 1)
    for _ in range(8):
        background(work)
    for _ in range(8):
        os.read(told, 1)
    log("together;")
    time.sleep(HELD_MS / 1000)
    os.close(releases)
    time.sleep(0.2)
"""
"""The kernel populates it at once; they end together as soon as each has had it for that long."""


def is_seen(mib: int, held_ms: int) -> bool:
    """Play a game with a bot that holds so much in its turn; return whether it got the verdict."""
    source = ATTACK.replace("MIB", str(mib)).replace("HELD_MS", str(held_ms))

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
    for mib in TOTALS_MIB:
        for held_ms in HELD_MS:
            seen = sum(is_seen(mib, held_ms) for _ in range(games))
            print(f"{mib} MiB for {held_ms} ms: seen in {seen} of {games} games", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
