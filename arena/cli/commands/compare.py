"""`arena compare` and `arena race`."""

from collections.abc import Sequence
from typing import Annotated

import typer

from arena.cli.base import options
from arena.cli.base.comparison import (
    begun,
    estimated,
    exit_code,
    how_to_continue,
    planned,
    play,
    play_on,
    say_continuing,
    say_how_it_went,
    say_suite,
)
from arena.cli.base.comparison_options import Workers, asking, command_of, variants_of
from arena.cli.base.runner_store import paused, running
from arena.cli.display.live_comparison import rows_of_race
from arena.cli.display.matches_needed import games_of_race, say_race_forecast
from arena.cli.display.tables import Format, list_rows
from arena.cli.terminal.consoles import console
from arena.cli.terminal.messages import (
    DONE,
    INTERRUPTED,
    NO_DIFFERENCE,
    UNDECIDED,
    print_prose,
    say,
    warn,
)
from arena.league.compare import ComparisonRun
from arena.league.comparison_plans import OLD, Asked, ComparisonPlan, plan_comparison, plan_race
from arena.league.comparison_rules import RaceAnswer
from arena.league.definition.bot_arguments import NamedBots, version_before
from results.analysis.race import DROP_RATE
from results.base.text import counted
from results.reports.comparison_rows import RaceRow
from results.store import Store


@asking("seats", "compare_budget")
def compare(
    bots: Annotated[list[str], typer.Argument(metavar="OLD NEW [OTHERS]...")],
    *,
    asked: Asked,
    workers: Workers = None,
    sandbox: options.Sandbox = "auto",
    store: options.Store = options.DEFAULT_STORE,
    form: options.Form = Format.TABLE,
) -> None:
    """Find out whether a new version of a bot is better than the old one.

    Plays matches, each one deal with the seats exchanged, until it is certain that NEW is better, that it is worse, or
    that the difference is below X, or until the budget is spent. The first Ctrl-C finishes the games being played, the
    second stops at once. Run the same command to continue, with a larger budget if you like.

    Exit codes: 0 better, 10 no difference above X, 11 worse, 12 undecided when the budget was spent, 4 interrupted,
    5 paused because the machine lacks resources that games need.

    Options:
        bots: Bots, each {options.ANY_BOT}. Default for OLD: the version before NEW. OTHERS sit at the table with both,
            or are the partners of both: without them, a version fills its side.
    """

    def plan_of(opened: Store, named: NamedBots) -> ComparisonPlan:
        before = [version_before(opened, one) for one in named.versions] if len(bots) == 1 else []
        return plan_comparison([*before, *named.versions], asked)

    queued = command_of("queue add compare", bots, asked, store)
    opening = running(store, "runs a comparison")
    with planned(store, opening, bots, sandbox, plan_of, queued) as (opened, plan):
        named = [str(bot.version) for bot in plan.file.bots]
        go_on = command_of("compare", named, asked, store, sandbox=sandbox)
        run = play(opened, plan, go_on, bots, workers, sandbox, form)
    raise typer.Exit(exit_code(run))


@asking("at_least", "compare_budget")
def race(
    bots: Annotated[list[str], typer.Argument(metavar="BASE VARIANTS...")],
    arg: Annotated[list[str] | None, typer.Option("--arg", metavar="NAME=VALUES")] = None,
    *,
    asked: Asked,
    workers: Workers = None,
    sandbox: options.Sandbox = "auto",
    store: options.Store = options.DEFAULT_STORE,
    form: options.Form = Format.TABLE,
) -> None:
    """Find out which of several variants of a bot is the best, and whether it is better than the one you have.

    All of them play the same deals against BASE. A variant that the results rule out leaves at the end of a round, and
    the rest play on until one is proven to be better than BASE and nobody else can be better by X; or until nobody can
    be better than BASE by X; or until the budget is spent. The first Ctrl-C finishes the games being played. Run the
    same command to continue, with a larger budget if you like.

    Exit codes: 0 there is a best one, 10 none is better by X, 12 undecided when the budget was spent, 4 interrupted,
    5 paused because the machine lacks resources that games need.

    Options:
        seats: How many meet: BASE and N - 1 variants.
        error_rate: Highest probability that the best one named isn't better than BASE; 0.05 is 1 in 20.
        arg: Make variants of BASE: with --arg depth=1,2,4 three of them, whose commands end in --depth=1, --depth=2 and
            --depth=4. Several make all combinations.
        bots: Bots, each {options.ANY_BOT}. With --arg, BASE alone is enough.
    """
    given_args = variants_of(bots, arg or [])
    named_bots = [*bots, *bots[:1] * (len(given_args) - len(bots))]

    def plan_of(_: Store, named: NamedBots) -> ComparisonPlan:
        return plan_race(named.versions, given_args, asked)

    words = [*bots, *(word for one in arg or [] for word in ("--arg", one))]
    queued = command_of("queue add race", words, asked, store)
    go_on = command_of("race", words, asked, store, sandbox=sandbox)
    opening = running(store, "runs a race")
    with planned(store, opening, named_bots, sandbox, plan_of, queued, given_args) as (opened, plan):
        labels = [str(bot.label) for bot in plan.file.bots]
        how = "each plays the deals alone" if plan.alone else f"tables of {asked.seats}"
        how = "each fills a side" if plan.definition.partners.teams else how
        what = f"{counted(plan.variants, 'variant')} against {labels[OLD]} · {how}"
        run = begun(opened, plan, what, go_on, workers, sandbox)
        expected_games = None
        if run.answer is None:
            if plan.suite is not None:
                say_suite(plan.suite)
            elif not plan.alone:
                forecast = estimated(opened, plan, "many games the race takes")
                say_race_forecast(plan.variants, asked.seats, plan.games_a_match, plan.budget_games, forecast)
                if forecast is not None:
                    expected_games = max(
                        games_of_race(plan.variants, asked.seats, plan.games_a_match, forecast)
                    )
            say_continuing(run)
        play_on(run, opened, go_on, expected_games)
        rows = rows_of_race(run)
        list_rows(RaceRow, rows, form)
        for row in rows:
            if row.forfeits:
                games = counted(row.forfeits, "game")
                say(f"{row.variant} forfeited {games}; see: arena faults {run.league.name}")
        same = [labels[one] for one, test in run.race.tests.items() if test.deviation == test.estimate == 0]
        if same:
            told = f"{', '.join(same)} had the same result as {labels[OLD]} on every deal"
            warn(f"{told}; do its files differ, or does it read its arguments?")
        say_how_it_went(run, go_on)
        if form is Format.TABLE:
            print_prose(console(), _race_verdict(run, labels))
        if run.league_run.paused and run.answer is None:
            raise paused(run.league_run.paused, go_on)
    if run.answer is None:
        raise typer.Exit(INTERRUPTED if run.interrupted else UNDECIDED)
    raise typer.Exit(DONE if run.answer is RaceAnswer.BEST else NO_DIFFERENCE)


def _race_verdict(run: ComparisonRun, labels: Sequence[str]) -> str:
    race, base = run.race, labels[OLD]
    x, error = f"{race.question.difference:g}", f"{100 * race.question.error_rate:g}"
    if race.best is not None:
        sure = f"at most {error} of 100 races name one that isn't better"
        return (
            f"best: {labels[race.best]} is better than {base}, and no other is better than it by {x} ({sure})"
        )
    if run.answer is RaceAnswer.NONE_BETTER:
        missed = f"one that is may be overlooked in up to {100 * DROP_RATE:g} of 100 races"
        return f"none better: no variant is better than {base} by {x} ({missed})"
    names = [labels[one] for one in race.running]
    left = f"between {', '.join(names)}" if len(names) > 1 else f"whether {names[0]} is better than {base}"
    return f"undecided {left}" + ("" if run.interrupted else f"; {how_to_continue(run)}")
