"""`arena league run`."""

import typer

from arena.cli.confinement import CertificatesOption, OnOption
from arena.cli.league_run import run_shown
from arena.cli.options import (
    DEFAULT_STORE,
    ExecutorOption,
    LeagueArgument,
    LeagueSandboxOption,
    StoreOption,
    WorkersOption,
)
from arena.cli.runner import running


def run(
    name: LeagueArgument = None,
    store: StoreOption = DEFAULT_STORE,
    workers: WorkersOption = None,
    sandbox: LeagueSandboxOption = None,
    executor: ExecutorOption = None,
    on: OnOption = None,
    certificates: CertificatesOption = None,
) -> None:
    """Play a league to its end, continuing where the last run stopped.

    Also ends, with exit code 0, if the league has nothing to play for now: it says why, and how it goes on. `arena run`
    waits, and plays on by itself. The first Ctrl-C finishes the games being played, the second stops at once. Run the
    same command to continue.
    """
    with running(store, "runs a league", create=False) as opened:
        run_shown(
            opened,
            opened.leagues.get(name),
            store,
            workers,
            sandbox,
            executor,
            on=on,
            certificates=certificates,
        )


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("run")(run)
