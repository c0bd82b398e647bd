"""Plays leagues of the trick game with bots that answer at once, so that benchmarks measure Arena and not the bots."""

import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from arena.config.league_file import BotTable, ClockTable, LeagueFile
from arena.league.create import create
from arena.league.definition.read import plan
from arena.league.running.run import LeagueRun
from arena.league.running.runner_activity import RunProgress
from results.base.isolation_levels import Wanted
from results.records import GameRecord
from results.store import open_store

ROOT = Path(__file__).parents[1]
DECISIONS = 40
"""In one game."""
ENTRIES = 4
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


class Unstored(LeagueRun):
    """A run that neither stores nor rates what it plays."""

    def _enter(self, chunk: Sequence[object], tickets: object, notes: object) -> None:  # noqa: ARG002
        self.progress.games += sum(isinstance(result, GameRecord) for result in chunk)


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
    stored: bool = True
    """Whether results are stored, with replays, and rated."""


def league_of(bots: Sequence[Path], games: int) -> LeagueFile:
    """Return a round robin of about so many games between the entries."""
    pairs = ENTRIES * (ENTRIES - 1) // 2
    return LeagueFile(
        name="trick",
        game="trick",
        seats=2,
        bots=tuple(BotTable(path=str(bot)) for bot in bots),
        schedule={"kind": "round-robin", "rounds": max(1, games // (2 * pairs))},
        clock=ClockTable(startup_ms=60_000),
        seed=1,
    )


def games_per_s(place: Path, bots: Sequence[Path], games: int, way: Way) -> float:
    """Play a league of so many games in an empty folder; return its speed after the first fifth.

    The first fifth covers the start of workers and bots. Needs `trick_installed`.
    """
    place.mkdir()
    file = league_of(bots, games)
    told: list[tuple[float, int]] = []

    def shown(progress: RunProgress) -> None:
        told.append((time.perf_counter(), progress.games))

    with open_store(place / "arena.sqlite", create=True) as store:
        league = create(store, plan(file, place, file.name))
        kind = LeagueRun if way.stored else Unstored
        kind(store, league, workers=way.workers, sandbox=way.sandbox).run(shown)
    last_s, last = told[-1]
    first_s, first = next(one for one in told if one[1] >= last / 5)
    last_s = next(at_s for at_s, played in told if played == last)
    return (last - first) / (last_s - first_s)
