"""Takes the README's pictures: a real league in a temporary folder, drawn by the program's own display.

Usage: python docs/pictures.py [ROUNDS]
"""

import io
import sys
import tempfile
from pathlib import Path

from rich.console import Console

from arena.cli.commands.run import demo_league_file
from arena.cli.display.live_runs import live_league
from arena.cli.display.rankings import print_rankings
from arena.league.create import create
from arena.league.definition.read import plan
from arena.league.running.notes import RunProgress
from arena.league.running.run import LeagueRun
from results.reports.fits import new_fit
from results.reports.rankings import rankings
from results.store import open_store

IMAGES = Path(__file__).parent / "images"
WIDTH = 80


def main(rounds: int) -> None:
    """Run a league, take a frame when it is half done, and the rankings at its end."""
    IMAGES.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        open_store(Path(folder) / "arena.sqlite", create=True) as store,
    ):
        league = create(store, plan(demo_league_file("demo", rounds), Path(folder), "demo"))
        run = LeagueRun(store, league)
        live = live_league(store, league, run.workers)
        taken = False

        def shown(progress: RunProgress) -> None:
            nonlocal taken
            if not taken and progress.total_games and progress.games > progress.total_games * 0.6:
                taken = True
                picture = recorder()
                picture.print("[bold]$[/bold] arena demo")
                picture.print(live.frame(progress))
                picture.save_svg(str(IMAGES / "league.svg"), title="a league running")

        run.run(shown)
        league = store.leagues.get("demo")
        kept = new_fit(store, league.uuid)
        picture = recorder()
        picture.print("[bold]$[/bold] arena rankings")
        print_rankings(picture, rankings(store, league, kept))
        picture.save_svg(str(IMAGES / "rankings.svg"), title="the rankings after it")


def recorder() -> Console:
    """Return a console that draws for a picture."""
    return Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, highlight=False)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
