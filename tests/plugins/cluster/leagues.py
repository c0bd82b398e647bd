"""A league for hosts to play: what it must come to, and that nothing is left of it."""

from collections.abc import Callable
from pathlib import Path

from arena.executors.base import Executor
from arena.league.running.run import LeagueRun
from arena.league.running.runner_activity import RunProgress
from results.base.isolation_levels import Wanted
from results.store import open_store
from tests.support.leagues import assert_nobody_left, create_here, digest, write_league

MARK = "mark-of-bots-on-hosts"
ROUNDS = 6


def played(
    folder: Path,
    executor: Executor,
    *,
    shown: Callable[[RunProgress], None] = lambda _: None,
    sandbox: Wanted | None = None,
    rounds: int = ROUNDS,
    leaves_nobody: bool = True,
) -> tuple[dict[str, str], LeagueRun]:
    """Create a league in a new folder and play it to its end; return its digest, and the run."""
    create_here(write_league(folder, rounds=rounds, pause_ms=10, mark=MARK))
    return played_on(folder, executor, shown=shown, sandbox=sandbox, leaves_nobody=leaves_nobody)


def played_on(
    folder: Path,
    executor: Executor,
    *,
    shown: Callable[[RunProgress], None] = lambda _: None,
    sandbox: Wanted | None = None,
    leaves_nobody: bool = True,
) -> tuple[dict[str, str], LeagueRun]:
    """Play a league to its end."""
    with open_store(folder / "arena.sqlite") as store:
        run = LeagueRun(store, store.leagues.get("test"), executor=executor, sandbox=sandbox)
        assert run.run(shown)
        assert not list(store.games.faults(run.league.uuid)), "no bot is to blame for a host"
        assert run.progress.void_matches == 0
    if leaves_nobody:
        assert_nobody_left(MARK)
    return digest(folder), run


def games_in(folder: Path) -> int:
    """Return how many games of the league are in the ledger."""
    with open_store(folder / "arena.sqlite") as store:
        return store.leagues.progress(store.leagues.get("test").uuid).games_done
