"""Caches pages as long as the store hasn't changed, so that many readers cost little.

Refusals that took work are cached too. Equal requests wait for the one that makes their page, without a thread.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

from arena.web.http.body_limits_and_compression import packed
from arena.web.http.page_threads import Crowded, result_of

MOST_BYTES = 64 * 2**20
ENTRY_BYTES = 1_024
"""What a page takes besides its content, more or less: many small ones need room too."""
FRESH_S = 2.0
"""While a league is played, the store changes all the time; a page this young is still served."""
MOST_WAITING = 200
"""How many wait for one page that is being made; more are refused."""


class Content(NamedTuple):
    """What a page has been made into."""

    body: bytes
    status: int = 200
    """By HTTP; others than 200 are refusals."""


@dataclass(frozen=True, slots=True)
class Made:
    """A page as it is sent."""

    content: bytes
    packed: bytes
    """It compressed; empty if that isn't worth it."""
    status: int
    tag: str
    """Differs for other contents."""
    version: object
    """Of the store that it was made from."""
    states: object
    """Of the leagues when it was made."""
    made_s: float


@dataclass(slots=True)
class _Making:
    """A page that is being made."""

    done: "Future[Made]"
    waiting: int = 0


class PageCache:
    """Pages by the hash of their address; the ones not asked for the longest are dropped first."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._pages: OrderedDict[str, Made] = OrderedDict()
        self._bytes = 0
        self._making: dict[str, _Making] = {}

    async def get(
        self,
        address: str,
        version: object,
        make: Callable[[], Content],
        begin: Callable[[Callable[[], Made]], "Future[Made]"],
        kept_s: float | None = None,
        *,
        states: object = None,
    ) -> Made:
        """Return a page, made by `make` unless one of this version is kept; equal requests make it once.

        `begin` has the page made in another thread. `states`: of all leagues; a page that shows others is never served,
        so that pages agree about them. `kept_s`: it depends on more than the store, so it is kept for so long, whatever
        the version. Raises Crowded, and what `make` raises.
        """
        address = sha256(
            address.encode("utf-8", "surrogatepass")
        ).hexdigest()  # a visitor can make it very long

        def made() -> Made:
            content = make()
            tag = sha256(content.body).hexdigest()[:20]
            body, status = content
            page = Made(body, packed(body), status, tag, version, states, self._clock())
            self._keep(address, page)
            return page

        while True:
            with self._lock:
                if (found := self._find(address, version, kept_s, states)) is not None:
                    return found
                making = self._making.get(address)
                is_mine = making is None
                if making is None:
                    making = self._making[address] = _Making(begin(made))
                elif making.waiting >= MOST_WAITING:
                    raise Crowded
                making.waiting += 1
            if is_mine:
                making.done.add_done_callback(lambda _: self._ended(address))
            page = await result_of(making.done)
            if is_mine:
                return page

    def _ended(self, address: str) -> None:
        with self._lock:
            self._making.pop(address, None)

    def _find(self, address: str, version: object, kept_s: float | None, states: object) -> Made | None:
        """Return a page that is kept and may be served. The lock is held."""
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
    return len(made.content) + len(made.packed) + ENTRY_BYTES
