"""Live displays: redrawn at most four times a second, or plain lines if the output is not a terminal."""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from threading import Timer
from types import TracebackType
from typing import Generic, Self, TypeVar

from rich.console import Group, RenderableType
from rich.live import Live
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

from arena.cli.consoles import error_console
from arena.cli.messages import print_prose, say
from results.base.text import one_line

REDRAW_S = 0.25
PLAIN_S = 10.0
"""Seconds between lines if the output is not a terminal."""

_BESIDE_THE_BAR = 10
"""Cells of a spinner, the word `games`, and the gaps."""

QUIET_S = 2.0
"""What takes no longer goes unsaid."""

LEAST_S = 1.0
"""How long work has to last before its time left is estimated."""

FITTING = "fitting strengths to all matches"

Shown = TypeVar("Shown")


class Work:
    """Work that may take long: how much of it is done, for the display of `busy`."""

    def __init__(self, what: str) -> None:
        """Prepare the display; `what` is being done, in words."""
        self._out = error_console()
        self._clock = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}{task.fields[far]}", markup=False),
            TimeElapsedColumn(),
            console=self._out,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._task = self._clock.add_task(what, total=None, far="")
        self._what = what
        self._begun_s = self._stage_s = time.monotonic()
        self._told_s = 0.0

    def take(self, done: int, of: int, what: str = "", unit: str = "") -> None:
        """Show how many `unit` are done, and the time left. `what` is being done now, if that has changed."""
        now_s = time.monotonic()
        if what and what != self._what:
            self._what, self._stage_s, self._told_s = what, now_s, 0.0
        every_s = REDRAW_S if self._out.is_terminal else PLAIN_S
        if now_s - self._begun_s < QUIET_S or (self._told_s and now_s - self._told_s < every_s):
            return
        self._told_s = now_s
        passed_s = now_s - self._stage_s
        left_s = (of - done) * passed_s / done if done and passed_s >= LEAST_S else None
        far = f": {done:,} of {of:,}{unit and ' '}{unit} · {duration(left_s)} left" if of else ""
        if self._out.is_terminal:
            self._clock.update(self._task, description=self._what, far=far)
        else:
            say(f"{self._what}{far}")

    def over(self, rows: Iterable[Shown], of: int, unit: str = "") -> Iterator[Shown]:
        """Yield rows, of which there are that many, and show how many have been."""
        for done, row in enumerate(rows, 1):
            yield row
            self.take(done, of, unit=unit)

    def begin(self) -> None:
        """Show the work: with a clock in a terminal, else in one line."""
        if self._out.is_terminal:
            self._clock.start()
        elif not self._told_s:
            self._told_s = time.monotonic()
            say(f"{self._what} …")

    def end(self) -> None:
        """Take the clock away."""
        if self._out.is_terminal:
            self._clock.stop()


@contextmanager
def busy(what: str) -> Iterator[Work]:
    """Say what is being done once it takes longer than a moment: with a clock in a terminal, else in lines.

    `Work.take` adds how much is done, and the time left. Nothing may be printed meanwhile.
    """
    work = Work(what)
    shown = Timer(QUIET_S, work.begin)
    shown.daemon = True
    shown.start()
    try:
        yield work
    finally:
        shown.cancel()
        shown.join()
        work.end()


class LiveDisplay(Generic[Shown]):
    """A context manager for a display with a progress bar of games; call `show` with every update."""

    def __init__(self, total_games: int | None, bar_cells: int) -> None:
        """`total_games` is None if unknown; `bar_cells` is the width of the bar."""
        self.message = ""
        """A line shown below the display."""
        self._console = error_console()
        self._drawn_s = 0.0
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

    @property
    def width(self) -> int:
        """The number of columns of the terminal."""
        return self._console.width

    def head(self, games: int, total: int | None, rate: str) -> list[RenderableType]:
        """Return the bar of games, with the rate beside it if there is room, otherwise below."""
        counts = len(f"{games}/{total or '?'}")
        is_beside = _BESIDE_THE_BAR + self._bar_cells + counts + len(rate) <= self.width
        self._bar_column.bar_width = max(1, min(self._bar_cells, self.width - _BESIDE_THE_BAR - counts))
        self.bar.update(self.task, completed=games, total=total, rate=rate if is_beside else "")
        return [self.bar] if is_beside else [self.bar, Text(rate)]

    def say(self, message: str) -> None:
        """Show a message below the display from now on."""
        self.message = one_line(message)
        if not self._console.is_terminal:
            print_prose(self._console, message)
        elif not self._drawn_s and self._live.is_started:  # nothing is played yet, so nobody else shows it
            self._live.update(Group(self.bar, Text(self.message, style="yellow")), refresh=True)

    def show(self, shown: Shown) -> None:
        """Update the display, unless it was updated a moment ago."""
        now_s = time.monotonic()
        every_s = REDRAW_S if self._console.is_terminal else PLAIN_S
        if now_s - self._drawn_s < every_s and self._drawn_s:
            return
        first = not self._drawn_s
        self._drawn_s = now_s
        if self._console.is_terminal:
            self._live.update(self.frame(shown), refresh=True)
        elif not first:
            self._console.print(self.line(shown), markup=False, soft_wrap=True)

    def frame(self, shown: Shown) -> Group:
        """Return the display for a terminal."""
        raise NotImplementedError

    def line(self, shown: Shown) -> str:
        """Return the line to print if the output is not a terminal."""
        raise NotImplementedError


def duration(seconds: float | None) -> str:
    """Return a duration, such as 1:02:03, short enough for a status line."""
    if seconds is None:
        return "–"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
