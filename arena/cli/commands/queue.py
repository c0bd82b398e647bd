"""`arena queue`: comparisons, races and tunes that a runner plays beside leagues."""

from typing import Annotated, Literal

import typer
from msgspec import structs

from arena.cli.base import options
from arena.cli.base.comparison import Deals, asking, play_job, suite_at, variants_of
from arena.cli.base.making_changes import make_change
from arena.cli.base.open_store import reading
from arena.cli.base.runner_store import Interrupts, pausing, running, taking_up
from arena.cli.base.submitting import submitted_name
from arena.cli.display.tables import Format, list_rows
from arena.cli.terminal.messages import INTERRUPTED, say
from arena.core.errors import UsageError
from arena.executors.base import Stop
from arena.league.compare import ComparisonRun
from arena.league.comparison_plans import BUDGET_GAMES, Asked, ComparisonPlan
from arena.league.inbox.job_commands import ChangeJob, Enqueue
from arena.league.job_queue import JobTurns
from arena.league.running.runner_activity import Notes
from results.base.text import counted
from results.records import LeagueRecord
from results.records.roster import OPEN_STATES, QUEUED, jobs_of
from results.reports.league_states import RUNS_QUEUE
from results.reports.queue import QueueRow, queue_rows

app = typer.Typer()

Job = Annotated[str, typer.Argument(metavar="JOB", help="Its name, such as compare-3.")]


@app.callback(invoke_without_command=True)
def queue(
    context: typer.Context,
    store: options.Store = options.DEFAULT_STORE,
    form: options.Form = Format.TABLE,
) -> None:
    """List comparisons, races and tunes that wait, and what the latest found.

    `arena run` without names plays them while no league has anything to play, and otherwise 30 seconds of every 5
    minutes; `arena queue run` at once. The most urgent ones play first, and authors take turns. For each, `min left`
    says for how many minutes the queue may play at most before it is over.
    """
    if not options.lists(context):
        return
    with reading(store) as opened:
        rows = queue_rows(opened)
    list_rows(QueueRow, rows, form, f"queue of {store}", "nothing is queued; see: arena queue add --help")
    if form is Format.TABLE:
        for row in rows:
            if row.state == "failed":
                say(f"{row.job} failed: {row.why}")
            elif row.why:
                say(f"{row.job} was paused: {row.why}; go on with: arena queue resume {row.job}")


_FOR = {
    "--arg": ("race",),
    "--parameter": ("tune",),
    "--seats": ("race", "tune"),
    "--deals": ("compare", "race"),
    "--at-least": ("compare",),
    "--compare-budget": ("tune",),
}
"""Options that not every kind of job has."""


@app.command()
@asking("deals", budget_games=None)
def add(
    what: Annotated[Literal["compare", "race", "tune"], typer.Argument()],
    bots: Annotated[list[str], typer.Argument(metavar="BOTS")],
    arg: Annotated[list[str] | None, typer.Option("--arg", metavar="NAME=VALUES")] = None,
    parameter: Annotated[list[str] | None, typer.Option("--parameter", "-p", metavar="NAME")] = None,
    *,
    asked: Asked,
    deals: Deals = None,
    priority: Annotated[int, typer.Option(min=-100, max=100)] = 0,
    store: options.Store = options.DEFAULT_STORE,
) -> None:
    """Queue a comparison, a race or a tune: `arena queue add compare OLD NEW`.

    The arguments are those of `arena compare`, `race` and `tune`. Also works while a runner plays leagues.

    Options:
        budget: Largest number of games; default: the command's.
        what: compare, race or tune.
        arg: For a race: make variants of the first bot.
        parameter: For a tune: change only this parameter.
        priority: The highest plays first.
        bots: As that command takes them, each {options.ANY_BOT}. A folder is submitted first.
    """
    given_options = {
        "--arg": arg,
        "--parameter": parameter,
        "--seats": asked.seats != Asked().seats,
        "--deals": deals,
        "--at-least": asked.at_least,
        "--compare-budget": asked.then_games != BUDGET_GAMES,
    }
    if other := [name for name, given in given_options.items() if given and what not in _FOR[name]]:
        raise UsageError(
            f"{other[0]} is an option of {' and '.join(_FOR[other[0]])}, not of {what}",
            f"leave out {other[0]}",
        )
    given = variants_of(bots, arg or []) if what == "race" else []
    names = [submitted_name(store, bot) for bot in bots]
    make_change(
        store,
        Enqueue(
            what=what,
            bots=(*names, *names[:1] * (len(given) - len(names))),
            args=tuple(given),
            parameters=tuple(parameter or ()),
            asked=structs.replace(asked, suite=suite_at(deals, asked.seed)),
            priority=priority,
        ),
    )


@app.command()
def change(
    job: Job,
    priority: Annotated[int, typer.Option(min=-100, max=100)],
    store: options.Store = options.DEFAULT_STORE,
) -> None:
    """Change the priority of a job.

    Options:
        priority: The highest plays first.
    """
    make_change(store, ChangeJob(job, priority=priority))


@app.command()
def pause(job: Job, store: options.Store = options.DEFAULT_STORE) -> None:
    """Leave a job in the queue without playing it."""
    make_change(store, ChangeJob(job, "paused"))


@app.command()
def resume(job: Job, store: options.Store = options.DEFAULT_STORE) -> None:
    """Let a paused job play again, from its last finished game."""
    make_change(store, ChangeJob(job, "waits"))


@app.command()
def remove(job: Job, store: options.Store = options.DEFAULT_STORE) -> None:
    """Take a job out of the queue; its games stay."""
    make_change(store, ChangeJob(job, "removed"))


@app.command("run")
def run_queue(
    store: options.Store = options.DEFAULT_STORE,
    workers: options.Workers = None,
    sandbox: options.LeagueSandbox = None,
) -> None:
    """Play the queue until it is empty, and no leagues meanwhile.

    The first Ctrl-C finishes the games being played. Run the same command to continue.
    """
    go_on = f"arena queue run{options.naming_store(store)}"
    stop = Stop()
    with (
        pausing(go_on),
        running(store, RUNS_QUEUE, create=False) as opened,
        Notes(opened.files, RUNS_QUEUE) as notes,
    ):

        def run_of(league: LeagueRecord, plan: ComparisonPlan) -> ComparisonRun:
            return ComparisonRun(opened, league, plan, workers=workers, sandbox=sandbox, notes=notes)

        turns = JobTurns(opened, run_of, say)
        take_up = taking_up(opened, say)
        with Interrupts(stop, lambda _: None):
            while not stop.after_game and (run := turns.next_run()) is not None:
                stop.after_game |= play_job(turns, run, stop, take_up)
                take_up()
        jobs = jobs_of(opened.leagues.events_of_kind(QUEUED)).values()
        left = sum(job.state in OPEN_STATES for job in jobs)
    if stop.after_game:
        say(f"stopped; continue with: {go_on}")
        raise typer.Exit(INTERRUPTED)
    see = f"see: arena queue{options.naming_store(store)}"
    say(
        f"{counted(left, 'job')} left, each paused or waiting for what this machine lacks; {see}"
        if left
        else "the queue is empty"
    )
