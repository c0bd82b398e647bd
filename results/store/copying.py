"""Copying a store to another file, also while it is written to."""

import sqlite3
from pathlib import Path

from sqlalchemy import Engine

from results.store.database import translated


def copy(engine: Engine, path: Path, target: Path) -> None:
    """Copy a store, also while it is written to, to a file that appears whole or not at all."""
    part = target.with_name(target.name + ".part")
    try:
        with translated(target):
            part.unlink(missing_ok=True)
            raw = engine.raw_connection()
            try:
                source = raw.driver_connection
                if not isinstance(source, sqlite3.Connection):
                    raise AssertionError("not an SQLite connection")
                destination = sqlite3.connect(part)
                try:
                    _fill(destination, source, target, path)
                    # One file, without a log beside it, so that it can be moved about.
                    destination.execute("PRAGMA journal_mode = DELETE")
                finally:
                    destination.close()
            finally:
                raw.close()
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _fill(destination: sqlite3.Connection, source: sqlite3.Connection, target: Path, path: Path) -> None:
    """Copy a store into another file; for lack of room the other file is to blame, else the store."""
    try:
        source.backup(destination)
    except sqlite3.Error as error:
        with translated(target if error.sqlite_errorname == "SQLITE_FULL" else path):
            raise
