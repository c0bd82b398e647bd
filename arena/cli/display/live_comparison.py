"""The live display of a comparison, race or tune: progress, evidence and interval."""

import math
from collections.abc import Iterator
from functools import lru_cache

from msgspec.structs import replace
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from arena.cli.display.live_league import LiveDisplay
from arena.cli.display.long_work import about
from arena.cli.display.tables import bar, table
from arena.league.compare import ComparisonRun
from arena.league.forecast.luck import still_to_play
from arena.league.running.runner_activity import RunProgress
from results.analysis.sequential_test import SETTLED_MATCHES, SequentialTest
from results.analysis.tuning import Z95
from results.base.text import counted
from results.reports.columns import columns_of
from results.reports.comparison_rows import RaceRow, TuneRow, race_rows, state_of

COMPARISON_BAR_CELLS = 16
TRACK_CELLS = 40
AXIS_CELLS = 50
"""Largest width of the axis; an odd number of cells is drawn, so that 0 has its own."""
BESIDE_THE_TRACK = 33


def live_comparison(run: ComparisonRun, expected_games: int | None = None) -> LiveDisplay[ComparisonRun]:
    """Return the display of a comparison while it runs: the evidence of each claim, and the interval.

    The bar is full when an answer is likely, or after the games that a race is expected to take, then at the end of
    the budget.
    """

    def parts(run: ComparisonRun, width: int) -> Iterator[RenderableType]:
        if run.plan.is_race:
            yield table(columns_of(RaceRow), rows_of_race(run), width)
            return
        if run.plan.parameters:
            yield table(columns_of(TuneRow), rows_of_tune(run), width)
            return
        cells, bound = max(1, min(TRACK_CELLS, width - BESIDE_THE_TRACK)), run.test.bound
        drawn = Table.grid(padding=(0, 1))
        for claim, ratio in run.test.evidence().items():
            drawn.add_row(
                Text(claim.value, style="bold" if ratio > 0 else ""),
                Text(f"│{bar(ratio, bound, cells):<{cells}}│", style="cyan" if ratio > 0 else "dim"),
                Text(f"{100 * min(1.0, max(ratio, 0.0) / bound):.0f} % of the way"),
            )
        yield drawn
        yield from where_it_lies(run.test, width)

    def rate(run: ComparisonRun) -> str:
        progress = expected(run, expected_games)
        told = (f"{progress.games_per_s:.1f} games/s", _left(run, progress))
        return " · ".join((*filter(None, told), counted(run.league_run.workers, "worker")))

    return LiveDisplay(
        lambda run: plain(run, expected_games),
        parts,
        rate,
        lambda run: expected(run, expected_games),
        bar_cells=COMPARISON_BAR_CELLS,
        total_games=expected(run, expected_games).total_games,
    )


def expected(run: ComparisonRun, games: int | None = None) -> RunProgress:
    """Return the progress towards the next likely answer, or towards the `games` that a race or tune is expected to
    take; towards the budget if it lies nearer, or beyond."""
    progress, plan = run.progress, run.plan
    played, total = progress.games_before + progress.games, progress.total_games
    if not plan.in_rounds:
        games = _likely_answer(run.test) * plan.games_a_match
    if games is None or not played < games < (total or games + 1):
        return progress
    return replace(progress, total_games=games)


def _likely_answer(test: SequentialTest) -> int:
    """Return after how many matches an answer is likely: the first that may be one, until the results tell more."""
    found = _simulated_answer(test, round(5 * math.log(max(1, test.matches))))
    return max(test.matches + 1, found or test.question.least_matches or SETTLED_MATCHES)


@lru_cache(maxsize=1)
def _simulated_answer(test: SequentialTest, _: int) -> int | None:
    """Return the same by the results so far, None before they tell; it is simulated once for each second argument."""
    more = still_to_play(test)
    return None if more is None else test.matches + round(more.mean)


def _left(run: ComparisonRun, progress: RunProgress) -> str:
    """Return in words when an answer is likely, or how long a race or tune takes; empty before the first game."""
    if progress.left_s is None:
        return ""
    left = about(progress.left_s)
    is_limit = progress.total_games == run.progress.total_games
    if run.plan.in_rounds:
        return f"{'at most ' if is_limit and run.plan.is_race else 'about '}{left} left"
    if is_limit:
        return f"the budget ends in about {left}"
    return f"answer likely by match {_likely_answer(run.test):,} ({left})"


def rows_of_race(run: ComparisonRun) -> list[RaceRow]:
    """Return the variants of a race as they stand."""
    definition = run.plan.definition
    return race_rows(
        run.race,
        [str(bot.label) for bot in run.plan.file.bots],
        run.forfeits,
        race=run.league.name,
        game=definition.game.info.name,
        ruleset=definition.ruleset.name,
        answer=run.answer,
        games=run.games,
    )


def rows_of_tune(run: ComparisonRun, answer: str | None = None) -> list[TuneRow]:
    """Return the parameters of a tune as they stand, with the answer of the comparison after it."""
    tuning, definition = run.tuning, run.plan.definition
    found = tuning.values(tuning.tuner.best)
    return [
        TuneRow(
            parameter=name,
            was=tuning.parameters[name].value,
            found=found[name],
            low=tuning.parameters[name].low,
            high=tuning.parameters[name].high,
            at_low=along.shares[0],
            error_low=along.errors[0],
            at_high=along.shares[-1],
            error_high=along.errors[-1],
            state=state_of(along, run.plan.question.difference),
            tune=run.league.name,
            game=definition.game.info.name,
            ruleset=definition.ruleset.name,
            games=run.games,
            answer=answer,
        )
        for name, along in tuning.landscape().items()
    ]


def drawn_landscape(run: ComparisonRun) -> list[str]:
    """Return the landscape along each parameter in lines: the mean share, and around it its 95 % interval."""
    lines, landscape = [], run.tuning.landscape()
    means = [share for along in landscape.values() for share in along.shares]
    low, high = min(-0.05, *means), max(0.05, *means)
    for row in rows_of_tune(run):
        along, parameter = landscape[row.parameter], run.tuning.parameters[row.parameter]
        cells = [[" "] * LANDSCAPE_CELLS for _ in range(LANDSCAPE_LINES)]
        for cell in range(LANDSCAPE_CELLS):
            share, error = along.at(cell / (LANDSCAPE_CELLS - 1))
            height = [
                round((LANDSCAPE_LINES - 1) * (value - low) / (high - low))
                for value in (share - Z95 * error, share, share + Z95 * error)
            ]
            for level in range(max(0, height[0]), min(LANDSCAPE_LINES - 1, height[2]) + 1):
                cells[level][cell] = "░"
            cells[height[1]][cell] = "━"
            if cell == round((LANDSCAPE_CELLS - 1) * parameter.place(row.found)):
                cells[height[1]][cell] = "●"
        lines.append(f"{row.parameter} = {row.found:g}")
        for level, line in reversed(list(enumerate(cells))):
            share = low + (high - low) * level / (LANDSCAPE_LINES - 1)
            mark = f"{share:+.2f}".replace("-", "−") if level in (0, LANDSCAPE_LINES - 1) else ""
            lines.append(f"{mark:>6} │{''.join(line).rstrip()}")
        lines.append(
            f"{'':>6}  {f'{row.low:g}':<{LANDSCAPE_CELLS // 2}}{f'{row.high:g}':>{LANDSCAPE_CELLS // 2}}"
        )
    return lines


LANDSCAPE_CELLS, LANDSCAPE_LINES = 50, 6


def plain(run: ComparisonRun, expected_games: int | None = None) -> str:
    """Return the progress and the estimate so far, as one line."""
    progress = expected(run, expected_games)
    played = counted(progress.games_before + progress.games, "game")
    told = [f"{played} of {progress.total_games:,}" if run.plan.parameters else played]
    told += filter(None, [_left(run, progress)])
    if run.plan.parameters:
        found = run.tuning.values(run.tuning.tuner.best)
        told.append(" ".join(f"{name}={value:.4g}" for name, value in found.items()))
    elif run.plan.is_race:
        leader = rows_of_race(run)[0]
        told.append(f"{len(run.race.running)} of {run.plan.variants} still in")
        if leader.estimate is not None:
            told.append(f"{_signed(leader.estimate, 2)} {leader.variant}")
    elif run.test.estimate is not None:
        told.append(f"new − old {span(run.test, 2)}")
    return " · ".join(told)


def span(test: SequentialTest, decimals: int = 3) -> str:
    """Return estimate and interval in figures; without an interval as long as nothing is excluded."""
    low, high = test.interval()
    figures = [_signed(value, decimals) for value in (test.estimate or 0.0, low, high)]
    return figures[0] + ("" if (low, high) == (-1.0, 1.0) else f" ({figures[1]} to {figures[2]})")


def _signed(value: float, decimals: int) -> str:
    return f"{value:+.{decimals}f}".replace("-", "−")


def where_it_lies(test: SequentialTest, width: int) -> list[Text]:
    """Return the interval drawn on an axis from −X to X, above a line of figures. Nothing before the first match."""
    if test.estimate is None:
        return []
    low, high = test.interval()
    difference = test.question.difference
    reach = min(1.0, max(2 * difference, abs(low), abs(high)))

    left, right = f"{-reach:+.2f} ", f" {reach:+.2f}"
    halves = max(1, min(AXIS_CELLS, width - len(left) - len(right)) // 2 - 1)

    def cell(value: float) -> int:
        return halves + round(min(max(value / reach, -1.0), 1.0) * halves)

    axis = ["·"] * (2 * halves + 1)
    axis[cell(low) : cell(high) + 1] = "─" * (cell(high) + 1 - cell(low))
    for value, mark in ((-difference, "┊"), (0.0, "│"), (difference, "┊")):
        axis[cell(value)] = mark
    axis[cell(test.estimate)] = "●"
    told = f"difference {span(test)} · {counted(test.matches, 'match', 'matches')}"
    return [Text.assemble((left, "dim"), "".join(axis), (right, "dim")), Text(told)]
