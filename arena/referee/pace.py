"""The pace of a game: every turn appears to last a minimum time, however it was decided.

The gap between two asks tells a bot how long the others took. The referee makes forced moves instantly, so without
a pace the gap would reveal that a move was forced, and often which cards a hand doesn't hold.
"""

import time
from collections.abc import Callable

from arena.core.durations import NS_PER_MS, NS_PER_S


class Pace:
    """Delays whatever follows a turn until the turn has lasted `pace_ms`. Longer turns aren't delayed.

    Each turn is measured from when the previous one was due, not from when its wait ended. So overruns
    neither add up nor reveal how many waits there were.
    """

    __slots__ = ("_due_ns", "_monotonic_ns", "_pace_ns", "_sleep_s")

    def __init__(
        self,
        pace_ms: int,
        monotonic_ns: Callable[[], int] = time.monotonic_ns,
        sleep_s: Callable[[float], None] = time.sleep,
    ) -> None:
        """`pace_ms` 0 delays nothing."""
        self._pace_ns = pace_ms * NS_PER_MS
        self._monotonic_ns = monotonic_ns
        self._sleep_s = sleep_s
        self._due_ns = 0

    def begin(self) -> None:
        """Start the first turn."""
        if self._pace_ns:
            self._due_ns = self._monotonic_ns()

    def hold(self) -> None:
        """Wait until the decided turn may become visible, then start the next one."""
        if not self._pace_ns:
            return
        self._due_ns += self._pace_ns
        now_ns = self._monotonic_ns()
        if now_ns > self._due_ns:
            self._due_ns = now_ns
        while now_ns < self._due_ns:
            self._sleep_s((self._due_ns - now_ns) / NS_PER_S)
            now_ns = self._monotonic_ns()
