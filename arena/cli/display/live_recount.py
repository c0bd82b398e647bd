"""The progress of counting matches again, once it takes longer than a moment."""

import time
from types import TracebackType
from typing import Self

from rich.console import Group
from rich.text import Text

from arena.cli.display.live import QUIET_S, LiveDisplay

BAR_CELLS = 24


class LiveRecount:
    """A context manager; `take` is called with the numbers of matches read and of all matches."""

    def __init__(self) -> None:
        self._begun_s = time.monotonic()
        self._display: _Display | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._display:
            self._display.__exit__(kind, error, trace)

    def take(self, done: int, of: int) -> None:
        """Show progress, if it has taken long enough."""
        if self._display is None:
            if time.monotonic() - self._begun_s < QUIET_S:
                return
            self._display = _Display(None, BAR_CELLS)
            self._display.__enter__()
            self._display.show_first((done, of))
        self._display.show((done, of))


class _Display(LiveDisplay[tuple[int, int]]):
    def line(self, shown: tuple[int, int]) -> str:
        """Return the progress as one line."""
        return f"counting matches: {shown[0]} of {shown[1]}"

    def frame(self, shown: tuple[int, int]) -> Group:
        """Return the display for a terminal."""
        self.bar.update(self.task, description="matches", completed=shown[0], total=shown[1], rate="")
        return Group(self.bar, Text("counting matches again"))
