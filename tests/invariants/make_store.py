"""Makes the store of test_store.py: `python -m tests.invariants.make_store`.

It was run once, for version 1 of the store. From the first release on it is not made again: stores of users exist,
and what reads it has to read it as it is.
"""

import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from arena.executors.base import Stop, TicketSource, Work
from arena.executors.worker import SerialExecutor
from arena.league.running.run import LeagueRun
from arena.league.running.work_units import failure
from protocol.verdicts import Verdict
from results.store import open_store
from tests.invariants.bots import write_bot
from tests.support.example_leagues import BOTS, League
from tests.support.leagues import arena, create_here, play_here

SPRING = League(
    more='seats = 2\noptions = { hands = 1 }\nkeep_replays = "last 12"',
    tables='[schedule]\nkind = "round-robin"\nrounds = 2\n',
    bots=4,
)
SUMMER = League(
    "sandwich",
    'ruleset = "fr"\nseats = 3\nrotations = "cyclic"',
    tables='[schedule]\nkind = "round-robin"\nrounds = 1\n',
    bots=4,
)
AUTUMN = League(
    more="seats = [2, 3]\noptions = { hands = 1 }",
    tables='[schedule]\nkind = "round-robin"\n',
    bots=("ann", "bob", "fay"),
)
CUP = League(
    "bread-and-chocolate",
    'ruleset = "shram"\nseats = 2\noptions = { hands = 1 }',
    tables='[schedule]\nkind = "swiss"\nrounds = 2\n',
    bots=5,
)


class Noting:
    """A source of tickets that remembers the last one."""

    def __init__(self, source: TicketSource) -> None:
        self._source = source
        self.last: Any = None

    def take(self, most: int, worker_no: int) -> list[Any]:
        """Pass tickets on."""
        taken = self._source.take(most, worker_no)
        self.last = taken[-1] if taken else None
        return taken


class Spoiling:
    """Plays games, of which some come to nothing by the platform's fault. An `Executor`."""

    plays_here = True

    def run(
        self, work: Work, source: TicketSource, stop: Stop, held: Sequence[int] = ()
    ) -> Iterator[list[Any]]:
        """Have the first game of match 1 fail each time, and the first attempt at one of match 2."""
        noting = Noting(source)
        for played in SerialExecutor().run(work, noting, stop, held):
            ticket = noting.last
            if ticket.rotation == 0 and ticket.match_no == 1:
                yield [failure(ticket, Verdict.INTERNAL, "made to fail", "w0")]
            elif ticket.rotation == 0 and ticket.match_no == 2 and ticket.attempt == 1:
                yield [failure(ticket, Verdict.OVERLOAD, "made to fail once", "w0")]
            else:
                yield played


def make(folder: Path) -> None:
    """Make the store in an empty folder, as a user would: submissions, leagues, a match, a comparison."""
    for name, (habit, author) in BOTS.items():
        write_bot(folder, name, habit, author)
    for name in ("ann", "bob"):
        arena("submit", name, "--sandbox", "off", cwd=folder)
    with (folder / "ann" / "bot.py").open("a") as source:
        source.write("# the second version\n")
    arena("submit", "ann", "--sandbox", "off", cwd=folder)
    for name, league in (("spring", SPRING), ("summer", SUMMER), ("autumn", AUTUMN), ("cup", CUP)):
        text = league.text(name)
        if name == "summer":
            text = text.replace("seed = 7\n", "")  # sealed: its deals follow from the store alone
        file = folder / f"{name}.toml"
        file.write_text(text)
        create_here(file)
    play_here(folder, "spring")
    play_here(folder, "cup")
    play_here(folder, "summer", most_games=10)
    with open_store(folder / "arena.sqlite") as store:
        LeagueRun(store, store.leagues.get("autumn"), executor=Spoiling()).run(lambda _: None)
    arena("db", "prune", "faults", "autumn", cwd=folder)
    arena("match", "ann", "bob", "-g", "bread-basket", "-s", "3", "--sandbox", "off", cwd=folder)
    options = ("--game", "bread-basket", "--option", "hands=1", "--seed", "5", "--budget", "24", "-w", "1")
    arena("compare", "ann@1", "ann@2", *options, "--sandbox", "off", cwd=folder, check=False)
    for name in ("spring", "autumn", "cup"):
        arena("rankings", name, cwd=folder)  # a fit is made and kept


def main(target: Path) -> None:
    """Make a store and pack it with its files. Raises FileExistsError where the file is there."""
    with tempfile.TemporaryDirectory() as scratch, tarfile.open(target, "x:xz") as packed:
        make(Path(scratch))
        for name in ("arena.sqlite", "arena.files"):
            packed.add(Path(scratch) / name, name)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
