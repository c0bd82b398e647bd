"""`arena run` and `arena demo`: play leagues under a live display, and report how they ended."""

import shlex
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from arena.cli.base import options
from arena.cli.base.confinement import playing_on, say_confinement, typed
from arena.cli.base.runner_store import Interrupts, Teller, paused, pausing, running, taking_up
from arena.cli.display.live_league import live_league
from arena.cli.display.long_work import FITTING, busy
from arena.cli.display.rankings import print_rankings
from arena.cli.terminal.consoles import console, error_console
from arena.cli.terminal.messages import INTERRUPTED, OURS, played_again, say, warn
from arena.config.league_file import BotTable, LeagueFile
from arena.config.settings import read_runtimes, read_settings
from arena.core.errors import ArenaError, UsageError
from arena.executors.base import Stop
from arena.league.changes.whole_league import next_season, seal
from arena.league.compare import ComparisonRun
from arena.league.comparison_plans import ComparisonPlan
from arena.league.create import create
from arena.league.definition.read import plan
from arena.league.definition.stored import format_places
from arena.league.idle_pricing import IdlePricing
from arena.league.job_queue import JobTurns
from arena.league.running.named_executor import unused_settings
from arena.league.running.run import LeagueRun
from arena.league.running.runner_activity import Notes
from arena.league.service import LOOK_S, Service
from arena.sandbox.runtimes import Runtimes
from arena.submissions.manifest import bundled_bots, read_manifest
from results.base.errors import StoreFull
from results.base.isolation_levels import Wanted
from results.records import LeagueRecord
from results.reports.fits import CachedFit, fit_by_of, new_fit
from results.reports.rankings import ordering_fit, rankings
from results.reports.recounted_matches import Selection, counted_for
from results.store import Store


def run(
    leagues: Annotated[list[str] | None, typer.Argument(metavar="LEAGUE")] = None,
    store: options.Store = options.DEFAULT_STORE,
    workers: options.Workers = None,
    sandbox: options.LeagueSandbox = None,
    executor: options.Executor = None,
    on: options.On = None,
    certificates: options.Certificates = None,
) -> None:
    """Play the leagues you name to the end, or all leagues until Ctrl-C.

    With names, the leagues are played one after the other, each from where it stopped. The command ends when they are
    over, or have nothing to play for now: it says why, and how they go on, and exits with 0.

    Without names, all leagues of the store take turns. The command plays the queue (`arena queue`) while they have
    nothing to play, and otherwise 30 seconds of every 5 minutes. It waits for new bots and changes.

    Changes made by other commands meanwhile take effect within a block of matches. The first Ctrl-C finishes the games
    being played, the second stops at once. Run the same command to continue.

    Options:
        leagues: Leagues to play until they are over; default: all, without end.
    """
    if leagues:
        with running(store, "runs a league", create=False) as opened:
            found = [opened.leagues.get(name) for name in dict.fromkeys(leagues)]
            how = (workers, sandbox, executor, on, certificates)
            have_void = [
                _run_shown(opened, league, store, *how, then=[later.name for later in found[number:]])
                for number, league in enumerate(found, 1)
            ]
        if any(have_void):
            raise typer.Exit(OURS)
        return
    does, go_on = "serves leagues", f"arena run{typed(on, certificates)}{options.naming_store(store)}"
    teller = Teller()
    with (
        pausing(go_on),
        running(store, does, create=False) as opened,
        Notes(opened.files, does) as notes,
        playing_on(on, certificates, executor, workers, teller.tell) as player,
    ):
        take_up = taking_up(opened, teller.tell)

        def run_of(league: LeagueRecord) -> LeagueRun:
            return LeagueRun(
                opened,
                league,
                workers=workers,
                executor=player,
                sandbox=sandbox,
                take_up=take_up,
                notes=notes,
            )

        def job_of(league: LeagueRecord, plan: ComparisonPlan) -> ComparisonRun:
            run = ComparisonRun(
                opened, league, plan, workers=workers, executor=player, sandbox=sandbox, notes=notes
            )
            run.league_run.take_up = take_up
            return run

        service = Service(opened, run_of, take_up, teller.tell)
        queue = JobTurns(opened, job_of, teller.tell)
        pricing = IdlePricing(opened, read_settings().analysis.cpu_s_an_hour)
        told_confinement, stop = False, Stop()
        with Interrupts(stop, lambda _: None):
            while (next_run := _next_run(service, queue, stop, notes, pricing)) is not None:
                league_run = next_run if isinstance(next_run, LeagueRun) else next_run.league_run
                if not told_confinement:
                    say_confinement(league_run.sandbox, league_run.probe)
                    told_confinement = True
                stop.after_game |= _turn(service, queue, next_run, stop, teller)
    say(f"stopped; continue with: {go_on}")


def _next_run(
    service: Service, queue: JobTurns, stop: Stop, notes: Notes, pricing: IdlePricing
) -> LeagueRun | ComparisonRun | None:
    """Return the next league's run, or that of a job of the queue if it is due or no league has anything to play.

    Waits until there is one; None if `stop` is set.
    """
    try:
        with error_console().status("", refresh_per_second=1) as shown:
            while not stop.after_game:
                if queue.is_due() and (job_run := queue.next_run()) is not None:
                    return job_run
                league_run = service.next_run()
                notes.waits(service.waits, service.resting)
                if league_run is not None:
                    return league_run
                if (job_run := queue.next_run()) is not None:
                    return job_run
                pricing.look()
                waits = " · ".join(f"{name}: {why}" for name, why in service.waits.items())
                shown.update(f"waiting for changes · {waits or 'no league has anything to play'}")
                time.sleep(LOOK_S)
    finally:
        pricing.stop()
    return None


def _turn(
    service: Service, queue: JobTurns, run: LeagueRun | ComparisonRun, stop: Stop, teller: Teller
) -> bool:
    """Play a league or a job until it is over or another turn comes; return whether the user wants to stop."""
    begun_s = service.clock()
    is_league = isinstance(run, LeagueRun)
    league_run = run if isinstance(run, LeagueRun) else run.league_run
    display: Any
    if isinstance(run, LeagueRun):
        display = live_league(service.store, run.league, run.workers, named=True)
    else:
        # It loads numpy, which a league by its name doesn't need.
        from arena.cli.display.live_comparison import live_comparison

        say(f"plays {run.league.name} of the queue")
        display = live_comparison(run)

    def shown(now: Any) -> None:
        live.show(now)
        if isinstance(run, LeagueRun):
            is_over = service.turn_is_over(begun_s) or queue.is_due()
        else:
            is_over = queue.gives_way(run, begun_s, lambda: service.has_work)
        league_run.stop.after_game |= is_over

    with display as live, Interrupts(league_run.stop, live.say) as interrupts:
        teller.say = live.say
        league_run.stop.after_game |= stop.after_game  # the signal may have come while the run was prepared
        try:
            found = run.run(shown)
        except StoreFull:
            raise
        except ArenaError as error:
            (service if is_league else queue).failed(run.league, error)
            return interrupts.heard
        finally:
            teller.say = say
    for line in league_run.notices:
        warn(line)
    if isinstance(run, LeagueRun):
        service.ended(run, complete=bool(found))
    else:
        queue.ended(run)
    return interrupts.heard


def _run_shown(
    opened: Store,
    league: LeagueRecord,
    store: Path,
    workers: int | None,
    sandbox: Wanted | None = None,
    executor: str | None = None,
    on: str | None = None,
    certificates: Path | None = None,
    *,
    then: Sequence[str] = (),
) -> bool:
    """Run a league under the live display, then show its rankings. Exits with 4 if interrupted, 5 if paused.

    Returns when the league is over, or has nothing to play for now: whether it has void matches. `then` are the
    leagues that follow.
    """
    at = f"{typed(on, certificates)}{options.naming_store(store)}"
    go_on = f"arena run {shlex.join([league.name, *then])}{at}"
    with pausing(go_on):
        for line in unused_settings():
            warn(line)
        teller = Teller()
        with playing_on(on, certificates, executor, workers, teller.tell) as player:
            take_up = taking_up(opened, teller.tell)
            league_run = LeagueRun(
                opened, league, workers=workers, executor=player, sandbox=sandbox, take_up=take_up
            )
            say_confinement(league_run.sandbox, league_run.probe)
            with (
                live_league(opened, league, league_run.workers) as live,
                Interrupts(league_run.stop, live.say),
            ):
                teller.say = live.say
                complete = league_run.run(live.show)
            teller.say = say
    if league_run.waited_in_vain and not complete and not league_run.paused and not league_run.waits:
        say(f"stopped before any host had played a game; continue with: {go_on}")
        raise typer.Exit(INTERRUPTED)
    league = opened.leagues.get(league.uuid)
    standings = format_places(opened, league)
    print_rankings(
        console(),
        rankings(
            opened,
            league,
            final_fit(opened, league),
            selection=counted_for(league, Selection()),
            by_format=standings,
        ),
        explained_by=f"{arena_command()} rankings {shlex.quote(league.name)} --explain{options.naming_store(store)}",
    )
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
        _say_waiting(league, league_run, go_on, options.naming_store(store))
        return False
    if not complete:
        say(f"stopped; continue with: {go_on}")
        raise typer.Exit(INTERRUPTED)
    if (following := next_season(opened, league)) is not None:
        say(f"{following.name} begins{seal(following)}")
        say(f"run it with: arena run {shlex.quote(following.name)}{options.naming_store(store)}")
    return bool(progress.void_matches)


def _say_waiting(league: LeagueRecord, league_run: LeagueRun, go_on: str, at: str) -> None:
    """Print why a league has nothing to play, and how it goes on; `at` names the store in a command."""
    if league_run.is_paused:
        resume = f"arena league resume {shlex.quote(league.name)}{at}"
        say(f"{league.name} is {league_run.waits}; go on with: {resume}")
        return
    say(f"{league.name} is waiting: {league_run.waits}")
    say(f"`arena run{at}` waits for that, then continues by itself; or later: {go_on}")


def final_fit(store: Store, league: LeagueRecord) -> CachedFit | None:
    """Return the stored fit; at the end of a league, if the output is a terminal, compute a new one.

    Where the order of the league is that of the fit, compute it for any output.
    """
    if console().is_terminal and league.state == "finished" and league.rated:
        with busy(FITTING):
            return new_fit(store, league.uuid, fit_by_of(league))
    with busy(FITTING):
        return ordering_fit(store, league)


FOLDER = Path("arena-demo")
STORE_NAME = "arena.sqlite"
THINKER = BotTable(path="bots/bread_basket/baker", label="baker", args=("--worlds", "100", "--ms", "1000"))
"""Looks ahead. It counts worlds and never needs so much time, so that every demo has the same table."""
BOTS = (
    BotTable(path="bots/any_game/random"),
    THINKER,
    BotTable(path="bots/bread_basket/crumb"),
    BotTable(path="bots/bread_basket/greedy"),
)
"""Quick ones: a demo takes seconds."""
INSTEAD = BotTable(path="bots/bread_basket/counter")
"""Plays where there is no C compiler to build the thinker."""


def demo(
    workers: options.Workers = None,
    rounds: Annotated[int, typer.Option(min=1, max=1_000_000)] = 100,
) -> None:
    """Play a small league of reference bots in ./arena-demo, and show its rankings.

    Options:
        rounds: Number of matches to play, of four games each.
    """
    FOLDER.mkdir(mode=0o700, exist_ok=True)
    store = FOLDER / STORE_NAME
    with running(store, "runs a demo") as opened:
        unfinished = (league for league in opened.leagues.all() if league.state != "finished")
        has_void = _run_shown(opened, next(unfinished, None) or _demo_league(opened, rounds), store, workers)
    if has_void:
        raise typer.Exit(OURS)
    say("")
    arena = arena_command()
    say("Next, the games, and all of it in your browser:")
    say(f"  {arena} replay list --store {store}")
    say(f"  {arena} serve --store {store}")


def arena_command() -> str:
    """Return how to start Arena from here: by its path, as it was started, if `arena` alone leads elsewhere."""
    started = Path(sys.argv[0])
    found = shutil.which("arena")
    if started.name != "arena" or (found and Path(found).resolve() == started.resolve()):
        return "arena"
    return shlex.quote(str(started))


def _demo_league(store: Store, rounds: int) -> LeagueRecord:
    taken = {league.name for league in store.leagues.all()}
    name = next(name for name in ("demo", *(f"demo-{n}" for n in range(2, 10_000))) if name not in taken)
    return create(store, plan(demo_league_file(name, rounds), FOLDER, name))


def demo_league_file(name: str, rounds: int) -> LeagueFile:
    """Return a Bread Basket league of quick reference bots that can run on this machine."""
    runtimes = read_runtimes()
    tables = [table for table in BOTS if _can_start(str(table.path), runtimes)]
    if THINKER not in tables:
        tables.append(INSTEAD)
    return LeagueFile(
        name=name,
        game="bread-basket",
        bots=tuple(tables),
        schedule={"kind": "round-robin", "rounds": rounds},
        seed=1,
    )


def _can_start(path: str, runtimes: Runtimes) -> bool:
    """Return whether this machine has the program that builds or starts a bundled bot; say what is missing."""
    folder = bundled_bots().parent / path
    manifest = read_manifest(folder)
    try:
        runtimes.find((manifest.build or manifest.command)[0], folder)
    except UsageError as error:
        say(f"left out {folder.name}: {error}; {error.hint}")
        return False
    return True
