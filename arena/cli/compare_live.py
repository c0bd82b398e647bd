"""The display of a running comparison: how far each claim is from its bound, and where the difference may lie."""

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from arena.cli.redrawn import Redrawn, duration

if TYPE_CHECKING:
    from arena.league.compare import ComparisonRun
    from results.sequential import Answer, SequentialTest

BAR_CELLS = 16
TRACK_CELLS = 40
AXIS_CELLS = 49
"""Odd, so that 0 has a cell of its own."""
LEVELS = " ▁▂▃▄▅▆▇█"


class LiveComparison(Redrawn["ComparisonRun"]):
    """Shows a comparison while it runs."""

    def __init__(self, run: "ComparisonRun") -> None:
        super().__init__(run.progress.total_games, BAR_CELLS)
        self._tracks: dict[Answer, list[tuple[int, float]]] = {}

    def line(self, run: "ComparisonRun") -> str:
        """Return how far the run is and what it has found."""
        return plain(run)

    def frame(self, run: "ComparisonRun") -> Group:
        """Return what the terminal shows at a moment of the run."""
        done = run.progress.games_before + run.progress.games
        self.bar.update(self.task, completed=done, rate=_rate(run))
        parts: list[RenderableType] = [self.bar, self._claims(run.test), *where_it_lies(run.test)]
        if run.progress.failed_attempts:
            parts.append(Text(f"{run.progress.failed_attempts} games played again for the platform's faults"))
        if self.message:
            parts.append(Text(self.message, style="yellow"))
        return Group(*parts)

    def _claims(self, test: "SequentialTest") -> Table:
        bound = test.question.bound
        drawn = Table.grid(padding=(0, 1))
        for claim, ratio in test.evidence().items():
            track = self._tracks.setdefault(claim, [])
            track.append((test.matches, ratio))
            drawn.add_row(
                Text(claim.value, style="bold" if ratio > 0 else ""),
                Text("│" + levels(track, bound) + "│", style="cyan" if ratio > 0 else "dim"),
                Text(f"{ratio:+.2f} of {bound:.2f}"),
            )
        return drawn


def _rate(run: "ComparisonRun") -> str:
    progress = run.progress
    return f"{progress.games_per_s:.1f} games/s · ≤ {duration(progress.left_s)} left · {run.workers} workers"


def plain(run: "ComparisonRun") -> str:
    """Return how far a run is, as one line."""
    test = run.test
    claims = ", ".join(f"{claim.value} {ratio:+.2f}" for claim, ratio in test.evidence().items())
    return (
        f"{run.games} of {run.progress.total_games} games · {_rate(run)} · {span(test)} · "
        f"{claims} of {test.question.bound:.2f}"
    )


def span(test: "SequentialTest") -> str:
    """Return estimate and interval in figures."""
    low, high = test.interval()
    estimate = "–" if test.estimate is None else f"{test.estimate:+.3f}"
    return f"difference {estimate} ({low:+.3f} to {high:+.3f})"


def levels(track: list[tuple[int, float]], bound: float) -> str:
    """Return a track of (matches, log-likelihood ratio) as blocks between 0 and the bound, over all matches so far."""
    last = max(track[-1][0], 1)
    cells, i = [], 0
    for cell in range(TRACK_CELLS):
        matches = (cell + 1) * last / TRACK_CELLS
        while i + 1 < len(track) and track[i + 1][0] <= matches:
            i += 1
        height = min(max(track[i][1] / bound, 0.0), 1.0)
        cells.append(LEVELS[round(height * (len(LEVELS) - 1))])
    return "".join(cells)


def where_it_lies(test: "SequentialTest") -> list[Text]:
    """Return the interval on an axis on which −X, 0 and X are marked, and below it in figures."""
    low, high = test.interval()
    difference = test.question.difference
    reach = min(1.0, max(2 * difference, abs(low), abs(high)))

    def cell(value: float) -> int:
        return round((min(max(value / reach, -1.0), 1.0) + 1) / 2 * (AXIS_CELLS - 1))

    axis = ["·"] * AXIS_CELLS
    axis[cell(low) : cell(high) + 1] = "─" * (cell(high) + 1 - cell(low))
    for value, mark in ((-difference, "┊"), (0.0, "│"), (difference, "┊")):
        axis[cell(value)] = mark
    if test.estimate is not None:
        axis[cell(test.estimate)] = "●"
    left, right = f"{-reach:+.2f} ", f" {reach:+.2f}"
    return [
        Text.assemble((left, "dim"), "".join(axis), (right, "dim")),
        Text(f"{span(test)} · {test.matches} matches"),
    ]
