"""`arena demo`."""

import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.league_run import run_shown
from arena.cli.messages import say
from arena.cli.options import WorkersOption
from arena.cli.runner import running

if TYPE_CHECKING:
    from arena.config.league_file import LeagueFile
    from results.records import LeagueRecord
    from results.store import Store

FOLDER = Path("arena-demo")
STORE_NAME = "arena.sqlite"
BOTS = ("any_game/random", "bread_basket/counter", "bread_basket/crumb", "bread_basket/greedy")
"""Quick ones only: a demo takes seconds."""


def demo(
    workers: WorkersOption = None,
    rounds: Annotated[
        int, typer.Option(min=1, max=1_000_000, help="Number of matches to play, of four games each.")
    ] = 100,
) -> None:
    """Play a small league of reference bots in ./arena-demo, and show its rankings."""
    FOLDER.mkdir(mode=0o700, exist_ok=True)
    store = FOLDER / STORE_NAME
    with running(store, "runs a demo") as opened:
        run_shown(opened, _unfinished(opened) or _create(opened, rounds), store, workers)
    say("")
    arena = _program()
    say(f"Next: {arena} rankings --store {store} · {arena} replay list --store {store}")
    say(f"See it in your browser: {arena} serve --store {store}")


def _program() -> str:
    """Return how to start Arena from here: by its path, as it was started, if `arena` alone leads elsewhere."""
    started = Path(sys.argv[0])
    found = shutil.which("arena")
    if started.name != "arena" or (found and Path(found).resolve() == started.resolve()):
        return "arena"
    return shlex.quote(str(started))


def _unfinished(store: "Store") -> "LeagueRecord | None":
    return next((league for league in store.leagues.all() if league.state != "finished"), None)


def _create(store: "Store", rounds: int) -> "LeagueRecord":
    from arena.league.create import create
    from arena.league.definition.read import plan

    taken = {league.name for league in store.leagues.all()}
    name = next(name for name in ("demo", *(f"demo-{n}" for n in range(2, 10_000))) if name not in taken)
    return create(store, plan(demo_league_file(name, rounds), FOLDER, name))


def demo_league_file(name: str, rounds: int) -> "LeagueFile":
    """Return a Bread Basket league of quick reference bots that can run on this machine."""
    from arena.config.league_file import BotTable, LeagueFile
    from arena.config.settings import read_runtimes
    from arena.core.errors import UsageError
    from arena.submissions.bundled import bundled_bots
    from arena.submissions.manifest import read_manifest

    runtimes = read_runtimes()
    tables = []
    for bot in BOTS:
        folder = bundled_bots() / bot
        try:
            runtimes.find(read_manifest(folder).command[0], folder)
        except UsageError as error:
            say(f"left out {folder.name}: {error}; {error.hint}")
            continue
        tables.append(BotTable(path=f"bots/{bot}"))
    return LeagueFile(
        name=name,
        game="bread-basket",
        bots=tuple(tables),
        schedule={"kind": "round-robin", "rounds": rounds},
        seed=1,
    )


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("demo")(demo)
