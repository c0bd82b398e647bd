"""Plays leagues of the trick game with bots that answer at once, so that benchmarks measure Arena and not the bots."""

import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import comb
from pathlib import Path
from typing import NamedTuple

from arena.config.league_file import BotTable, ClockTable, LeagueFile
from arena.league.create import create
from arena.league.definition.read import plan
from arena.league.running.run import LeagueRun
from arena.league.running.runner_activity import RunProgress
from results.base.isolation_levels import Wanted
from results.store import open_store

ROOT = Path(__file__).parents[1]
DECISIONS = 40
"""In one game."""
ENTRIES = 4
STORE = "arena.sqlite"
MANIFEST = 'name = "bot{number}"\nauthor = "author{number}"\ncommand = {command}\ngames = ["*"]\n'


@contextmanager
def trick_installed(place: Path) -> Iterator[None]:
    """Make the trick game look as if a package had brought it, for this process and the workers it starts."""
    about = place / "trick-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: trick\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[arena.games]\ntrick = benchmarks.games.trick:GAME\n")
    before = os.environ.get("PYTHONPATH")
    own = [str(place), str(ROOT)]
    os.environ["PYTHONPATH"] = os.pathsep.join([*own, *([before] if before else [])])
    sys.path[:0] = own
    try:
        yield
    finally:
        del sys.path[: len(own)]
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before


def write_bots(place: Path, command: Sequence[str], files: dict[str, bytes]) -> list[Path]:
    """Write the folders of the entries: all the same program, by different authors."""
    words = "[" + ", ".join(f'"{word}"' for word in command) + "]"
    folders = []
    for number in range(ENTRIES):
        folder = place / f"bot{number}"
        folder.mkdir()
        (folder / "bot.toml").write_text(MANIFEST.format(number=number, command=words))
        for name, content in files.items():
            (folder / name).write_bytes(content)
            (folder / name).chmod(0o755)
        folders.append(folder)
    return folders


class Way(NamedTuple):
    """How a league is played."""

    workers: int = 2
    sandbox: Wanted = "off"


def league_of(bots: Sequence[Path], games: int, game: str = "trick", seats: int = 2) -> LeagueFile:
    """Return a round robin of about so many games between the entries."""
    a_round = seats * comb(ENTRIES, seats)
    return LeagueFile(
        name="trick",
        game=game,
        seats=seats,
        bots=tuple(BotTable(path=str(bot)) for bot in bots),
        schedule={"kind": "round-robin", "rounds": max(1, games // a_round)},
        clock=ClockTable(startup_ms=60_000),
        seed=1,
    )


def played(place: Path, file: LeagueFile, way: Way) -> list[tuple[float, int]]:
    """Play a league in an empty folder; return when how many of its games were stored. Needs `trick_installed`.

    The last moment is that of the end, when no process of the league is left.
    """
    place.mkdir()
    told: list[tuple[float, int]] = []

    def shown(progress: RunProgress) -> None:
        told.append((time.perf_counter(), progress.games))

    with open_store(place / STORE, create=True) as store:
        league = create(store, plan(file, place, file.name))
        LeagueRun(store, league, workers=way.workers, sandbox=way.sandbox).run(shown)
    return [*told, (time.perf_counter(), told[-1][1])]


def games_per_s(place: Path, bots: Sequence[Path], games: int, way: Way) -> float:
    """Play a league of so many games in an empty folder; return its speed after the first fifth.

    The first fifth covers the start of workers and bots. Needs `trick_installed`.
    """
    told = played(place, league_of(bots, games), way)
    last = told[-1][1]
    first_s, first = next(one for one in told if one[1] >= last / 5)
    last_s = next(at_s for at_s, games in told if games == last)
    return (last - first) / (last_s - first_s)


def after_first_s(place: Path, file: LeagueFile, way: Way) -> float:
    """Play a league in an empty folder; return the seconds from its first game in the store to its end."""
    told = played(place, file, way)
    return told[-1][0] - next(at_s for at_s, games in told if games)
