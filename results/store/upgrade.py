"""Makes the tables of a new store, and upgrades an older one: forward only, a transaction per step, after a backup."""

import os
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, Engine

from results.base.errors import StoreDamaged
from results.base.permissions import created
from results.store.database import (
    APPLICATION_ID,
    VERSION,
    driver_of,
    translated,
    version_of,
    version_of_store,
)
from results.store.sqlite_file import too_new
from results.store.tables import METADATA
from results.store.tables.derived import STANDING
from results.store.tables.rows import seal_rows


def copy(engine: Engine, path: Path, target: Path) -> None:
    """Copy a store, even while it is being written to; the target appears complete or not at all."""
    part = target.with_name(target.name + ".part")
    try:
        with translated(target):
            with suppress(OSError):  # SQLite then says what is wrong
                os.close(created(part, like=path))
            with engine.connect() as connection, closing(sqlite3.connect(part)) as destination:
                _fill(destination, driver_of(connection), target, path)
                # One file, without a separate log, so that you can move it.
                destination.execute("PRAGMA journal_mode = DELETE")
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


@dataclass(frozen=True, slots=True)
class Migration:
    """One step from version `number` − 1 to `number`."""

    number: int
    name: str
    apply: Callable[[Connection], None]
    """Changes the tables within the given transaction, and seals the rows that it changes. It empties derived tables
    that change and sets `progress.next_match_no` to 0; the fold fills them again."""


MIGRATIONS: tuple[Migration, ...] = ()
"""All steps, in order, numbered from 2 without gaps to `VERSION`. A released step never changes."""


def create_tables(connection: Connection) -> None:
    """Make all tables, indexes and views of the newest version."""
    METADATA.create_all(connection)
    connection.exec_driver_sql(STANDING)


def upgrade(
    engine: Engine,
    path: Path,
    now: Callable[[], str],
    migrations: Sequence[Migration] = MIGRATIONS,
    *,
    keeps_backup: bool = True,
) -> bool:
    """Upgrade the file to the newest version, or create the tables in an empty one. Return whether it was older.

    Before the first step, the file is copied to `backup_path`, unless told not to. A step that fails leaves the file
    as it was before the step, and its error passes through. Raises StoreTooNew if the file's version is beyond the
    last step, NotAStore for a file of another program.
    """
    found = version_of_store(engine, path)
    newest = migrations[-1].number if migrations else VERSION
    if found > newest:
        raise too_new(path, found, newest)
    if not found:
        _step(engine, path, Migration(newest, "new store", create_tables), now(), None)
        return False
    backup = backup_path(path, found) if keeps_backup else None
    for migration in migrations:
        if migration.number > found:
            _step(engine, path, migration, now(), backup, copies=migration.number == found + 1)
    return found < newest


def backup_path(path: Path, version: int) -> Path:
    """Return the path of the backup for a file of this version: `arena.v1.backup.sqlite` for `arena.sqlite`."""
    return path.with_name(f"{path.stem}.v{version}.backup{path.suffix}")


def _step(
    engine: Engine, path: Path, migration: Migration, at: str, backup: Path | None, *, copies: bool = False
) -> None:
    with translated(path), engine.execution_options(write=True).connect() as connection:
        # Tables can be rebuilt only while foreign keys are off; they are checked at the end.
        raw = connection.connection
        raw.cursor().execute("PRAGMA foreign_keys = OFF")
        try:
            with connection.begin():
                if version_of(connection) >= migration.number:
                    return  # another process was faster
                if backup and copies:
                    copy(engine, path, backup)  # on a second connection, while this one blocks writers
                migration.apply(connection)
                if broken := connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall():
                    raise StoreDamaged(
                        f"{path}: after the step {migration.name!r} {len(broken)} rows refer to nothing",
                        "the file is as it was before the step; please report this",
                    )
                connection.exec_driver_sql(
                    "INSERT INTO migration (number, name, at, backup) VALUES (?, ?, ?, ?)",
                    (migration.number, migration.name, at, backup.name if backup else None),
                )
                seal_rows(connection, "migration")
                connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.exec_driver_sql(f"PRAGMA user_version = {migration.number}")
        finally:
            raw.cursor().execute("PRAGMA foreign_keys = ON")
