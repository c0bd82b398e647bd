"""The file: opening it, transactions, and SQLite's errors in plain words.

There is one writer at a time and any number of readers (WAL). A transaction sees a
single state of the file from its first statement to its last.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool

from results.base.advice import Advice, run
from results.base.errors import (
    LedgerError,
    NotAStore,
    StoreBusy,
    StoreDamaged,
    StoreFailed,
    StoreFull,
    StoreTooNew,
    StoreTooOld,
    UnknownInStore,
)
from results.base.permissions import FILES_SUFFIX
from results.store.locks import exclusive, is_held
from results.store.sqlite_file import full_disk, unwritable

APPLICATION_ID = 0x4172656E
"""Marks an SQLite file as a store: the bytes "Aren"."""
VERSION = 1
"""The version of the tables that this program knows."""

LOG_PAGES = 8192
"""Changes of so many pages, 32 MiB, are carried over together: pages of totals change again and again meanwhile."""
CACHE_KIB = 8192
"""So much of the file a writer keeps in memory: the pages of one transaction of some hundred games. With SQLite's 2 MiB
it would write some of them twice."""
BUSY_TIMEOUT_MS = 10_000
"""How long a writer waits for another one."""


def connect(path: Path, mode: str, *, unchanging: bool = False) -> Engine:
    """Return an engine on the file; `mode`: `ro` or `rw`.

    `unchanging`: assume that nobody writes to the file, and use no locks or extra files.
    This opens nothing yet. Transactions of a connection with the execution option
    `write` take the write lock at once; all others see a single state of the file.
    """
    uri = f"{path.absolute().as_uri()}?mode={mode}{'&immutable=1' if unchanging else ''}"

    def opened() -> sqlite3.Connection:
        connection = sqlite3.connect(
            uri, uri=True, timeout=BUSY_TIMEOUT_MS / 1000, isolation_level=None, check_same_thread=False
        )
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        if mode != "ro":
            connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
            connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        return connection

    engine = create_engine("sqlite+pysqlite://", creator=opened, poolclass=QueuePool)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("write", False)
        _execute(connection, "BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _execute(connection: Connection, statement: str) -> sqlite3.Cursor:
    """Execute what every transaction begins with: past SQLAlchemy, in a fraction of the time."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)  # noqa: S101 - by the engine's address
    return driver.execute(statement)


def use_wal(engine: Engine, path: Path) -> None:
    """Put the file into WAL mode permanently, so that readers and the writer don't wait for each other.

    Raises StoreFailed if the file system doesn't support it.
    """
    with translated(path):
        raw = engine.raw_connection()
        try:
            cursor = raw.cursor()
            (mode,) = cursor.execute("PRAGMA journal_mode").fetchone()
            if mode != "wal":
                (mode,) = cursor.execute("PRAGMA journal_mode = WAL").fetchone()
        finally:
            raw.close()
    if mode != "wal":
        raise StoreFailed(
            f"{path}: this file system can't hold a store (journal mode {mode})",
            "put the store on a local disk, not on a network drive",
        )


def version_of(connection: Connection) -> int:
    """Return the version of the file's tables; 0 if there are none."""
    (version,) = _execute(connection, "PRAGMA user_version").fetchone()
    return int(version)


def version_of_store(engine: Engine, path: Path) -> int:
    """Return the version of the file's tables; 0 for an empty file. Raises NotAStore for another program's file."""
    with translated(path), engine.connect() as connection, connection.begin():
        if connection.exec_driver_sql("PRAGMA application_id").scalar_one() == APPLICATION_ID:
            return version_of(connection)
        if connection.exec_driver_sql("SELECT count(*) FROM sqlite_master").scalar_one():
            raise NotAStore(f"{path} is an SQLite file of another program", "pass another file with --store")
    return 0


_VERIFY = Advice("run ", run("db verify"), " to find the value and how to fix it")


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Translate SQLite's errors into the ledger's, each saying what to do; name the store if it lacks a name."""
    try:
        yield
    except UnknownInStore as error:
        error.in_store(str(path.absolute()))
        raise
    except msgspec.DecodeError as error:
        raise StoreDamaged(
            f"{path} is damaged: a value that should be JSON isn't ({error})", _VERIFY
        ) from error
    except (DBAPIError, sqlite3.Error) as error:
        raise _in_words(error, path) from error


def _in_words(error: Exception, path: Path) -> LedgerError:
    cause = error.orig if isinstance(error, DBAPIError) else error
    name = str(getattr(cause, "sqlite_errorname", ""))
    if name.startswith(("SQLITE_FULL", "SQLITE_IOERR", "SQLITE_CANTOPEN")) and (
        full := full_disk(path, surely=name == "SQLITE_FULL")
    ):
        return StoreFull(*full)
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN")) and (refused := unwritable(path)):
        return StoreFailed(*refused)
    for prefix, kind, message, hint in (
        (
            "SQLITE_BUSY",
            StoreBusy,
            f"{path} has been locked by another process for {BUSY_TIMEOUT_MS // 1000} seconds",
            "wait until it is done, then try again; nothing was written",
        ),
        ("SQLITE_NOTADB", NotAStore, f"{path} is not a store", "pass another file with --store"),
        (
            "SQLITE_CORRUPT",
            StoreDamaged,
            f"{path} is damaged: {cause}",
            "restore a backup, or save what can be read with `sqlite3 FILE .recover`",
        ),
        ("SQLITE_READONLY", StoreFailed, f"{path} can't be written to", "check its permissions"),
        (
            "SQLITE_CANTOPEN",
            StoreFailed,
            f"{path} can't be opened",
            "check the permissions of file and folder",
        ),
        ("SQLITE_IOERR", StoreFailed, f"{path}: the disk failed: {cause}", "check the disk"),
    ):
        if name.startswith(prefix):
            return kind(message, hint)
    if "decode to UTF-8" in str(cause):
        return StoreDamaged(f"{path} is damaged: a text is not UTF-8 ({cause})", _VERIFY)
    a_bug = Advice("this is a bug in Arena; check the store with ", run("db verify"))
    return LedgerError(f"{path}: {cause}", a_bug)


def files_beside(store: Path) -> Path:
    """Return the folder next to a store for versions, logs and locks: `arena.files` of `arena.sqlite`."""
    return store.with_suffix(FILES_SUFFIX)


class Database:
    """An open store file; every `Part` of a store works on it."""

    def __init__(
        self,
        path: Path,
        engine: Engine,
        version: int,
        *,
        readonly: bool,
        now: Callable[[], str],
        is_touched: Callable[[], bool] | None = None,
    ) -> None:
        """Use an engine on a file of the given version; `now` returns the time of day as text.

        For a file that is read without locks, `is_touched` says whether somebody has written to it since.
        """
        self._is_touched = is_touched
        self.path = path
        self.readonly = readonly
        self.engine = engine
        self._version = version
        self.now = now
        """Return the time of day as text."""
        self._for_writing = engine.execution_options(write=True)
        self._together: Connection | None = None
        self.writes = 0
        """How many transactions that may write this object has begun."""

    @property
    def files(self) -> Path:
        """The folder next to the store for versions, logs and locks: `arena.files` of `arena.sqlite`."""
        return files_beside(self.path)

    def lock_of(self, uuid: str, name: str) -> AbstractContextManager[int]:
        """Return the lock of a league, for the process that runs it. Entering it raises StoreBusy."""
        return exclusive(self._lock_file(uuid), f"league {name!r}")

    def is_locked(self, uuid: str) -> bool:
        """Return whether a process runs a league, or may run it as far as can be seen."""
        return is_held(self._lock_file(uuid))

    def _lock_file(self, uuid: str) -> Path:
        return self.files / "locks" / f"{uuid}.lock"

    @contextmanager
    def together(self) -> Iterator[None]:
        """Run everything inside the block in one transaction, which an error rolls back.

        Inside another such block, it is part of that one's transaction; an error undoes what the inner block did.
        """
        if self._together is not None:
            with self._undoing(self._together):
                yield
            return
        with self.changing() as connection:
            self._together = connection
            try:
                yield
            finally:
                self._together = None

    @contextmanager
    def _undoing(self, connection: Connection) -> Iterator[None]:
        """Undo what the block does to a transaction if an error passes through."""
        with translated(self.path):
            connection.exec_driver_sql("SAVEPOINT inner")
        try:
            yield
        except BaseException:
            driver = connection.connection.dbapi_connection
            if (
                driver is not None and driver.in_transaction
            ):  # otherwise SQLite has undone all of it: a full disk
                connection.exec_driver_sql("ROLLBACK TO inner")
                connection.exec_driver_sql("RELEASE inner")
            raise
        with translated(self.path):
            connection.exec_driver_sql("RELEASE inner")

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Return a connection that sees a single state of the ledger. For the parts of the store."""
        if self._together is not None:
            with translated(self.path):
                yield self._together
            return
        with (
            self._undisturbed(),
            translated(self.path),
            self.engine.connect() as connection,
            connection.begin(),
        ):
            self._check_version(connection)
            yield connection

    @contextmanager
    def _undisturbed(self) -> Iterator[None]:
        """Raise StoreBusy at the end if a file without locks was written to, whatever was read or raised."""
        try:
            yield
        finally:
            if self._is_touched is not None and self._is_touched():
                raise StoreBusy(
                    f"{self.path} changed while it was being read, and can't be locked from here",
                    "run the command again",
                )

    @contextmanager
    def changing(self) -> Iterator[Connection]:
        """Return a connection whose changes are committed together, or rolled back if an error passes through."""
        if self.readonly:
            raise LedgerError(f"{self.path} was opened for reading only", "this is a bug in Arena")
        if self._together is not None:
            with translated(self.path):
                yield self._together
            return
        self.writes += 1
        with translated(self.path), self._for_writing.connect() as connection, connection.begin():
            self._check_version(connection)
            yield connection

    @property
    def is_together(self) -> bool:
        """Whether a block of `together` is being run."""
        return self._together is not None

    def close(self) -> None:
        """Close the file. Leaving it open or killing the process loses nothing."""
        self.engine.dispose()

    def _check_version(self, connection: Connection) -> None:
        """Check again, because another process may have upgraded the file in the meantime."""
        if (found := version_of(connection)) != self._version:
            raise too_new(self.path, found, self._version)


class Part:
    """One subject of a store, using its database."""

    def __init__(self, database: Database) -> None:
        self._database = database


def too_new(path: Path, found: int, known: int) -> StoreTooNew:
    """Return the error for a file whose version this program doesn't know."""
    return StoreTooNew(
        f"{path} was written by a newer program: it has version {found}, this program knows {known}",
        "upgrade Arena, or use another store",
    )


def too_old(path: Path, found: int, known: int) -> StoreTooOld:
    """Return the error for a file that was opened for reading only but needs an upgrade first."""
    return StoreTooOld(
        f"{path} is of version {found}, this program reads version {known}",
        "upgrade it with a command that writes, such as `arena db rebuild`, which makes a backup first",
    )


def to_text(value: object) -> str:
    """Return a value as canonical JSON. Raises TypeError for values that JSON can't hold."""
    return msgspec.json.encode(value, order="sorted").decode()


def from_text(text: str) -> Any:
    """Parse a JSON text that the store wrote. Raises msgspec.DecodeError if it is damaged."""
    return msgspec.json.decode(text)


def object_from_text(text: str) -> dict[str, Any]:
    """Parse a JSON object that the store wrote. Raises msgspec.DecodeError if it isn't one any more."""
    return msgspec.json.decode(text, type=dict[str, Any])
