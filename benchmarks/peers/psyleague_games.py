"""Compares whole leagues with psyleague: games per second of the trick game, with the same bots in Python.

    python benchmarks/peers/psyleague_games.py [--rounds 3] [--games 100] [--results FILE]

Both play with two workers, rate with TrueSkill and store the results. Times are by the clock, without the start:
psyleague's speed is that of the games by which a long run is longer than a short one.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.comparison import Target, add_results_option, keep, ratio_line, rounds
from benchmarks.league import PYTHON
from benchmarks.peers.environments import NotThere, environment
from benchmarks.referee import PYTHON_BOT
from benchmarks.trick_league import Way, games_per_s, trick_installed, write_bots

CONFIG = """version = "0.4.1"
n_workers = 2
n_players = 2
mm_min_matches = 200
mm_min_matches_preference = 1.0
date_format = "%Y/%m/%d %H:%M:%S"
leaderboard = "POS,NAME,SCORE.2,GAMES"
model = "trueskill"
draw_prob = 0.0001
tau = 0.00025
dir_bots = "bots"
cmd_bot_setup = "true"
cmd_play_game = '{command}'
file_log = "psyleague.log"
file_msg = "psyleague.msg"
file_db = "psyleague.db"
file_games = "psyleague.games"
"""
"""The file that psyleague writes itself, with our command, two workers and nothing to build."""
FEW = 20
NOTE = (
    "psyleague starts a command for each game, which starts the bots; here it is a small program in Python without "
    "clocks, checks or records. Its main loop sleeps 0.1 s a step and queues two games a worker, so it plays 40 games "
    "a second at most, whatever the game. Arena keeps the bots' processes, watches clocks and memory, and stores "
    "replays."
)


def psyleague_s(tool: Path, bot: Path, games: int) -> float:
    """Return the seconds of a run of psyleague among four bots, in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as name:
        folder = Path(name)
        (folder / "bots").mkdir()
        game = Path(__file__).parent / "inside" / "trick_command.py"
        words = [sys.executable, "-S", "-E", str(game), sys.executable, "-S", "-E", str(bot)]
        (folder / "psyleague.cfg").write_text(CONFIG.format(command=" ".join(words)))

        def run(*arguments: str) -> None:
            done = subprocess.run(
                [str(tool), *arguments],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=120,
                check=False,
            )
            if done.returncode:
                raise NotThere("psyleague is installed, but does not work here")

        for entry in "abcd":
            run("bot", "add", entry)
        begun_s = time.perf_counter()
        run("run", "-g", str(games), "-w", "2", "-s")
        return time.perf_counter() - begun_s


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--games", type=int, default=100, help="psyleague's; Arena plays 30 times as many")
    add_results_option(parser)
    given = parser.parse_args()
    theirs: list[float] = []
    ours: dict[str, list[float]] = {"off": [], "auto": []}
    try:
        tool = environment("psyleague") / "psyleague"
        with tempfile.TemporaryDirectory(prefix="arena-bench-") as scratch:
            place = Path(scratch)
            place.chmod(0o755)  # bots of a sandbox have other users
            bots = write_bots(place, PYTHON, {"bot.py": PYTHON_BOT.encode()})
            with trick_installed(place):
                for number in rounds(given.rounds, given.most_s):
                    seconds = [psyleague_s(tool, bots[0] / "bot.py", FEW + more) for more in (0, given.games)]
                    theirs.append(given.games / (seconds[1] - seconds[0]))
                    for sandbox, speeds in ours.items():
                        way = Way(sandbox="auto" if sandbox == "auto" else "off")
                        folder = place / f"{number}-{sandbox}"
                        speeds.append(games_per_s(folder, bots, 30 * given.games, way))
    except NotThere as why:
        keep(given.results, [], str(why))
        return
    lines = [
        ratio_line(
            "games a second: Arena ÷ psyleague",
            f"trick, Python bots, 2 workers, {'sandboxed' if sandbox == 'auto' else 'no sandbox'}",
            "games/s",
            ("Arena", speeds),
            ("psyleague", theirs),
            Target(at_least=80) if sandbox == "off" else None,
            note=NOTE,
        )
        for sandbox, speeds in ours.items()
    ]
    for one in lines:
        print(f"{one.name}, {one.setting}: {one.median:.1f} ({one.min:.1f} to {one.max:.1f})")
    keep(given.results, lines)


if __name__ == "__main__":
    main()
