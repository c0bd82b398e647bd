"""Runs a league under the live display until it ends or a signal stops it, and reports the result."""

import shlex
import signal
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import typer

from arena.cli.confinement import playing_on, say_confinement, typed
from arena.cli.consoles import console
from arena.cli.display.live import FITTING, busy
from arena.cli.interruption import REQUESTS, hang_up
from arena.cli.messages import INTERRUPTED, OURS, played_again, say, warn
from arena.cli.options import naming_store
from arena.cli.runner import Teller, paused, pausing, taking_up

if TYPE_CHECKING:
    from arena.executors.base import Stop
    from arena.league.running.run import LeagueRun
    from results.base.isolation_levels import Wanted
    from results.records import LeagueRecord
    from results.reports.fits import CachedFit
    from results.store import Store

SHOWS_THE_END = ("arena.cli.display.rankings", "arena.cli.display.rankings", "results.reports.rankings")
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
    """Run a league under the live display, then show its rankings. Exits with 4 if interrupted, 5 if paused.

    Returns if the league is over, or has nothing to play for now.
    """
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
    from arena.cli.display.rankings import print_placing, print_rankings
    from arena.league.changes.whole_league import next_season, seal
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
    if not complete and league_run.waits:
        _say_waiting(league, league_run, go_on, naming_store(store))
        return
    if not complete:
        say(f"stopped; continue with: {go_on}")
        raise typer.Exit(INTERRUPTED)
    if complete and (following := next_season(opened, league)) is not None:
        say(f"{following.name} begins{seal(following)}")
        say(f"run it with: arena league run {shlex.quote(following.name)}{naming_store(store)}")
    if progress.void_matches:
        raise typer.Exit(OURS)


def _say_waiting(league: "LeagueRecord", league_run: "LeagueRun", go_on: str, at: str) -> None:
    """Print why a league has nothing to play, and how it goes on; `at` names the store in a command."""
    if league_run.is_paused:
        resume = f"arena league resume {shlex.quote(league.name)}{at}"
        say(f"{league.name} is {league_run.waits}; go on with: {resume}")
        return
    say(f"{league.name} is waiting: {league_run.waits}")
    say(f"`arena run{at}` waits for that, and then goes on by itself; or later: {go_on}")


def _played(
    opened: "Store", league: "LeagueRecord", options: dict[str, Any], teller: Teller
) -> "tuple[LeagueRun, bool]":
    """Play a league until it is over, has nothing to play, or the user stops it; return the run, and if it is over."""
    from arena.cli.display.live_runs import live_league
    from arena.league.running.run import LeagueRun

    league_run = LeagueRun(opened, league, take_up=taking_up(opened, teller.tell, SHOWS_THE_END), **options)
    say_confinement(league_run.sandbox, league_run.probe)
    with (
        live_league(opened, league, league_run.workers) as live,
        Interrupts(league_run.stop, live.say),
    ):
        teller.say = live.say
        complete = league_run.run(live.show)
    teller.say = say
    return league_run, complete


def final_fit(store: "Store", league: "LeagueRecord") -> "CachedFit | None":
    """Return the stored fit; at the end of a league, if the output is a terminal, compute a new one.

    Where the order of the league is that of the fit, compute it for any output.
    """
    from results.reports.fits import fit_by_of, new_fit
    from results.reports.rankings import ordering_fit

    if console().is_terminal and league.state == "finished":
        with busy(FITTING):
            return new_fit(store, league.uuid, fit_by_of(store, league))
    with busy(FITTING):
        return ordering_fit(store, league)


class Interrupts:
    """Context manager that turns signals into a `Stop` while a league runs. Main thread only.

    The first finishes the games being played, the second stops at once. Neither loses a finished game.

    Signals that this process was started to ignore, such as SIGHUP under `nohup`, stay ignored.
    """

    def __init__(self, stop: "Stop", notify: Callable[[str], None]) -> None:
        """Prepare; `notify` gets a line for the user."""
        self._stop = stop
        self._notify = notify
        self._before: dict[int, object] = {}
        self.heard = False
        """Whether a signal has come."""

    def __enter__(self) -> "Interrupts":
        for number in REQUESTS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]  # what signal itself returned

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        self.heard = True
        if number == signal.SIGHUP:
            hang_up()
        if self._stop.after_game:
            self._stop.at_once = True
            self._notify("stopping at once")
        else:
            self._stop.after_game = True
            self._notify(
                "finishing the games being played; press Ctrl-C again to stop now"
                if self._stop.is_playing
                else "stopping; no game is being played"
            )
        self._stop.break_off()
