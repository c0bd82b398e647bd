"""Runs the only league of the store in the current folder, its bots in sandboxes but not frozen between their turns."""

from dataclasses import replace
from pathlib import Path

from arena.league.run import LeagueRun
from results.store import open_store


def main() -> None:
    """Run the league to its end."""
    with open_store(Path("arena.sqlite")) as store:
        run = LeagueRun(store, store.leagues.get())
        run._confinement = replace(run._confinement, delegation=None)
        assert run.run(lambda _: None), "the league did not come to its end"


if __name__ == "__main__":
    main()
