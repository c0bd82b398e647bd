"""Says what is being done if it takes long: with a clock in a terminal, or in plain lines."""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import TypeVar

from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from arena.cli.terminal.consoles import error_console
from arena.cli.terminal.messages import say

REDRAW_S = 0.25
PLAIN_S = 10.0
"""Seconds between lines if the output is not a terminal."""

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
        left = "" if left_s is None else f" · {about(left_s)} left"
        far = f": {done:,} of {of:,}{unit and ' '}{unit}{left}" if of else ""
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


def about(seconds: float) -> str:
    """Return roughly how long something takes.

    >>> about(0.2), about(80), about(5000), about(200_000)
    ('1 s', '80 s', '83 min', '56 h')
    """
    for unit_s, name, most in ((1, "s", 100), (60, "min", 100), (3600, "h", 100)):
        if seconds < most * unit_s:
            return f"{max(1, round(seconds / unit_s))} {name}"
    return f"{round(seconds / 86_400):,} days"
