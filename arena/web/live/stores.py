"""Open stores for the threads that answer requests, and news of changes."""

import queue
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from results.base.errors import LedgerError
from results.store import Store, files_beside, open_store, runner_of
from results.store.opening import Watch
from results.store.store_folder import Cache

_MOST_KEPT = 8
_LOOK_S = 0.5
"""How often to look whether the store has changed."""


class Stores:
    """Lends stores that are open for reading. No transaction stays open between requests, so the log can be emptied."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._kept: queue.SimpleQueue[tuple[int, Store]] = queue.SimpleQueue()
        self._watch = Watch(path)
        self._cache = Cache(files_beside(path))
        self._looked: tuple[float, tuple[int, int] | None] = (0.0, None)
        self._states: tuple[object, object] = (None, None)

    def version(self) -> tuple[int, int] | None:
        """Return a value that differs after a change, at most half a second old; None if the store can't be read."""
        looked_s, version = self._looked
        now = time.monotonic()
        if now - looked_s >= _LOOK_S:
            version = self._watch.version()
            self._looked = (now, version)
        return version

    def seen(self) -> tuple[object, object]:
        """Return two values: one that differs once pages may be others, and `states`.

        Pages may be others after a change, or with a new result that is kept beside the store.
        """
        return (self.version(), self._cache.state()), self.states()

    def states(self) -> object:
        """Return a value that differs once a league's state may be another, by the store or by its runner's notes."""
        version = self._watch.version()
        of_version, in_store = self._states
        if version is None or version != of_version:
            try:
                with self.borrowed() as store:
                    in_store = tuple(
                        (
                            one.uuid,
                            one.name,
                            one.state,
                            one.events,
                            one.last_event_match_no <= one.matches_planned,
                        )
                        for one in store.activity.now().leagues
                    )
            except LedgerError:
                return None
            self._states = version, in_store
        runner = runner_of(self.path)
        notes = runner.notes if runner.is_running else None
        return in_store, runner.is_running, notes and (notes.does, notes.league, notes.waiting)

    @contextmanager
    def borrowed(self) -> Iterator[Store]:
        """Yield a store, open for reading, to be used in this thread until the end of the block.

        Raises StoreMissing and what opening a store raises.
        """
        version = self.version()
        opened = version[0] if version else -1
        store = None
        while not self._kept.empty() and store is None:
            try:
                of, kept = self._kept.get_nowait()
            except queue.Empty:
                break
            if of == opened:
                store = kept
            else:
                kept.close()
        if store is None:
            store = open_store(self.path, create=False, readonly=True)
        broken = False
        try:
            yield store
        except LedgerError:
            broken = True
            raise
        finally:
            if broken or self._kept.qsize() >= _MOST_KEPT:
                store.close()
            else:
                self._kept.put((opened, store))

    def close(self) -> None:
        """Close everything."""
        self._watch.close()
        while not self._kept.empty():
            self._kept.get_nowait()[1].close()
