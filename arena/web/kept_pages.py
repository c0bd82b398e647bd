"""Keeps pages that were made, as long as the store hasn't changed, so that many readers cost little."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256

MOST_BYTES = 64 * 2**20
ENTRY_BYTES = 1_024
"""What a page takes besides its content, more or less: many small ones need room too."""
FRESH_S = 2.0
"""While a league is played, the store changes all the time; a page this young is still served."""


@dataclass(frozen=True, slots=True)
class Made:
    """A page as it is sent."""

    content: bytes
    tag: str
    """Differs for other contents."""
    version: object
    """Of the store that it was made from."""
    states: object
    """Of the leagues when it was made."""
    made_s: float


class KeptPages:
    """Pages by the hash of their address; the ones not asked for the longest are dropped first."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._pages: OrderedDict[str, Made] = OrderedDict()
        self._bytes = 0
        self._making: dict[str, threading.Lock] = {}

    def get(
        self,
        address: str,
        version: object,
        make: Callable[[], bytes],
        kept_s: float | None = None,
        *,
        states: object = None,
    ) -> Made:
        """Return a page, made by `make` unless one of this version is kept. Only one thread makes it.

        `states`: of all leagues; a page that shows others is never served, so that pages agree about them.
        `kept_s`: it depends on more than the store, so it is kept for so long, whatever the version.
        """
        address = sha256(
            address.encode("utf-8", "surrogatepass")
        ).hexdigest()  # a visitor can make it very long
        if (found := self._find(address, version, kept_s, states)) is not None:
            return found
        with self._lock:
            making = self._making.setdefault(address, threading.Lock())
        try:
            with making:
                if (found := self._find(address, version, kept_s, states)) is not None:
                    return found
                content = make()
                made = Made(content, sha256(content).hexdigest()[:20], version, states, self._clock())
                self._keep(address, made)
                return made
        finally:
            with self._lock:
                self._making.pop(address, None)

    def _find(self, address: str, version: object, kept_s: float | None, states: object) -> Made | None:
        with self._lock:
            found = self._pages.get(address)
            if found is None or found.states != states:
                return None
            is_young = self._clock() - found.made_s <= (FRESH_S if kept_s is None else kept_s)
            if not is_young and (kept_s is not None or found.version != version):
                return None
            self._pages.move_to_end(address)
            return found

    def _keep(self, address: str, made: Made) -> None:
        with self._lock:
            before = self._pages.pop(address, None)
            self._bytes += _size(made) - (_size(before) if before else 0)
            self._pages[address] = made
            while self._bytes > MOST_BYTES and len(self._pages) > 1:
                _, dropped = self._pages.popitem(last=False)
                self._bytes -= _size(dropped)


def _size(made: Made) -> int:
    return len(made.content) + ENTRY_BYTES
