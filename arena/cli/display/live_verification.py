"""The display of `arena db verify`: its progress through the store."""

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rich.console import Group

from arena.cli.display.live import LiveDisplay, duration

if TYPE_CHECKING:
    pass

BAR_CELLS = 24

_UNITS = {
    "file": "file",
    "ratings": "matches",
    "versions": "versions",
    "segments": "segments",
    "games": "games",
}
"""The unit of progress, by what is being checked."""


@dataclass(slots=True)
class Stage:
    """One part of the verification."""

    what: str
    done: int = 0
    of: int = 0
    begun_s: float = field(default_factory=time.monotonic)

    @property
    def rate(self) -> str:
        """The rate and the time left."""
        if self.what == "file" or not self.done:
            return ""
        per_s = self.done / max(1e-9, time.monotonic() - self.begun_s)
        return f"{per_s:.1f} {_UNITS[self.what]}/s · {duration((self.of - self.done) / per_s)} left"


class LiveVerification(LiveDisplay[Stage]):
    """Shows the progress of a verification."""

    def __init__(self) -> None:
        super().__init__(None, BAR_CELLS)
        self.stage = Stage("file")

    def take(self, what: str, done: int, of: int) -> None:
        """Show progress that `Store.verify` reports."""
        if what != self.stage.what:
            self.stage = Stage(what)
        self.stage.done, self.stage.of = done, of
        self.show(self.stage)

    def line(self, stage: Stage) -> str:
        """Return the progress as one line."""
        if stage.what == "file":
            return "verifying the file"
        return f"verifying {stage.what}: {stage.done} of {stage.of} {_UNITS[stage.what]} · {stage.rate}"

    def frame(self, stage: Stage) -> Group:
        """Return the display for a terminal."""
        known: dict[str, Any] = {"completed": stage.done, "total": None if stage.what == "file" else stage.of}
        self.bar.update(self.task, description=stage.what, rate=stage.rate, **known)
        return Group(self.bar)
