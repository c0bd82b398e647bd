"""Runs the only league of the store in the current folder, its bots in sandboxes but not frozen between their turns."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from arena.executors.base import PortableWork, Stop, TicketSource
from arena.executors.processes import ProcessExecutor
from arena.league.definition.stored import file_of
from arena.league.running.local_games import PreparedGames
from arena.league.running.run import LeagueRun
from results.store import open_store


class Unfrozen:
    """Worker processes whose bots have no control group. An `Executor`."""

    plays_here = True

    def __init__(self, workers: int) -> None:
        self._processes = ProcessExecutor(workers)

    def run(
        self, work: PortableWork, source: TicketSource, stop: Stop, held: Sequence[int] = ()
    ) -> Iterator[list[Any]]:
        prepared = work.prepare()
        assert isinstance(prepared, PreparedGames)
        ungrouped = replace(prepared, confinement=replace(prepared.confinement, delegation=None))
        yield from self._processes.run(ungrouped, source, stop, held)


def main() -> None:
    """Run the league to its end."""
    with open_store(Path("arena.sqlite")) as store:
        league = store.leagues.get()
        workers = file_of(league).workers
        assert workers is not None
        run = LeagueRun(store, league, executor=Unfrozen(workers))
        assert run.run(lambda _: None), "the league did not come to its end"


if __name__ == "__main__":
    main()
