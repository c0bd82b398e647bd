"""The progress of a league's run."""

import time
from dataclasses import dataclass, field


@dataclass(slots=True)
class RunProgress:
    """The progress of a run, written by the runner and read by the display."""

    total_games: int | None
    games_before: int
    """Games in the ledger when this run began."""
    games: int = 0
    """Games played and stored in this run."""
    failed_attempts: int = 0
    void_matches: int = 0
    overtime: str = ""
    """A line for the display, once the playing time is over but planned matches are still being played."""
    hosts: int | None = None
    """How many hosts play; None if games are played by worker processes of this machine."""
    host_slots: int = 0
    """How many games these hosts play at a time."""
    begun_s: float = field(default_factory=time.monotonic)

    @property
    def games_per_s(self) -> float:
        """Games per second in this run."""
        return self.games / max(1e-9, time.monotonic() - self.begun_s)

    @property
    def left_s(self) -> float | None:
        """Estimated seconds left; None if the total is unknown or no game has been played."""
        if self.total_games is None or not self.games:
            return None
        return max(0, self.total_games - self.games_before - self.games) / self.games_per_s
