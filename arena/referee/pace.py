"""The pace of a game: no turn is seen to be over before so much time has passed, whoever decided it and how fast.

The gap between two asks tells a bot how long the others took. A forced move takes the referee no time, so that without
a pace the gap tells that it was forced, and with that often which cards a hand doesn't hold.
"""

import time
from collections.abc import Callable

from arena.core.durations import NS_PER_MS, NS_PER_S


class Pace:
    """Holds back what follows a turn until the turn has lasted `pace_ms`. Turns that last longer show as they are.

    Each turn is measured from when the one before was due, not from when the wait for it ended: what a wait overruns
    neither adds up nor tells how many waits there were.
    """

    __slots__ = ("_due_ns", "_monotonic_ns", "_pace_ns", "_sleep_s")

    def __init__(
        self,
        pace_ms: int,
        monotonic_ns: Callable[[], int] = time.monotonic_ns,
        sleep_s: Callable[[float], None] = time.sleep,
    ) -> None:
        """`pace_ms` 0 holds nothing back."""
        self._pace_ns = pace_ms * NS_PER_MS
        self._monotonic_ns = monotonic_ns
        self._sleep_s = sleep_s
        self._due_ns = 0

    def begin(self) -> None:
        """Begin with the first turn."""
        if self._pace_ns:
            self._due_ns = self._monotonic_ns()

    def hold(self) -> None:
        """Wait until the turn that has been decided may be seen; the next one begins."""
        if not self._pace_ns:
            return
        self._due_ns += self._pace_ns
        now_ns = self._monotonic_ns()
        if now_ns > self._due_ns:
            self._due_ns = now_ns
        while now_ns < self._due_ns:
            self._sleep_s((self._due_ns - now_ns) / NS_PER_S)
            now_ns = self._monotonic_ns()
