"""Copies a store to another file, even while it is being written to."""

import os
import sqlite3
from contextlib import suppress
from pathlib import Path

from sqlalchemy import Engine

from results.permissions import created
from results.store.database import translated


def copy(engine: Engine, path: Path, target: Path) -> None:
    """Copy a store, even while it is being written to; the target appears complete or not at all."""
    part = target.with_name(target.name + ".part")
    try:
        with translated(target):
            with suppress(OSError):  # SQLite then says what is wrong
                os.close(created(part, like=path))
            raw = engine.raw_connection()
            try:
                source = raw.driver_connection
                if not isinstance(source, sqlite3.Connection):
                    raise AssertionError("not an SQLite connection")
                destination = sqlite3.connect(part)
                try:
                    _fill(destination, source, target, path)
                    # One file, without a separate log, so that you can move it.
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
    """Copy a store into another file; if a disk is full, find out which of the two files is concerned."""
    try:
        source.backup(destination)
    except sqlite3.Error as error:
        with translated(target if error.sqlite_errorname == "SQLITE_FULL" else path):
            raise
