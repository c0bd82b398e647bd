"""Bringing a file to the newest form: forward only, each step in one transaction, after a backup."""

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, Engine

from results.errors import StoreDamaged
from results.sql import fifth, first, fourth, second, third
from results.sql.database import APPLICATION_ID, too_new, translated, version_of, version_of_store
from results.sql.sealing import columns_of, seal_rows


@dataclass(frozen=True, slots=True)
class Migration:
    """One step from version `number` − 1 to `number`."""

    number: int
    name: str
    apply: Callable[[Connection], None]
    """Changes the tables, within the transaction it is given. Derived tables that change are emptied here
    and `progress.next_match_no` set to 0; the fold fills them again."""


MIGRATIONS: tuple[Migration, ...] = (
    Migration(1, "the first tables", first.create),
    Migration(2, "pairs by parts, luck of deals", second.apply),
    Migration(3, "how secrets follow from seeds", third.apply),
    Migration(4, "checksums and counts of rows", fourth.apply),
    Migration(5, "schemes of content hashes", fifth.apply),
)
"""Every step, in order, numbered from 1 without gaps. A step that has been released never changes."""


def upgrade(engine: Engine, path: Path, now: Callable[[], str], migrations: Sequence[Migration]) -> bool:
    """Bring the file to the newest form; a file without tables is given its first. Return whether it changed.

    Before the first step of a file that holds something, a copy is laid beside it
    (`backup_path`). A step that fails leaves the file as it was before the step,
    and its error passes through. Raises StoreTooNew for a file of a version beyond the
    last step, NotAStore for a file of another program.
    """
    found = version_of_store(engine, path)
    newest = migrations[-1].number
    if found > newest:
        raise too_new(path, found, newest)
    backup = backup_path(path, found) if found else None
    for migration in migrations[found:]:
        _step(engine, path, migration, now(), backup, copies=migration.number == found + 1)
    return found < newest


def backup_path(path: Path, version: int) -> Path:
    """Return where the copy of a file of this version goes: `arena.v1.backup.sqlite` beside `arena.sqlite`."""
    return path.with_name(f"{path.stem}.v{version}.backup{path.suffix}")


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


def _step(
    engine: Engine, path: Path, migration: Migration, at: str, backup: Path | None, *, copies: bool
) -> None:
    with translated(path), engine.execution_options(write=True).connect() as connection:
        # Tables can be rebuilt only while references are not enforced; they are checked at the end.
        raw = connection.connection
        raw.cursor().execute("PRAGMA foreign_keys = OFF")
        try:
            with connection.begin():
                if version_of(connection) >= migration.number:
                    return  # another process was faster
                if backup and copies:
                    copy(engine, path, backup)  # by a second connection, while this one keeps writers out
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
                if "checksum" in columns_of(connection, "migration"):
                    seal_rows(connection, "migration")
                connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.exec_driver_sql(f"PRAGMA user_version = {migration.number}")
        finally:
            raw.cursor().execute("PRAGMA foreign_keys = ON")
