"""Runs a league under the live display, and reports the result at its end."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from arena.cli.confinement import say_confinement
from arena.cli.consoles import console
from arena.cli.display.placing import print_placing
from arena.cli.display.rankings import print_rankings
from arena.cli.exit_codes import INTERRUPTED, OURS
from arena.cli.interruption import hang_up
from arena.cli.messages import played_again, say, warn
from arena.cli.options import naming_store
from arena.cli.paused_runs import paused, pausing
from arena.cli.runner import taking_up
from results.reports.rankings import rankings

if TYPE_CHECKING:
    from results.isolation_levels import Wanted
    from results.records import LeagueRecord
    from results.reports.fit_cache import KeptFit
    from results.store import Store


def run_shown(
    opened: "Store",
    league: "LeagueRecord",
    store: Path,
    workers: int | None,
    sandbox: "Wanted | None" = None,
    executor: str | None = None,
) -> None:
    """Run a league under the live display, then show its rankings. Exits with 4 if interrupted, 5 if paused."""
    go_on = f"arena league run {shlex.quote(league.name)}{naming_store(store)}"
    with pausing(go_on):
        from arena.cli.display.live_league import LiveLeague
        from arena.league.running.interrupts import Interrupts
        from arena.league.running.named_executor import unused_settings
        from arena.league.running.run import LeagueRun

        league_run = LeagueRun(
            opened,
            league,
            workers=workers,
            executor=executor,
            sandbox=sandbox,
            take_up=lambda: take_up(),
        )
        for line in unused_settings():
            warn(line)
        say_confinement(league_run.sandbox, league_run.probe)
        with (
            LiveLeague(opened, league, league_run.workers) as live,
            Interrupts(league_run.stop, live.say, hang_up),
        ):
            take_up = taking_up(opened, live.say)
            complete = league_run.run(live.show)
    league = opened.leagues.get(league.name)
    print_rankings(console(), rankings(opened, league, final_fit(opened, league)))
    print_placing(opened, league)
    for line in league_run.notices:
        warn(line)
    if league_run.ended:
        say(f"{league.name} is over: {league_run.ended}")
    progress = league_run.progress
    if progress.failed_attempts:
        say(played_again(progress.failed_attempts, progress.void_matches, "arena faults --platform"))
    if league_run.paused:
        raise paused(league_run.paused, go_on)
    if not complete:
        say(f"stopped; continue with: {go_on}")
        raise typer.Exit(INTERRUPTED)
    if progress.void_matches:
        raise typer.Exit(OURS)


def final_fit(store: "Store", league: "LeagueRecord") -> "KeptFit | None":
    """Return the stored fit; at the end of a league, if the output is a terminal, compute a new one."""
    from results.reports.fit_cache import kept_fit, new_fit

    fresh = console().is_terminal and league.state == "finished"
    return new_fit(store, league.uuid) if fresh else kept_fit(store, league.uuid)
