"""Runs a league under the live display, and reports the result at its end."""

import shlex
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from arena.cli.confinement import say_confinement
from arena.cli.consoles import console, error_console
from arena.cli.exit_codes import INTERRUPTED, OURS
from arena.cli.interruption import hang_up
from arena.cli.messages import played_again, say, warn
from arena.cli.on_hosts import playing_on, typed
from arena.cli.options import naming_store
from arena.cli.paused_runs import paused, pausing
from arena.cli.runner import Teller, taking_up

if TYPE_CHECKING:
    from arena.league.running.run import LeagueRun
    from results.isolation_levels import Wanted
    from results.records import LeagueRecord
    from results.reports.fit_cache import AnyFit
    from results.store import Store

SHOWS_THE_END = ("arena.cli.display.placing", "arena.cli.display.rankings", "results.reports.rankings")
"""Modules that are loaded while the workers start."""


def run_shown(
    opened: "Store",
    league: "LeagueRecord",
    store: Path,
    workers: int | None,
    sandbox: "Wanted | None" = None,
    executor: str | None = None,
    *,
    on: str | None = None,
    certificates: Path | None = None,
) -> None:
    """Run a league under the live display, then show its rankings. Exits with 4 if interrupted, 5 if paused."""
    go_on = f"arena league run {shlex.quote(league.name)}{typed(on, certificates)}{naming_store(store)}"
    with pausing(go_on):
        from arena.league.running.named_executor import unused_settings

        for line in unused_settings():
            warn(line)
        teller = Teller()
        with playing_on(on, certificates, executor, workers, teller.tell) as player:
            options = {"workers": workers, "executor": player, "sandbox": sandbox}
            league_run, complete = _played(opened, league, options, teller)
    if league_run.waited_in_vain and not complete and not league_run.paused and not league_run.waits:
        say(f"stopped before any host played a game; continue with: {go_on}")
        raise typer.Exit(INTERRUPTED)
    from arena.cli.display.placing import print_placing
    from arena.cli.display.rankings import print_rankings
    from arena.league.changes.copies import next_season, seal
    from results.reports.rankings import rankings

    league = opened.leagues.get(league.uuid)
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
    if not complete and league_run.is_paused:
        say(
            f"{league.name} is {league_run.waits}; go on with: arena league resume {shlex.quote(league.name)}"
        )
        return
    if not complete:
        say(f"stopped; continue with: {go_on}")
        raise typer.Exit(INTERRUPTED)
    if complete and (following := next_season(opened, league)) is not None:
        say(f"{following.name} begins{seal(following)}")
        say(f"run it with: arena league run {shlex.quote(following.name)}{naming_store(store)}")
    if progress.void_matches:
        raise typer.Exit(OURS)


def _played(
    opened: "Store", league: "LeagueRecord", options: dict[str, Any], teller: Teller
) -> "tuple[LeagueRun, bool]":
    """Play a league until it is over or paused, or the user stops it; return the last run, and whether it is over.

    While the league has nothing to play, wait for a change.
    """
    from arena.cli.display.live_league import LiveLeague
    from arena.league.running.interrupts import Interrupts
    from arena.league.running.run import LeagueRun

    told = ""
    take_up = taking_up(opened, teller.tell, SHOWS_THE_END)
    while True:
        league_run = LeagueRun(opened, league, take_up=take_up, **options)
        if not told:
            say_confinement(league_run.sandbox, league_run.probe)
        with (
            LiveLeague(opened, league, league_run.workers) as live,
            Interrupts(league_run.stop, live.say, hang_up) as interrupts,
        ):
            teller.say = live.say
            complete = league_run.run(live.show)
        teller.say = say
        if not league_run.waits or league_run.is_paused or interrupts.heard:
            return league_run, complete
        if league_run.waits != told:
            say(f"{league.name} waits: {league_run.waits}")
        told = league_run.waits
        if not _changed(opened, league_run, take_up):
            return league_run, complete


def _changed(opened: "Store", league_run: "LeagueRun", take_up: Callable[[], None]) -> bool:
    """Wait for a change of a league that has nothing to play; return False if the user stops the waiting."""
    from arena.league.running.interrupts import Interrupts
    from arena.league.service import LOOK_S, rest_s

    league, until_s = league_run.league, time.monotonic() + rest_s(opened)
    before = opened.leagues.event_count(league.uuid)
    with (
        Interrupts(league_run.stop, lambda _: None, hang_up) as interrupts,
        error_console().status(f"waiting for changes · {league.name}: {league_run.waits}"),
    ):
        while not interrupts.heard and time.monotonic() < until_s:
            take_up()
            if opened.leagues.event_count(league.uuid) != before:
                break
            time.sleep(LOOK_S)
    return not interrupts.heard


def final_fit(store: "Store", league: "LeagueRecord") -> "AnyFit | None":
    """Return the stored fit; at the end of a league, if the output is a terminal, compute a new one.

    Where the order of the league is that of the fit, compute it for any output.
    """
    from results.reports.fit_cache import fit_by_of, new_fit
    from results.reports.rankings import ordering_fit

    if console().is_terminal and league.state == "finished":
        return new_fit(store, league.uuid, fit_by_of(store, league))
    return ordering_fit(store, league)
