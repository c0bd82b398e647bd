"""`arena tune`."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.base import options
from arena.cli.base.comparison import (
    begun,
    estimated,
    exit_code,
    planned,
    play,
    play_on,
    say_continuing,
    say_how_it_went,
)
from arena.cli.base.comparison_options import Workers, asking, command_of
from arena.cli.base.runner_store import paused, running
from arena.cli.display.live_comparison import drawn_landscape, rows_of_tune
from arena.cli.display.long_work import about
from arena.cli.display.tables import Format, list_rows
from arena.cli.terminal.consoles import console
from arena.cli.terminal.messages import INTERRUPTED, NO_DIFFERENCE, print_line, print_prose, say, write_file
from arena.core.errors import UsageError
from arena.league.compare import ComparisonRun, comparison_after
from arena.league.comparison_plans import Asked, ComparisonPlan, plan_tune
from arena.league.definition.bot_arguments import NamedBots
from arena.league.tune import refuse_unread
from arena.submissions.manifest import number_text
from results.analysis.sequential_test import Answer
from results.base.isolation_levels import Wanted
from results.base.text import counted, rounded_to
from results.reports import charts
from results.reports.comparison_rows import FLAT, MATTERS, TuneRow
from results.store import Store

PNG_WIDTH = 2_000


@asking("at_least", "deals", budget_games=None)
def tune(
    bot: Annotated[str, typer.Argument(metavar="BOT")],
    parameter: Annotated[list[str] | None, typer.Option("--parameter", "-p", metavar="NAME")] = None,
    plot: Annotated[Path | None, typer.Option("--plot")] = None,
    *,
    asked: Asked,
    workers: Workers = None,
    sandbox: options.Sandbox = "auto",
    store: options.Store = options.DEFAULT_STORE,
    form: options.Form = Format.TABLE,
) -> None:
    """Find better values for a bot's parameters, and test whether they make it stronger.

    The bot declares them in [parameters] of its bot.toml. Two variants with opposite changes play the same deals at one
    table, and the values move towards the winner. When the budget is spent, the values found play against the bot as it
    is, on fresh deals, as in `arena compare`. The first Ctrl-C finishes the games being played. Run the same command to
    continue, with a larger budget if you like.

    Exit codes: 0 the values found are better, 10 no difference above X, 11 worse, 12 undecided when the comparison's
    budget was spent, 3 the bot doesn't read a parameter, 4 interrupted, 5 paused because the machine lacks resources
    that games need.

    Options:
        seats: Table size: a mirrored pair for every two seats.
        budget: Number of games to tune by; default: by the number of parameters.
        parameter: Turn only this one; repeatable. Default: all.
        plot: Write the landscape to this file, by its ending as SVG or PNG.
        bot: The bot, with [parameters] in its bot.toml: {options.ANY_BOT}.
    """
    if plot is not None and plot.suffix not in (".svg", ".png"):
        raise UsageError(f"{plot} ends in neither .svg nor .png", "for example --plot landscape.svg")
    if plot is not None and not plot.parent.is_dir():
        raise UsageError(f"--plot: there is no folder {plot.parent}", "make it first, or name another file")
    if plot is not None and plot.suffix == ".png":
        charts.png_package()

    def plan_of(_: Store, named: NamedBots) -> ComparisonPlan:
        return plan_tune(named.versions[0], asked, parameter or [])

    words = [bot, *(word for name in parameter or [] for word in ("--parameter", name))]
    queued = command_of("queue add tune", words, asked, store, budget=None)
    go_on = command_of("tune", words, asked, store, sandbox=sandbox, budget=None)
    with planned(store, running(store, "runs a tune"), [bot], sandbox, plan_of, queued) as (opened, plan):
        run = _tuned(opened, plan, asked.then_games, go_on, workers, sandbox)
        found = run.tuning
        if found.unread:
            raise refuse_unread(bot, found.unread, asked.seats, found.parameters)
        if plot is not None:
            _write_plot(run, plot)
        if form is Format.TABLE:
            list_rows(TuneRow, rows_of_tune(run), form)
            for line in drawn_landscape(run):
                print_line(console(), line)
            _say_what_is_flat(run)
        then = None if run.interrupted else comparison_after(plan, found, asked.then_games)
        answer: str | None = None if run.interrupted else Answer.NO_DIFFERENCE
        code = INTERRUPTED if run.interrupted else NO_DIFFERENCE
        if then is not None:
            say("the values found now play against those in bot.toml, on fresh deals")
            shown = form if form is Format.TABLE else None
            compare = play(opened, then, go_on, (), workers, sandbox, shown, "--compare-budget")
            code, answer = exit_code(compare), compare.answer
        elif form is Format.TABLE and not run.interrupted:
            print_prose(console(), "no difference: the values found are those in bot.toml")
        if form is not Format.TABLE:
            list_rows(TuneRow, rows_of_tune(run, answer), form)
        elif answer == Answer.BETTER:
            print_line(console(), "to keep them, write in bot.toml:")
            for line in _toml(run):
                print_line(console(), line)
    raise typer.Exit(code)


def _tuned(
    store: Store, plan: ComparisonPlan, compare_budget: int, go_on: str, workers: int | None, sandbox: Wanted
) -> ComparisonRun:
    """Play a tune until its budget is spent or it is stopped."""
    parameters = counted(len(plan.parameters), "parameter")
    what = f"{parameters} of {plan.versions[0].reference} · tables of {plan.seats}"
    run = begun(store, plan, what, go_on, workers, sandbox)
    if run.games < plan.budget_games:
        forecast = estimated(store, plan, "long that takes")
        pace = forecast.games_per_s if forecast else None
        takes = "" if pace is None else f", {about(plan.budget_games / pace)}"
        say(
            f"tunes for {counted(plan.budget_games, 'game')}{takes}, then compares what it found, in at most "
            f"{counted(compare_budget, 'game')} more"
        )
        say_continuing(run)
    play_on(run, store, go_on)
    if faults := len(store.games.faults(run.league.uuid)):
        say(f"variants forfeited {counted(faults, 'game')}; see: arena faults {run.league.name}")
    say_how_it_went(run, go_on)
    if run.league_run.paused:
        raise paused(run.league_run.paused, go_on)
    return run


def _say_what_is_flat(run: ComparisonRun) -> None:
    """Say which parameters are flat, or may be, and how much they change at most."""
    rows, landscape, x = rows_of_tune(run), run.tuning.landscape(), run.plan.question.difference
    for row in rows:
        if row.state == MATTERS:
            continue
        along = landscape[row.parameter]
        said = f"by at most {along.most():.2f} from {row.low:g} to {row.high:g} (95 % confidence)"
        said = f"{'flat' if row.state == FLAT else 'no effect shown'}; it changes the mean share {said}"
        if row.state != FLAT and run.games:
            wanted = rounded_to(2, along.games_to_be_flat(run.games, x))
            said += f"; if it does nothing, about {counted(wanted, 'game')} would show that"
        print_prose(console(), f"{row.parameter}: {said}")


def _write_plot(run: ComparisonRun, plot: Path) -> None:
    found = run.tuning
    values = found.values(found.tuner.best)
    ends = {
        name: (number_text(one.low), number_text(one.high), f"{name} = {values[name]:g}", place)
        for (name, one), place in zip(found.parameters.items(), found.tuner.best, strict=True)
    }
    svg = charts.landscape_file(
        f"{run.league.name}: mean share less that at the answer", found.landscape(), ends
    )
    write_file(plot, svg if plot.suffix == ".svg" else charts.as_png(svg, PNG_WIDTH), force=True)
    say(f"wrote {plot}")


def _toml(run: ComparisonRun) -> list[str]:
    """Return the table of bot.toml with the values found, in lines."""
    lines = ["", "[parameters]"]
    for row in rows_of_tune(run):
        one = run.tuning.parameters[row.parameter]
        flags = "".join(f", {key} = true" for key in ("integer", "log") if getattr(one, key))
        numbers = (
            f"value = {number_text(row.found)}, low = {number_text(row.low)}, high = {number_text(row.high)}"
        )
        lines.append(f"{row.parameter} = {{ {numbers}{flags} }}")
    return lines
