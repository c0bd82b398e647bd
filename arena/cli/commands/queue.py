"""`arena queue`: comparisons, races and tunes that a runner plays beside leagues."""

from typing import Annotated, Literal

import typer
from msgspec import structs

from arena.cli.base import options
from arena.cli.base.change_now_or_queue import make_change
from arena.cli.base.comparison_options import Deals, asking, suite_at, variants_of
from arena.cli.base.open_store import reading, reading_if_there
from arena.cli.base.submitting import submitted_name
from arena.cli.display.tables import Format, list_rows
from arena.cli.terminal.messages import say
from arena.core.errors import UsageError
from arena.league.comparison_plans import BUDGET_GAMES, Asked
from arena.league.inbox.job_commands import ChangeJob, Enqueue
from results.base.errors import UnknownVersion
from results.reports.queue import QueueRow, queue_rows
from results.store import Store

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
    minutes. The list is in the order of play: the highest priority first, of equal ones the oldest, though authors
    take turns of two minutes. Below are those that are over, the newest first. `min left` says for how many minutes the
    queue may play at most before a job is over.
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
    with reading_if_there(store) as opened:  # a name means the version before the folders are submitted
        names = [bot if opened is None else _pinned(opened, bot) for bot in bots]
    names = [submitted_name(store, bot) for bot in names]
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


def _pinned(opened: Store, bot: str) -> str:
    """Return the version that a name means now, as `me/mybot@1`; what is no name as it is."""
    try:
        return opened.versions.find(bot).reference
    except UnknownVersion:
        return bot


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
