"""The display of a running league: progress, rate, time left and standings, at most four times a second."""

import time
from types import TracebackType
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn
from rich.text import Text

from arena.cli.rankings import columns, ranking_rows
from arena.cli.terminal import error_console, table

if TYPE_CHECKING:
    from arena.league.run import Progress as RunProgress
    from results.records import LeagueRecord
    from results.store import Store

REDRAW_S = 0.25
PLAIN_S = 10.0
"""Seconds between lines where the output is no terminal."""
MOST_ROWS = 16


def duration(seconds: float | None) -> str:
    """Return a time span in words short enough for a status line."""
    if seconds is None:
        return "–"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


class LiveLeague:
    """Shows a league while it runs. A context manager; `show` takes the runner's progress."""

    def __init__(self, store: "Store", league: "LeagueRecord", workers: int) -> None:
        self._store = store
        self._league = league
        self._workers = workers
        self._console = error_console()
        self._drawn_s = 0.0
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("[bold]{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            console=self._console,
        )
        self._task = self._bar.add_task("games", total=None, rate="")
        self._live = Live(self._bar, console=self._console, auto_refresh=False, transient=True)
        self._message = ""

    def __enter__(self) -> "LiveLeague":
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._console.is_terminal:
            self._live.stop()

    def say(self, message: str) -> None:
        """Show a line of its own from now on."""
        self._message = message
        if not self._console.is_terminal:
            self._console.print(message, markup=False)

    def show(self, progress: "RunProgress") -> None:
        """Show how far the run is, unless that was shown a moment ago."""
        now_s = time.monotonic()
        every_s = REDRAW_S if self._console.is_terminal else PLAIN_S
        if now_s - self._drawn_s < every_s and self._drawn_s:
            return
        first = not self._drawn_s
        self._drawn_s = now_s
        done = progress.games_before + progress.games
        if not self._console.is_terminal:
            if not first:
                total = "" if progress.total_games is None else f" of {progress.total_games}"
                self._console.print(
                    f"{done}{total} games · {self._rate(progress)}", markup=False, soft_wrap=True
                )
            return
        self._live.update(self.frame(progress), refresh=True)

    def frame(self, progress: "RunProgress") -> Group:
        """Return what the terminal shows at a moment of the run."""
        done = progress.games_before + progress.games
        self._bar.update(self._task, completed=done, total=progress.total_games, rate=self._rate(progress))
        rows = ranking_rows(self._store, self._league)[:MOST_ROWS]
        parts: list[RenderableType] = [self._bar]
        if any(row["matches"] for row in rows):
            parts.append(table(columns(rows), rows))
        if progress.failed_attempts:
            parts.append(Text(f"{progress.failed_attempts} games played again for the platform's faults"))
        if self._message:
            parts.append(Text(self._message, style="yellow"))
        return Group(*parts)

    def _rate(self, progress: "RunProgress") -> str:
        return (
            f"{progress.games_per_s:.1f} games/s · {duration(progress.left_s)} left · {self._workers} workers"
        )
