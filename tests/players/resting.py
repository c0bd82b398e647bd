"""A bot between its games, of figures instead of processes."""

import time
from typing import cast

import pytest

from arena.players.usage_monitor import BotMonitor
from arena.sandbox.bot_program import Bounds
from arena.sandbox.usage import Ran, Usage
from results.base.clock import NS_PER_MS


class Figures:
    """Stands in for a `Usage`; the test says what was used."""

    def __init__(self) -> None:
        self.cpu_ms = 0
        self.others_cpu_ns = 0
        self.ran: dict[int, Ran] = {}
        self.readings = 0

    look_due_ns = 0
    sees_waits = True

    def look(self, now_ns: int = 0) -> None:
        """All is known."""

    def first_cpu_ns(self) -> int:
        return self.cpu_ms * NS_PER_MS

    @property
    def has_few_threads(self) -> bool:
        return len(self.ran) < 2

    def threads(self, ran_ns: int) -> dict[int, Ran]:
        self.readings += 1
        return self.ran or {0: Ran(ran_ns, 0)}


class Case:
    """A bot without a control group after a game in which its turns took so long, and a clock that the test moves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, own_ms: int) -> None:
        self.figures, self.now_ms = Figures(), 1_000_000
        monkeypatch.setattr(time, "monotonic_ns", lambda: self.now_ms * NS_PER_MS)
        self.monitor = BotMonitor(lambda: cast("Usage", self.figures), None, Bounds(), pondering=False)
        self.monitor.begin_game()
        self.monitor.begin_turn()
        self.figures.cpu_ms += own_ms
        self.monitor.end_turn(time.monotonic_ns())
        self.monitor.begin_rest()

    def passes(self, wall_ms: int, cpu_ms: int) -> str:
        """Let time pass; return what the bot is told to have worked."""
        self.now_ms += wall_ms
        self.figures.cpu_ms += cpu_ms
        self.monitor.look_at_rest()
        return self.monitor.worked_at_rest()
