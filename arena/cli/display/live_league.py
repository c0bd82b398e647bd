"""A display that is redrawn while games are played, and that of a league: progress, rate and standings.

It is redrawn at most four times a second, or prints plain lines if the output is not a terminal.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Generic, Self, TypeVar

from msgspec.structs import replace
from rich.console import Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn
from rich.text import Text

from arena.cli.display.long_work import PLAIN_S, REDRAW_S, about
from arena.cli.display.rankings import columns
from arena.cli.display.tables import table
from arena.cli.terminal.consoles import error_console
from arena.cli.terminal.messages import print_prose
from arena.league.running.runner_activity import RunProgress
from results.base.text import counted, one_line
from results.records import LeagueRecord
from results.reports.rankings import ranking_rows
from results.store import Store

_BESIDE_THE_BAR = 10
"""Cells of a spinner, the word `games`, and the gaps."""

Shown = TypeVar("Shown")


class LiveDisplay(Generic[Shown]):
    """A context manager for a display with a progress bar of games; call `show` with every update."""

    def __init__(
        self,
        line: Callable[[Shown], str],
        parts: Callable[[Shown, int], Iterable[RenderableType]],
        rate: Callable[[Shown], str],
        progress: Callable[[Shown], RunProgress],
        *,
        bar_cells: int,
        total_games: int | None = None,
        title: str = "",
    ) -> None:
        """`line` returns what to print if the output is not a terminal.

        In a terminal: `title`, the bar of `bar_cells` with `rate` beside it, what `parts` returns for a width, and what
        has gone wrong. `progress` is that of the games, and `total_games` what is known of it beforehand.
        """
        self.line, self._parts, self._rate, self._progress = line, parts, rate, progress
        self.message = ""
        """A line shown below the display."""
        self._console = error_console()
        self._drawn_s = 0.0
        self._told: RunProgress | None = None
        self._title = one_line(title)
        self._bar_cells = bar_cells
        self._bar_column = BarColumn(bar_width=bar_cells)
        self.bar = Progress(
            SpinnerColumn(),
            TextColumn("[bold]{task.description}"),
            self._bar_column,
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            console=self._console,
        )
        self.task = self.bar.add_task("games", total=total_games, rate="")
        self._live = Live(self.bar, console=self._console, auto_refresh=False, transient=True)

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._console.is_terminal:
            self._live.stop()

    def frame(self, shown: Shown) -> Group:
        """Return the display for a terminal, with the rate beside the bar if there is room, otherwise below."""
        progress, rate, width = self._progress(shown), self._rate(shown), self._console.width
        games, total = progress.games_before + progress.games, progress.total_games
        counts = len(f"{games}/{total or '?'}")
        is_beside = _BESIDE_THE_BAR + self._bar_cells + counts + len(rate) <= width
        self._bar_column.bar_width = max(1, min(self._bar_cells, width - _BESIDE_THE_BAR - counts))
        self.bar.update(self.task, completed=games, total=total, rate=rate if is_beside else "")
        replayed = f"{counted(progress.failed_attempts, 'game')} replayed after platform errors"
        return Group(
            *([Text(self._title, "bold")] if self._title else ()),
            self.bar,
            *(() if is_beside else [Text(rate)]),
            *self._parts(shown, width),
            *([Text(replayed)] if progress.failed_attempts else ()),
            *([Text(progress.overtime)] if progress.overtime else ()),
            *([Text(self.message, style="yellow")] if self.message else ()),
        )

    def say(self, message: str) -> None:
        """Show a message below the display from now on."""
        self.message = one_line(message)
        if not self._console.is_terminal:
            print_prose(self._console, message)
        elif not self._drawn_s and self._live.is_started:  # nothing is played yet, so nobody else shows it
            self._live.update(Group(self.bar, Text(self.message, style="yellow")), refresh=True)

    def show(self, shown: Shown) -> None:
        """Update the display, unless it was updated a moment ago; print a line only if there is something new."""
        now_s = time.monotonic()
        every_s = REDRAW_S if self._console.is_terminal else PLAIN_S
        if now_s - self._drawn_s < every_s and self._drawn_s:
            return
        first = not self._drawn_s
        self._drawn_s = now_s
        if self._console.is_terminal:
            self._live.update(self.frame(shown), refresh=True)
        elif not first and (told := replace(self._progress(shown))) != self._told:
            self._told = told
            self._console.print(self.line(shown), markup=False, soft_wrap=True)


BAR_CELLS = 24
MOST_ROWS = 16


def live_league(
    store: Store, league: LeagueRecord, workers: int, *, named: bool = False
) -> LiveDisplay[RunProgress]:
    """Return the display of a league while it runs; with its name if the runner serves several."""

    def line(progress: RunProgress) -> str:
        done, of = progress.games_before + progress.games, progress.total_games
        games = counted(done, "game") if of is None else f"{done:,} of {of:,} games"
        overtime = f" · {progress.overtime}" if progress.overtime else ""
        return f"{f'{league.name}: ' if named else ''}{games} · {rate(progress)}{overtime}"

    def parts(_: RunProgress, width: int) -> Iterator[RenderableType]:
        rows = ranking_rows(store, league)[:MOST_ROWS]
        if any(row.matches for row in rows):
            yield table(columns(league.scale, rows), rows, width)

    def rate(progress: RunProgress) -> str:
        left = "" if progress.left_s is None else f" · {about(progress.left_s)} left"
        return f"{progress.games_per_s:.1f} games/s{left} · {_players(progress, workers)}"

    title = league.name if named else ""
    return LiveDisplay(line, parts, rate, lambda progress: progress, bar_cells=BAR_CELLS, title=title)


def _players(progress: RunProgress, workers: int) -> str:
    """Return in words how many games are played at a time, and by whom."""
    if progress.hosts is None:
        return counted(workers, "worker")
    if not progress.hosts:
        return "no host"
    return f"{counted(progress.host_slots, 'slot')} on {counted(progress.hosts, 'host')}"
