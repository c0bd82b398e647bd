"""Restores a backup: renames the current store and puts a copy of the backup in its place."""

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from functools import cache
from pathlib import Path

from sqlalchemy import create_engine
from sqlalchemy.pool import StaticPool

from results.base.advice import Advice, run
from results.base.clock import utc_now
from results.base.errors import NotAStore, StoreBusy, StoreFailed, StoreMissing
from results.store.database import BUSY_TIMEOUT_MS, VERSION, connect, files_beside, too_new
from results.store.locks import exclusive
from results.store.opening import open_for_reading
from results.store.segments.files import SEGMENTS
from results.store.segments.rows import segments_in
from results.store.segments.shipping import copy_missing
from results.store.server_lock import unserved
from results.store.store_lock import holding, lock_file
from results.store.upgrade import copy, create_tables, upgrade

_OF_SQLITE = "sqlite_"
"""Names that only SQLite itself can give."""


def check_schema(path: Path, known_as: Path) -> None:
    """Raise NotAStore if a store's file of the newest version defines anything that no Arena has put there.

    `known_as`: the file in messages. Triggers and changed tables would act whenever Arena writes.
    """
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        found = frozenset(defined(connection))
    for kind, name, _ in sorted(found - _expected()):
        raise NotAStore(
            f"{known_as} has a {kind} {name!r} that Arena hasn't made", "restore only backups that you made"
        )


def defined(connection: sqlite3.Connection) -> Iterator[tuple[str, str, str]]:
    """Yield what a file defines: the kind, the name, and the SQL without differences in spaces and quotes."""
    rows = connection.execute("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master")
    for kind, name, table, sql in rows:
        if not (name.startswith(_OF_SQLITE) and (kind == "index" or table == name)):
            yield kind, name, "".join(sql.translate(_QUOTES).split()).lower()


_QUOTES = str.maketrans("", "", "\"`'")


@cache
def _expected() -> frozenset[tuple[str, str, str]]:
    """Return what a file of the newest version defines."""
    engine = create_engine("sqlite+pysqlite://", poolclass=StaticPool)
    try:
        with engine.begin() as connection:
            create_tables(connection)
            raw = connection.connection.driver_connection
            assert isinstance(raw, sqlite3.Connection)  # noqa: S101 - by the engine's address
            return frozenset(defined(raw))
    finally:
        engine.dispose()


_BESIDE = ("-wal", "-shm", "-journal")
"""Suffixes of SQLite's own files next to a store; they belong to one particular file."""
_A_BACKUP = Advice("name a file that ", run("db backup"), " wrote")


def restore(store: Path, backup: Path) -> Path | None:
    """Replace a store with a copy of a backup; return the new path of the old store, None if there was none.

    The current store may be damaged, or not a store at all. It is never overwritten. If any step fails, it stays
    complete, either in place or under its new name.
    Segments of replays that are next to the backup and not next to the store are copied.
    Raises StoreMissing, NotAStore, StoreTooNew or StoreDamaged for the backup, StoreBusy while a process serves the
    store, runs a league of it or writes to it, and StoreFailed.
    """
    _check_place(store, backup)
    with unserved(store):
        return restore_unserved(store, backup)


def restore_unserved(store: Path, backup: Path) -> Path | None:
    """Do what `restore` does, for a caller that keeps servers from the store by `unserved`."""
    _check_place(store, backup)
    try:
        engine, version, _ = open_for_reading(backup)
    except NotAStore as error:
        raise NotAStore(str(error), _A_BACKUP) from None
    try:
        if version == 0:
            raise NotAStore(f"{backup} is not a store", _A_BACKUP)
        if version > VERSION:
            raise too_new(backup, version, VERSION)
        with ExitStack() as held:
            held.enter_context(holding(store, "restores a backup"))
            of_leagues = set((files_beside(store) / "locks").glob("*.lock")) - {lock_file(store)}
            for lock in sorted(of_leagues):
                held.enter_context(exclusive(lock, f"a league of {store}"))
            growing = store.with_name(f"{store.name}.restoring")
            copy(engine, backup, growing)
            try:
                if version < VERSION:
                    _upgrade(growing)
                check_schema(growing, backup)
                _add_segments(store, backup, growing)
                return _swap(store, growing)
            except OSError as error:
                raise StoreFailed(
                    f"{store} can't be replaced: {error.strerror}", "check the permissions of its folder"
                ) from error
            finally:
                growing.unlink(missing_ok=True)
    finally:
        engine.dispose()


def _upgrade(growing: Path) -> None:
    """Upgrade the copy of a backup, so that there is one form to check what it defines by."""
    engine = connect(growing, "rw")
    try:
        upgrade(engine, growing, utc_now, keeps_backup=False)
    finally:
        engine.dispose()


def _add_segments(store: Path, backup: Path, growing: Path) -> None:
    """Copy the segments that a backup has next to it and the store lacks; `growing` is the copy of the backup."""
    if files_beside(backup).is_symlink() or (files_beside(backup) / SEGMENTS).is_symlink():
        raise NotAStore(f"{files_beside(backup)} leads elsewhere by a link", "name another backup")
    copy_missing(files_beside(backup) / SEGMENTS, files_beside(store) / SEGMENTS, segments_in(growing))


def _check_place(store: Path, backup: Path) -> None:
    """Raise an error for anything that is wrong before opening either file."""
    try:
        if not backup.exists():
            raise StoreMissing(f"there is no file {backup}", _A_BACKUP)
        if not backup.is_file():
            raise NotAStore(f"{backup} is not a file", _A_BACKUP)
        if backup.stat().st_size == 0:
            raise NotAStore(f"{backup} is empty", _A_BACKUP)
        if not os.access(backup, os.R_OK):
            raise StoreFailed(f"{backup} can't be read", "check its permissions")
        if store.is_dir():
            raise NotAStore(f"{store} is a folder", "a store is a file, such as arena.sqlite")
        if store.exists() and store.samefile(backup):
            raise NotAStore(f"{backup} is the store itself", _A_BACKUP)
    except OSError as error:
        raise StoreFailed(f"{backup} can't be read: {error.strerror}", "check its permissions") from error
    if not store.absolute().parent.is_dir():
        raise StoreMissing(f"there is no folder {store.absolute().parent}", "create it first")


def _swap(store: Path, growing: Path) -> Path | None:
    """Rename the store and give its name to the new file."""
    aside = None
    if store.exists():
        if _is_sqlite(store):
            _settle(store)
        growing.chmod(stat.S_IMODE(store.stat().st_mode) | 0o600)
        aside = _lay_aside(store)
    else:
        growing.chmod(0o600)  # whoever may read the backup
    # Otherwise SQLite would apply changes of the old store to the new one.
    for end in _BESIDE:
        store.with_name(store.name + end).unlink(missing_ok=True)
    growing.replace(store)
    return aside


def _is_sqlite(path: Path) -> bool:
    """Return whether this is an SQLite file. Check first: SQLite deletes the log next to a file it can't read."""
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\x00"


def _settle(store: Path) -> None:
    """Wait for writers, then let SQLite carry over all changes, so that the store is a single file."""
    with (
        suppress(sqlite3.DatabaseError),  # an unreadable store is renamed as it is
        closing(sqlite3.connect(store, timeout=BUSY_TIMEOUT_MS / 1000, isolation_level=None)) as connection,
    ):
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorname.startswith("SQLITE_BUSY"):
                raise StoreBusy(
                    f"{store} has been locked by another process for {BUSY_TIMEOUT_MS // 1000} seconds",
                    "wait until it is done, then try again; nothing was written",
                ) from error
            raise


def _lay_aside(store: Path) -> Path:
    """Give the store, with SQLite's files next to it, a free name; return it."""
    number = 1
    while True:
        aside = store.with_name(f"{store.name}.before-restore-{number}")
        number += 1
        if any(os.path.lexists(aside.with_name(aside.name + end)) for end in ("", *_BESIDE)):
            continue
        try:
            _also_named(store, aside)
        except FileExistsError:
            continue
        log = store.with_name(f"{store.name}-wal")
        for end in _BESIDE if not log.exists() or log.stat().st_size > 0 else ():  # an empty log is of no use
            with suppress(FileNotFoundError):
                _also_named(store.with_name(store.name + end), aside.with_name(aside.name + end))
        return aside


def _also_named(path: Path, name: Path) -> None:
    """Give a file a second name, or rename it if the file system has no links. Raises FileExistsError."""
    try:
        os.link(path, name)
    except (FileExistsError, FileNotFoundError):
        raise
    except OSError:
        path.rename(name)
