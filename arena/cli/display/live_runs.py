"""Live displays of runs: progress, rate and standings of a league; evidence and interval of a comparison."""

from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table
from rich.text import Text

from arena.cli.display import charts
from arena.cli.display.live import LiveDisplay, duration
from arena.cli.display.rankings import columns
from arena.cli.display.tables import table
from results.base.text import counted, one_line
from results.reports.rankings import ranking_rows

if TYPE_CHECKING:
    from arena.league.compare import ComparisonRun
    from arena.league.running.notes import RunProgress
    from results.analysis.comparison import Answer, SequentialTest
    from results.records import LeagueRecord
    from results.store import Store


BAR_CELLS = 24
MOST_ROWS = 16


class LiveLeague(LiveDisplay["RunProgress"]):
    """Shows a league while it runs; with its name if the runner serves several."""

    def __init__(self, store: "Store", league: "LeagueRecord", workers: int, *, named: bool = False) -> None:
        super().__init__(None, BAR_CELLS)
        self._named = named
        self._store = store
        self._league = league
        self._workers = workers

    def line(self, progress: "RunProgress") -> str:
        """Return the progress of the run, as one line."""
        done = progress.games_before + progress.games
        games = (
            counted(done, "game")
            if progress.total_games is None
            else f"{done} of {progress.total_games} games"
        )
        overtime = f" · {progress.overtime}" if progress.overtime else ""
        name = f"{self._league.name}: " if self._named else ""
        return f"{name}{games} · {self._rate(progress)}{overtime}"

    def frame(self, progress: "RunProgress") -> Group:
        """Return the display for a terminal."""
        done = progress.games_before + progress.games
        rows = ranking_rows(self._store, self._league)[:MOST_ROWS]
        parts = self.head(done, progress.total_games, self._rate(progress))
        if self._named:
            parts.insert(0, Text(one_line(self._league.name), "bold"))
        if any(row.matches for row in rows):
            parts.append(table(columns(self._league.scale, rows), rows, self.width))
        if progress.failed_attempts:
            parts.append(Text(f"{counted(progress.failed_attempts, 'game')} replayed after platform errors"))
        if progress.overtime:
            parts.append(Text(progress.overtime))
        if self.message:
            parts.append(Text(self.message, style="yellow"))
        return Group(*parts)

    def _rate(self, progress: "RunProgress") -> str:
        left = "" if progress.total_games is None else f" · {duration(progress.left_s)} left"
        return f"{progress.games_per_s:.1f} games/s{left} · {self._who(progress)}"

    def _who(self, progress: "RunProgress") -> str:
        """Return in words how many games are played at a time, and by whom."""
        if progress.hosts is None:
            return counted(self._workers, "worker")
        if not progress.hosts:
            return "no host"
        return f"{counted(progress.host_slots, 'slot')} on {counted(progress.hosts, 'host')}"


COMPARISON_BAR_CELLS = 16
TRACK_CELLS = 40
AXIS_CELLS = 50
"""Largest width of the axis; an odd number of cells is drawn, so that 0 has its own."""
BESIDE_THE_TRACK = 32
TRACK_LEVELS = f" {charts.LEVELS}"


class LiveComparison(LiveDisplay["ComparisonRun"]):
    """Shows a comparison while it runs."""

    def __init__(self, run: "ComparisonRun") -> None:
        super().__init__(run.progress.total_games, COMPARISON_BAR_CELLS)
        self._tracks: dict[Answer, list[tuple[int, float]]] = {}

    def line(self, run: "ComparisonRun") -> str:
        """Return the progress and the evidence so far, as one line."""
        return plain(run)

    def frame(self, run: "ComparisonRun") -> Group:
        """Return the display for a terminal."""
        done = run.progress.games_before + run.progress.games
        parts = self.head(done, run.progress.total_games, _rate(run))
        cells = max(1, min(TRACK_CELLS, self.width - BESIDE_THE_TRACK))
        parts += [self._claims(run.test, cells), *where_it_lies(run.test, self.width)]
        if run.progress.failed_attempts:
            parts.append(
                Text(f"{counted(run.progress.failed_attempts, 'game')} replayed after platform errors")
            )
        if self.message:
            parts.append(Text(self.message, style="yellow"))
        return Group(*parts)

    def _claims(self, test: "SequentialTest", cells: int) -> Table:
        bound = test.question.bound
        drawn = Table.grid(padding=(0, 1))
        for claim, ratio in test.evidence().items():
            track = self._tracks.setdefault(claim, [])
            track.append((test.matches, ratio))
            drawn.add_row(
                Text(claim.value, style="bold" if ratio > 0 else ""),
                Text("│" + levels(track, bound, cells) + "│", style="cyan" if ratio > 0 else "dim"),
                Text(f"{ratio:+.2f} of {bound:.2f}"),
            )
        return drawn


def _rate(run: "ComparisonRun") -> str:
    progress = run.progress
    workers = counted(run.league_run.workers, "worker")
    return f"{progress.games_per_s:.1f} games/s · ≤ {duration(progress.left_s)} left · {workers}"


def plain(run: "ComparisonRun") -> str:
    """Return the progress and the estimate so far, as one line of less than 80 characters."""
    low, high = (f"{end:+.2f}".replace("-", "−") for end in run.test.interval())
    estimate = "–" if run.test.estimate is None else f"{run.test.estimate:+.2f}".replace("-", "−")
    return (
        f"{run.games} of {run.progress.total_games} games · ≤ {duration(run.progress.left_s)} left · "
        f"new − old {estimate} ({low} to {high})"
    )


def span(test: "SequentialTest") -> str:
    """Return estimate and interval in figures."""
    low, high = test.interval()
    estimate = "–" if test.estimate is None else f"{test.estimate:+.3f}"
    return f"difference {estimate} ({low:+.3f} to {high:+.3f})"


def levels(track: list[tuple[int, float]], bound: float, cells: int = TRACK_CELLS) -> str:
    """Return a track of (matches, log-likelihood ratio) as blocks, scaled between 0 and the bound."""
    last = max(track[-1][0], 1)
    blocks, i = [], 0
    for cell in range(cells):
        matches = (cell + 1) * last / cells
        while i + 1 < len(track) and track[i + 1][0] <= matches:
            i += 1
        height = min(max(track[i][1] / bound, 0.0), 1.0)
        blocks.append(TRACK_LEVELS[round(height * (len(TRACK_LEVELS) - 1))])
    return "".join(blocks)


def where_it_lies(test: "SequentialTest", width: int) -> list[Text]:
    """Return the interval drawn on an axis that marks −X, 0 and X, with a line of figures below it."""
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
    if test.estimate is not None:
        axis[cell(test.estimate)] = "●"
    return [
        Text.assemble((left, "dim"), "".join(axis), (right, "dim")),
        Text(f"{span(test)} · {counted(test.matches, 'match', 'matches')}"),
    ]
