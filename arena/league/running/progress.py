"""How far a run of a league has come."""

import time
from dataclasses import dataclass, field


@dataclass(slots=True)
class RunProgress:
    """How far a run has come; read by the display, written by the runner."""

    total_games: int | None
    games_before: int
    """In the ledger when this run began."""
    games: int = 0
    """Played and entered in this run."""
    failed_attempts: int = 0
    void_matches: int = 0
    overtime: str = ""
    """In words, once the playing time is over and planned matches are still played."""
    begun_s: float = field(default_factory=time.monotonic)

    @property
    def games_per_s(self) -> float:
        """Games a second in this run."""
        return self.games / max(1e-9, time.monotonic() - self.begun_s)

    @property
    def left_s(self) -> float | None:
        """Seconds left at this rate, where the total is known and there is a rate."""
        if self.total_games is None or not self.games:
            return None
        return max(0, self.total_games - self.games_before - self.games) / self.games_per_s
