"""Tells whether this SQLite has the WAL-reset bug.

In WAL mode, if two connections write or checkpoint at the same moment, SQLite may miss a reset of the log, and damage
the file. Source: https://sqlite.org/wal.html#walresetbug, which also names the versions with the fix.
"""

import os
import sqlite3
from contextlib import suppress
from pathlib import Path

from results.permissions import created

_FIRST, _FIXED = (3, 7, 0), (3, 51, 3)
_NOTE = "warned-of-sqlite"
_FIXED_BRANCHES: dict[tuple[int, ...], tuple[int, int, int]] = {(3, 50): (3, 50, 7), (3, 44): (3, 44, 6)}


def has_wal_reset_bug(version: tuple[int, ...]) -> bool:
    """Return whether this version of SQLite has the bug."""
    fixed = _FIXED_BRANCHES.get(version[:2], _FIXED)
    return _FIRST <= version < fixed


def bug_warning() -> str | None:
    """Return a line for people if this process uses an SQLite with the bug, which says what to do; None if not."""
    if not has_wal_reset_bug(sqlite3.sqlite_version_info):
        return None
    return (
        f"SQLite {sqlite3.sqlite_version} has a bug that can damage a file if two programs write to it at the same "
        "moment; Arena lets only one write, which makes that very unlikely; use a Python with SQLite 3.51.3 or newer "
        "to be sure"
    )


def new_bug_warning(files: Path) -> str | None:
    """Return `bug_warning` if it is the first one for this store and this SQLite, and note it; None if not.

    `files` is the folder next to the store. The note is a small file there, written once.
    """
    line, note = bug_warning(), files / _NOTE
    if line is None:
        return None
    with suppress(OSError, UnicodeDecodeError):  # there is no note yet
        if note.read_text() == sqlite3.sqlite_version:
            return None
    with suppress(OSError), os.fdopen(created(note), "w") as file:  # otherwise it is said again
        file.write(sqlite3.sqlite_version)
    return line


def sqlite_version() -> str:
    """Return the version of SQLite that this process uses."""
    return sqlite3.sqlite_version
