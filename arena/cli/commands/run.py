"""`arena run`."""

import time
from typing import TYPE_CHECKING

import typer

from arena.cli.confinement import CertificatesOption, OnOption, playing_on, say_confinement, typed
from arena.cli.consoles import error_console
from arena.cli.display.live_runs import live_league
from arena.cli.league_run import Interrupts
from arena.cli.messages import say, warn
from arena.cli.options import (
    DEFAULT_STORE,
    ExecutorOption,
    LeagueSandboxOption,
    StoreOption,
    WorkersOption,
    naming_store,
)
from arena.cli.runner import Teller, pausing, running, taking_up

if TYPE_CHECKING:
    from arena.executors.base import Stop
    from arena.league.running.notes import Notes, RunProgress
    from arena.league.running.run import LeagueRun
    from arena.league.service import Service
    from results.records import LeagueRecord


def run(
    store: StoreOption = DEFAULT_STORE,
    workers: WorkersOption = None,
    sandbox: LeagueSandboxOption = None,
    executor: ExecutorOption = None,
    on: OnOption = None,
    certificates: CertificatesOption = None,
) -> None:
    """Run all leagues of the store, in turns; wait for new bots and changes while there is nothing to play.

    Changes made by other commands meanwhile take effect within a block of matches. The first Ctrl-C finishes the games
    being played, the second stops at once.
    """
    from arena.executors.base import Stop
    from arena.league.running.notes import Notes
    from arena.league.running.run import LeagueRun
    from arena.league.service import Service

    does, go_on = "serves leagues", f"arena run{typed(on, certificates)}{naming_store(store)}"
    teller = Teller()
    with (
        pausing(go_on),
        running(store, does, create=False) as opened,
        Notes(opened.files, does) as notes,
        playing_on(on, certificates, executor, workers, teller.tell) as player,
    ):
        take_up = taking_up(opened, teller.tell)

        def run_of(league: "LeagueRecord") -> "LeagueRun":
            return LeagueRun(
                opened,
                league,
                workers=workers,
                executor=player,
                sandbox=sandbox,
                take_up=take_up,
                notes=notes,
            )

        service = Service(opened, run_of, take_up, teller.tell)
        told_confinement, stop = False, Stop()
        with Interrupts(stop, lambda _: None):
            while (league_run := _next_run(service, stop, notes)) is not None:
                if not told_confinement:
                    say_confinement(league_run.sandbox, league_run.probe)
                    told_confinement = True
                stop.after_game |= _turn(service, league_run, stop, teller)
    say(f"stopped; continue with: {go_on}")


def _next_run(service: "Service", stop: "Stop", notes: "Notes") -> "LeagueRun | None":
    """Return the next league's run, waiting until a league has something to play; None if `stop` is set."""
    from arena.league.service import LOOK_S

    with error_console().status("", refresh_per_second=1) as shown:
        while not stop.after_game:
            league_run = service.next_run()
            notes.waits(service.waits, service.resting)
            if league_run is not None:
                return league_run
            shown.update(_waiting(service))
            time.sleep(LOOK_S)
    return None


def _turn(service: "Service", league_run: "LeagueRun", stop: "Stop", teller: Teller) -> bool:
    """Play one league until it has nothing to play or its turn is over; return whether the user wants to stop."""
    from arena.core.errors import ArenaError
    from results.base.errors import StoreFull

    begun_s = service.clock()

    def shown(progress: "RunProgress") -> None:
        live.show(progress)
        if service.turn_is_over(begun_s):
            league_run.stop.after_game = True

    with (
        live_league(service.store, league_run.league, league_run.workers, named=True) as live,
        Interrupts(league_run.stop, live.say) as interrupts,
    ):
        teller.say = live.say
        league_run.stop.after_game |= stop.after_game  # the signal may have come while the run was prepared
        try:
            complete = league_run.run(shown)
        except StoreFull:
            raise
        except ArenaError as error:
            service.failed(league_run.league, error)
            return interrupts.heard
        finally:
            teller.say = say
    for line in league_run.notices:
        warn(line)
    service.ended(league_run, complete=complete)
    return interrupts.heard


def _waiting(service: "Service") -> str:
    """Return a line that says why nothing is played."""
    waits = [f"{name}: {why}" for name, why in service.waits.items()]
    return "waiting for changes · " + (" · ".join(waits) or "no league has anything to play")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("run")(run)
