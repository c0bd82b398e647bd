"""One comparison from its plan to its answer, as the commands that compare bots play and print it."""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cache
from pathlib import Path

from msgspec.structs import replace

from arena.checking.trial_start import start_each
from arena.cli.base.confinement import confined
from arena.cli.base.open_store import trying
from arena.cli.base.runner_store import Interrupts, paused, pausing, taking_up
from arena.cli.display.live_comparison import live_comparison
from arena.cli.display.long_work import busy
from arena.cli.display.matches_needed import say_forecast, say_undecided
from arena.cli.display.tables import Format, list_rows
from arena.cli.terminal.consoles import console, error_console
from arena.cli.terminal.messages import (
    DONE,
    INTERRUPTED,
    NO_DIFFERENCE,
    UNDECIDED,
    WORSE,
    played_again,
    print_line,
    print_prose,
    say,
    warn,
)
from arena.config.deal_suites import Suite
from arena.league.compare import ComparisonRun, begin
from arena.league.comparison_plans import NEW, OLD, ComparisonPlan
from arena.league.definition.bot_arguments import NamedBots, bots_named
from arena.league.forecast.luck import ComparisonForecast, forecast_comparison, still_to_play
from arena.submissions.build import Builder
from results.analysis.sequential_test import SETTLED_MATCHES, Answer, Doubt
from results.base.isolation_levels import Wanted
from results.base.text import counted, rounded_to
from results.reports.comparison_rows import ComparisonRow
from results.reports.fits import FitBy, fit_of
from results.store import Store, StoreHeld


@contextmanager
def planned(
    store: Path,
    opening: AbstractContextManager[Store],
    bots: Sequence[str],
    sandbox: Wanted,
    plan_of: Callable[[Store, NamedBots], ComparisonPlan],
    queued: str,
    args: Sequence[tuple[str, ...]] | None = None,
) -> Iterator[tuple[Store, ComparisonPlan]]:
    """Plan a comparison of bots, start those once that no check has started, and open the store for playing.

    `opening` opens it, and creates it if need be, but not before the plan stands. If a runner holds it, `queued` is the
    command to suggest. `args`: start all bots, each with these arguments more.
    """

    confinement = cache(lambda: confined(store, sandbox))

    def plan_in(opened: Store, *, starts: bool) -> ComparisonPlan:
        with bots_named(opened, bots, Path(), Builder(opened.files, confinement, say)) as named:
            plan = plan_of(opened, named)
            to_start = named.unchecked
            if args is not None:
                to_start = [
                    replace(one, program=replace(one.program, command=(*one.program.command, *more)))
                    for one, more in zip(named.started, args, strict=True)
                ]
            if starts and to_start:
                start_each(to_start, plan.definition.game, confinement(), plan.file.clock.startup_ms, say)
            return plan

    is_new = not store.exists()
    if is_new:
        with trying(store) as opened:
            plan_in(opened, starts=True)
    with ExitStack() as stack:
        try:
            opened = stack.enter_context(opening)
        except StoreHeld as held:
            if held.holder.is_runner:
                held.advice = f"queue it, to be played while no league is: {queued}"
            raise
        plan = plan_in(opened, starts=not is_new)
        confinement()  # it is said once how bots are confined
        yield opened, plan


def begun(
    store: Store, plan: ComparisonPlan, what: str, go_on: str, workers: int | None, sandbox: Wanted
) -> ComparisonRun:
    """Begin or continue what is planned, and print a heading that ends in `what`."""
    with pausing(go_on):
        run = ComparisonRun(store, begin(store, plan), plan, workers=workers, sandbox=sandbox)
    definition = plan.definition
    heading = f"{run.league.name}: {definition.game.info.name} · {definition.ruleset.name} · {what}"
    print_line(error_console(), heading)
    return run


def estimated(store: Store, plan: ComparisonPlan, what: str) -> ComparisonForecast | None:
    """Return how long a comparison of its first two bots takes; `what` is told meanwhile."""
    bots = [f"{version.author}/{version.bot}" for version in plan.versions[:2]]
    with busy(f"estimating how {what}"):
        return forecast_comparison(plan.definition, plan.question, store, bots)


def play_on(run: ComparisonRun, store: Store, go_on: str, expected_games: int | None = None) -> None:
    """Play under the live display until the run ends; take up what others want done in the store meanwhile.

    `expected_games`: what the forecast of a race says, so that the bar needn't show the budget.
    """
    with (
        pausing(go_on),
        live_comparison(run, expected_games) as live,
        Interrupts(run.league_run.stop, live.say),
    ):
        run.league_run.take_up = taking_up(store, live.say)
        run.run(live.show)


def play(
    store: Store,
    plan: ComparisonPlan,
    go_on: str,
    bots: Sequence[str],
    workers: int | None,
    sandbox: Wanted,
    form: Format | None,
    option: str = "--budget",
) -> ComparisonRun:
    """Play a comparison to its answer, or until it is stopped, and print what came of it, unless `form` is None.

    `go_on` is the command that continues, `bots` are the arguments that name OLD and NEW, `option` is the one for
    its budget. Raises typer.Exit if the machine can't play.
    """
    run = begun(store, plan, _versions(plan, bots), go_on, workers, sandbox)
    forecast = None
    if run.answer is None and plan.suite is None:
        forecast = estimated(store, plan, "many matches an answer takes")
    if run.answer is None and run.test.matches < plan.matches:
        if plan.suite is not None:
            say_suite(plan.suite)
        elif not plan.alone:
            say_forecast(plan.question, plan.matches, plan.games_a_match, forecast, option)
        say_continuing(run)
    play_on(run, store, go_on)
    row = _row(run, forecast)
    if form is Format.TABLE:
        _print_figures(row)
        if plan.alone:
            _print_scores(store, run)
        if run.answer is None and plan.suite is None:
            say_undecided(row)
    say_how_it_went(run, go_on)
    if form is Format.TABLE:
        print_prose(console(), _verdict(row, run, option))
    elif form is not None:
        list_rows(ComparisonRow, [row], form)
    if run.league_run.paused and run.answer is None:
        raise paused(run.league_run.paused, go_on)
    return run


def say_suite(suite: Suite) -> None:
    """Say what is played instead of how long an answer takes, as a suite has an end."""
    deals = counted(len(suite.seeds), "deal")
    say(f"playing the suite {suite.name}: {deals}, or fewer if the answer is certain sooner")


def say_continuing(run: ComparisonRun) -> None:
    """Say so if games of it are played already, and how many of them count so far: only whole matches and steps do."""
    if played := run.progress.games_before:
        counts = "" if run.games == played else f", of which {run.games:,} count so far"
        say(f"continuing after {counted(played, 'game')}{counts}")


def say_how_it_went(run: ComparisonRun, go_on: str) -> None:
    """Say what speaks against the answer, what the machine did to the games, and how to continue if they stopped."""
    for doubt in run.doubts:
        warn(_DOUBTS[doubt])
    for line in run.league_run.notices:
        warn(line)
    if run.progress.failed_attempts:
        faults = f"arena faults {run.league.name} --platform"
        say(played_again(run.progress.failed_attempts, run.progress.void_matches, faults))
    if run.interrupted:
        say(f"stopped; continue with: {go_on}")


def _versions(plan: ComparisonPlan, bots: Sequence[str]) -> str:
    """Return what is compared; `bots` are the arguments of the command, if they name them."""
    new, old, others = _names(plan)
    if len(bots) == 1:
        new = _with_argument(new, bots[0])
    elif bots:
        old, new = (_with_argument(label, bot) for label, bot in zip((old, new), bots, strict=False))
    if plan.definition.partners.teams:
        return f"{new} v {old}, {_with_whom(plan)}"
    return f"{new} v {old}" + (f" with {', '.join(others)}" if others else "")


def _with_whom(plan: ComparisonPlan) -> str:
    """Return with whom each version plays on a side, if they play as sides."""
    old, *partners = plan.definition.partners.teams[OLD]
    names = [f"{plan.versions[one].author}/{plan.versions[one].bot}" for one in partners]
    if all(plan.versions[one].id == plan.versions[old].id for one in partners):
        return "each fills a side"
    return f"each on a side with {' and '.join(names)}"


def _with_argument(label: str, bot: str) -> str:
    return label if bot == label else f"{label} ({bot})"


def _names(plan: ComparisonPlan) -> tuple[str, str, list[str]]:
    """Return the labels of NEW, OLD and the others."""
    labels = [str(bot.label) for bot in plan.file.bots]
    return labels[NEW], labels[OLD], [] if plan.definition.partners.teams else labels[2:]


def exit_code(run: ComparisonRun) -> int:
    """Return the exit code of a comparison."""
    if not isinstance(run.answer, Answer):
        return INTERRUPTED if run.interrupted else UNDECIDED
    return {Answer.BETTER: DONE, Answer.NO_DIFFERENCE: NO_DIFFERENCE, Answer.WORSE: WORSE}[run.answer]


_DOUBTS = {
    Doubt.DEPENDENT: "results resemble those of the matches before, so the answer may be wrong more often than the "
    "error rate says; compare again on other deals: if this comes back, a bot keeps something from match to match, and "
    "`reuse = false` in its bot.toml prevents that",
    Doubt.DRIFT: "the difference changed in the course of the comparison, so this is about the mean of the matches "
    "played, not about the bots as they are now; does a bot learn from match to match?",
    Doubt.EARLY: f"this rests on fewer than {SETTLED_MATCHES} matches, and so is about bots that don't change as they "
    "play; a larger budget or suite makes sure",
}


def _print_figures(row: ComparisonRow) -> None:
    """Print what an answer rests on."""
    print_line(console(), figures(row))
    for label, forfeits in ((row.new, row.forfeits_new), (row.old, row.forfeits_old)):
        if forfeits:
            say(f"{label} forfeited {forfeits} of these games; see: arena faults {row.comparison}")


def _print_scores(store: Store, run: ComparisonRun) -> None:
    """Print by how many points the versions of a game for one player differ on the same deals."""
    fit = fit_of(store, run.league.uuid, FitBy.SCORES, range(run.rule.judged))
    if {OLD, NEW} <= fit.strengths.keys():
        ahead = fit.strengths[NEW].value - fit.strengths[OLD].value
        half = fit.strengths[NEW].behind_half or fit.strengths[OLD].behind_half
        error = "" if half is None else f" ± {half:.1f} (95 % confidence)"
        print_line(console(), f"scores, new − old: {ahead:+.1f}{error} points a deal")
    told = "a share is the part of the deals with the higher score, a tie counting half"
    print_line(console(), told, "dim")


def _row(run: ComparisonRun, forecast: ComparisonForecast | None) -> ComparisonRow:
    new, old, others = _names(run.plan)
    low, high = run.test.interval()
    definition, question = run.plan.definition, run.plan.question
    more = still_to_play(run.test) if run.answer is None else None
    return ComparisonRow(
        comparison=run.league.name,
        game=definition.game.info.name,
        ruleset=definition.ruleset.name,
        old=old,
        new=new,
        others=tuple(others),
        answer=run.answer if isinstance(run.answer, Answer) else None,
        estimate=run.test.estimate,
        low=low,
        high=high,
        difference=question.difference,
        error_rate=question.error_rate,
        matches=run.test.matches,
        games=run.games,
        games_played=run.progress.games_before + run.progress.games,
        forfeits_old=run.forfeits(OLD),
        forfeits_new=run.forfeits(NEW),
        forecast_matches=forecast.at_difference.mean if forecast else None,
        forecast_most=forecast.at_difference.most if forecast else None,
        forecast_matches_equal=forecast.of_equals.mean if forecast else None,
        luck_share_percent=100 * forecast.luck.spread.share if forecast else None,
        luck_from=forecast.luck.source if forecast else None,
        luck_matches=forecast.luck.spread.matches if forecast else None,
        more_matches=more.mean if more else None,
        doubts=run.doubts,
    )


def how_to_continue(run: ComparisonRun, option: str = "--budget") -> str:
    """Return what to do about an answer that the budget, or the suite, was too small for."""
    suite = run.plan.suite
    if suite is not None and (run.race.deals if run.plan.is_race else run.test.matches) >= len(suite.seeds):
        return f"the suite {suite.name} has no more deals: play a larger one, or leave out --deals"
    plan = run.plan
    found = [still_to_play(test) for test in (run.race.open_tests if plan.is_race else [run.test])]
    if None in found:
        return f"a larger {option} continues"
    a_deal, what = plan.games_a_match, ("match", "matches")
    if plan.is_race:  # those that are out play no more of them
        tables = (plan.definition.total_matches or 1) * len(run.race.running) / plan.variants
        a_deal, what = math.ceil(a_deal * tables), ("deal", "deals")
    count = rounded_to(3, max(one.mean for one in found if one))
    return f"an answer may take about {counted(count, *what)} more: {option} {run.games + count * a_deal}"


def _verdict(row: ComparisonRow, run: ComparisonRun, option: str) -> str:
    if row.answer is Answer.BETTER:
        return f"better: {row.new} is better than {row.old}"
    if row.answer is Answer.WORSE:
        return f"worse: {row.new} is worse than {row.old}"
    if row.answer is Answer.NO_DIFFERENCE:
        return f"no difference: {row.new} and {row.old} differ by less than {row.difference:g} in mean share"
    if run.interrupted:
        return f"undecided so far whether {row.new} is better than {row.old}"
    return f"undecided whether {row.new} is better than {row.old}; {how_to_continue(run, option)}"


def figures(row: ComparisonRow) -> str:
    """Return the estimate with its interval, what it is based on, and which games it leaves out."""
    if row.estimate is None:
        return "no match is finished yet"
    sure = 100 * (1 - row.error_rate)
    late = row.games_played - row.games
    why = "played in matches not finished" if row.answer is None else "finished after the answer was certain"
    beyond = f"; {counted(late, 'more game')} {why}" if late else ""
    return (
        f"difference of mean shares, new − old, {row.estimate:+.3f}, {sure:g} % interval {row.low:+.3f} to "
        f"{row.high:+.3f} ({counted(row.matches, 'match', 'matches')}, {counted(row.games, 'game')}{beyond})"
    )
