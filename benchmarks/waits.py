"""Measures what users wait for, in seconds by the clock: commands, a match, a league, the demo, a page of the site.

    python benchmarks/waits.py [--rounds 3] [--games 300] [--results FILE]

The bots are `greedy` and `crumb` of Bread Basket, in Python, in a store of their own for each round.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.comparison import add_results_option, keep, rounds, value_line
from benchmarks.league_start import ARENA, ENVIRONMENT, until_first_game_s
from benchmarks.site_load import start
from benchmarks.trick_league import ROOT

BOTS = ("greedy", "crumb")
WITH = "Bread Basket, two bots in Python"
LEAGUE = """
name = "{name}"
game = "bread-basket"
seats = 2
seed = 1
[schedule]
kind = "round-robin"
rounds = {rounds}
[[bots]]
path = "greedy"
[[bots]]
path = "crumb"
"""
WAITS = {
    "help": ("`arena --help`", "", "Python and the modules of the command line"),
    "match": ("`arena match`, the first", f"2 games, {WITH}", "the check of both bots, and their starts"),
    "rematch": ("the same match with other deals", f"2 games, {WITH}", "the starts of the bots"),
    "first game": ("`arena run`, to its first game", WITH, "the modules, and the first start of both bots"),
    "run": ("`arena run`", f"{{games}} games, {WITH}", "the bots"),
    "unconfined": ("`arena run --sandbox off`", f"{{games}} games, {WITH}", "the bots"),
    "rankings": (
        "`arena rankings`, after new games",
        "{games} games",
        "the strengths, fitted to all matches",
    ),
    "rankings again": (
        "`arena rankings`, again",
        "{games} games",
        "Python and the modules of the command line",
    ),
    "why": ("`arena why`", "one of these games", "Python and the modules of the command line"),
    "verify": ("`arena db verify`", "{twice} games", "every game played again by the rules"),
    "page": (
        "the ladder on the site, after new games",
        "{games} games",
        "the strengths, fitted to all matches",
    ),
    "page again": ("the ladder on the site, again", "{games} games", "the way to the server and back"),
    "demo": (
        "`arena demo`",
        "400 games at four seats, five bots",
        "`baker`, which thinks as long as it may",
    ),
}
"""By key: what you wait for, with what, and for what mostly."""


def arena(folder: Path, *words: str) -> tuple[float, str]:
    """Run a command in a folder; return its seconds and what it prints."""
    begun_s = time.perf_counter()
    done = subprocess.run(
        [*ARENA, *words],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    took_s = time.perf_counter() - begun_s
    if done.returncode:
        raise SystemExit(f"arena {' '.join(words)}: {done.stderr.strip()}")
    return took_s, done.stdout


def views_s(folder: Path, league: str, count: int = 2) -> list[float]:
    """Return the seconds that a server takes for the ladder of a league, view after view."""
    server = start("serve", "--port", "0", cwd=folder)
    try:
        assert server.stdout is not None
        address = next(word for line in server.stdout for word in line.split() if word.startswith("http://"))
        found = []
        for _ in range(count):
            begun_s = time.perf_counter()
            connection = HTTPConnection(urlsplit(address).netloc)
            connection.request("GET", f"/leagues/{league}")
            if (answer := connection.getresponse()).status != HTTPStatus.OK or not answer.read():
                raise SystemExit(f"no page: {answer.status}")
            connection.close()
            found.append(time.perf_counter() - begun_s)
        return found
    finally:
        server.terminate()
        server.communicate()


def one_round(games: int, told: Callable[[str, float], None]) -> None:
    """Measure everything once."""
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        for bot in BOTS:
            shutil.copytree(ROOT / "bots/bread_basket" / bot, folder / bot)
            manifest = folder / bot / "bot.toml"
            manifest.write_text(manifest.read_text().replace('author = "arena"', 'author = "ada"'))
        told("help", arena(folder, "--help")[0])
        told("match", arena(folder, "match", "./greedy", "./crumb")[0])
        told("rematch", arena(folder, "match", "./greedy", "./crumb")[0])
        for league in ("one", "two"):
            (folder / f"{league}.toml").write_text(LEAGUE.format(name=league, rounds=games // 2))
            arena(folder, "league", "create", f"{league}.toml")
        first_s, whole_s = until_first_game_s(folder, "one", games_before=4)
        told("first game", first_s)
        told("run", whole_s)
        told("unconfined", arena(folder, "run", "two", "--sandbox", "off")[0])
        told("rankings", arena(folder, "rankings", "one")[0])
        told("rankings again", arena(folder, "rankings", "one")[0])
        game = json.loads(arena(folder, "replay", "list", "one", "--format", "json")[1])[0]["game"]
        told("why", arena(folder, "why", game)[0])
        told("verify", arena(folder, "db", "verify")[0])
        for key, seconds in zip(("page", "page again"), views_s(folder, "two"), strict=True):
            told(key, seconds)
        told("demo", arena(folder, "demo")[0])


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--games", type=int, default=300)
    add_results_option(parser)
    given = parser.parse_args()
    found: dict[str, list[float]] = defaultdict(list)
    for _ in rounds(given.rounds, given.most_s):
        one_round(given.games, lambda key, seconds: found[key].append(seconds))
    lines = []
    for key, (what, setting, mostly) in WAITS.items():
        played = setting.format(games=given.games, twice=2 * given.games + 4)
        print(f"{what:45} {played:40} {median(found[key]):8.2f} s")
        lines.append(value_line(what, played, "s by the clock", ("took", found[key]), note=mostly))
    keep(given.results, lines)


if __name__ == "__main__":
    main()
