"""The display of `arena export-site`: how many pages are written."""

import time
from dataclasses import dataclass

from rich.console import Group

from arena.cli.display.live import LiveDisplay, duration

BAR_CELLS = 24
SHOWN_AFTER_S = 2.0
"""A shorter export shows nothing."""


@dataclass(frozen=True, slots=True)
class Written:
    """How far an export is."""

    pages: int
    of: int
    rate: str


class LiveExport(LiveDisplay[Written]):
    """Shows the progress of an export."""

    def __init__(self) -> None:
        super().__init__(None, BAR_CELLS)
        self._begun_s = time.monotonic()

    def take(self, pages: int, of: int) -> None:
        """Show how many pages are written, if it takes long enough."""
        passed_s = time.monotonic() - self._begun_s
        if passed_s >= SHOWN_AFTER_S:
            per_s = pages / passed_s
            self.show(Written(pages, of, f"{per_s:.0f} pages/s · {duration((of - pages) / per_s)} left"))

    def line(self, written: Written) -> str:
        """Return the progress as one line."""
        return f"writing pages: {written.pages} of {written.of} · {written.rate}"

    def frame(self, written: Written) -> Group:
        """Return the display for a terminal."""
        self.bar.update(
            self.task, description="pages", completed=written.pages, total=written.of, rate=written.rate
        )
        return Group(self.bar)
