"""Measures how busy the slots of real hosts are, with games of a known length that varies, and that the table is right.

    python benchmarks/busy_slots.py [--seconds 5] [--games 120] [--hosts 2] [--slots 8] [--spread 0.5]

A league of the trick game with bots that sleep for each move, for a time that they draw anew for each game, so games
vary (log-normal) and cores are idle. Played on hosts of this machine, and the part of the time that slots play is
counted from the games in the ledger: from when each slot has had about two games until three games a slot are left,
as the start and the end of a league are no question of units. With `--check`, the league is also played by worker
processes, and both ledgers must hold the same games. Needs `plugins/cluster`.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from datetime import datetime
from math import log, sqrt
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena_cluster import ClusterSettings

from arena.executors.base import Executor
from arena.executors.processes import ProcessExecutor
from arena.league.create import create
from arena.league.definition.read import plan
from arena.league.running.run import LeagueRun
from benchmarks.referee import PYTHON_BOT
from benchmarks.trick_league import DECISIONS, league_of, trick_installed, write_bots
from results.records.query_rows import FinishedGame
from results.store import open_store

PYTHON = ("python3", "-S", "-E", "bot.py")


def sleeping_bot(game_s: float, spread: float) -> str:
    """Return a bot that sleeps before each move, so that games of two of them take `game_s` on average.

    The logarithm of a game's time has about that standard deviation, as it is the mean of two draws.
    """
    own = spread * sqrt(2)
    mean_log = log(game_s / DECISIONS) - own**2 / 2
    return PYTHON_BOT.replace("import json, sys\n", "import json, random, sys, time\n").replace(
        """    if kind == "ask":
""",
        f"""    if kind == "start":
        sleep_s = random.lognormvariate({mean_log}, {own})
    if kind == "ask":
        time.sleep(sleep_s)
""",
    )


def played(
    place: Path, bots: Sequence[Path], games: int, slots: int, executor: Executor
) -> list[FinishedGame]:
    """Play a league of so many games in an empty folder; return its games."""
    place.mkdir()
    file = league_of(bots, games)
    with open_store(place / "arena.sqlite", create=True) as store:
        league = create(store, plan(file, place, file.name))
        run = LeagueRun(store, league, workers=slots, sandbox="off", executor=executor)
        if not run.run(lambda _: None):
            raise SystemExit("the league was not played to its end")
        return store.games.all(league.uuid)


def busy_part(games: Sequence[FinishedGame], slots: int) -> tuple[float, float]:
    """Return the part of the time that slots play, and the mean length of a game in seconds."""
    ended_s = [datetime.fromisoformat(game.finished_at).timestamp() for game in games]
    took_s = [game.wall_ns / 1e9 for game in games]
    in_order = sorted(ended_s)
    first_s, last_s = in_order[2 * slots], in_order[-3 * slots]
    played_s = sum(
        max(0.0, min(end, last_s) - max(end - took, first_s))
        for end, took in zip(ended_s, took_s, strict=True)
    )
    return played_s / (slots * (last_s - first_s)), sum(took_s) / len(took_s)


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=5, help="the mean time of a game")
    parser.add_argument("--spread", type=float, default=0.5, help="of the logarithm of a game's time")
    parser.add_argument("--games", type=int, default=120)
    parser.add_argument("--hosts", type=int, default=2)
    parser.add_argument("--slots", type=int, default=8, help="of all hosts")
    parser.add_argument("--check", action="store_true", help="compare with worker processes")
    given = parser.parse_args()
    try:
        from arena_cluster.executor import ClusterExecutor

        cluster = ClusterExecutor(ClusterSettings(on=f"local:{given.hosts}"), given.slots)
    except ImportError:
        raise SystemExit("arena-cluster is not installed: pip install plugins/cluster") from None
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as scratch:
        place = Path(scratch)
        place.chmod(0o755)
        program = sleeping_bot(given.seconds, given.spread).encode()
        bots = write_bots(place, PYTHON, {"bot.py": program})
        with trick_installed(place):
            games = played(place / "hosts", bots, given.games, given.slots, cluster)
            part, mean_s = busy_part(games, given.slots)
            print(
                f"{len(games)} games of {mean_s:.1f} s on {given.hosts} hosts with {given.slots} slots in all: "
                f"busy {part:.0%}",
                flush=True,
            )
            if given.check:
                here = played(
                    place / "here", bots, given.games, given.slots, ProcessExecutor(given.slots, pin=False)
                )
                same = [(one.match_no, one.rotation, one.fingerprint) for one in games] == [
                    (one.match_no, one.rotation, one.fingerprint) for one in here
                ]
                print(f"worker processes: busy {busy_part(here, given.slots)[0]:.0%}; same games: {same}")


if __name__ == "__main__":
    main()
