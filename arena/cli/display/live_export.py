"""The display of `arena export-site`: how many pages are written."""

import time
from dataclasses import dataclass

from rich.console import Group

from arena.cli.display.live import QUIET_S, LiveDisplay, duration

BAR_CELLS = 24


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
        if passed_s >= QUIET_S:
            per_s = pages / passed_s
            written = Written(pages, of, f"{per_s:.0f} pages/s · {duration((of - pages) / per_s)} left")
            if not self._drawn_s:
                self.show_first(written)
            self.show(written)

    def line(self, written: Written) -> str:
        """Return the progress as one line."""
        return f"writing pages: {written.pages} of {written.of} · {written.rate}"

    def frame(self, written: Written) -> Group:
        """Return the display for a terminal."""
        self.bar.update(
            self.task, description="pages", completed=written.pages, total=written.of, rate=written.rate
        )
        return Group(self.bar)
