"""Tells whether a store has changed, without reading it: for those who keep what they have computed from it."""

import sqlite3
import threading
from contextlib import suppress
from pathlib import Path

from results.store.sqlite_file import opened


class Watch:
    """Looks at one store's file. May be used from several threads."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._inode = -1
        self._opened = 0

    def version(self) -> tuple[int, int] | None:
        """Return a value that differs once anything was committed to the file, or another file has taken its place.

        None if there is no file, or it can't be read now.
        """
        with self._lock:
            try:
                inode = self._path.stat().st_ino
                if self._connection is None or inode != self._inode:
                    self._open(inode)
                assert self._connection is not None  # noqa: S101 - for mypy: `_open` has set it
                ((changes,),) = self._connection.execute("PRAGMA data_version").fetchall()
            except (OSError, sqlite3.Error):
                self._close()
                return None
            return self._opened, int(changes)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._close()

    def _open(self, inode: int) -> None:
        self._close()
        self._connection = opened(self._path, timeout_s=1.0)
        self._inode = inode
        self._opened += 1

    def _close(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
        self._connection = None
