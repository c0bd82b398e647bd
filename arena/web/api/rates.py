"""Limits on the rate of requests, for each account or address, in this process."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

_MOST_KEYS = 20_000


class Rates:
    """Token buckets: `per_minute` requests, of which `burst` may come at once.

    Source: J. Turner, "New Directions in Communications" (1986), on the leaky bucket as a meter.
    """

    def __init__(self, per_minute: float, burst: int, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._per_s = per_minute / 60
        self._burst = burst
        self._clock_s = clock_s
        self._lock = threading.Lock()
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """How many requests a key has left, and when that was so."""

    def wait_s(self, key: str) -> float:
        """Count a request; return 0 if it may be answered, else after how many seconds it may be sent again."""
        now_s = self._clock_s()
        with self._lock:
            left, at_s = self._left.pop(key, (float(self._burst), now_s))
            left = min(self._burst, left + (now_s - at_s) * self._per_s)
            may = left >= 1
            self._left[key] = (left - 1 if may else left, now_s)
            if len(self._left) > _MOST_KEYS:
                self._left.popitem(last=False)
        return 0.0 if may else (1 - left) / self._per_s
