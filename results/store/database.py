"""The file: opening it, transactions, and SQLite's errors in plain words.

There is one writer at a time and any number of readers (WAL). A transaction sees a
single state of the file from its first statement to its last.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool

from results.base.errors import LedgerError, StoreBusy, StoreDamaged, StoreFailed, UnknownInStore
from results.base.permissions import FILES_SUFFIX, created
from results.store.locks import exclusive, is_held
from results.store.sqlite_file import VERIFY, in_words, opened, too_new, version_in

APPLICATION_ID = 0x4172656E
"""Marks an SQLite file as a store: the bytes "Aren"."""
VERSION = 1
"""The version of the tables that this program knows."""

LOG_PAGES = 8192
"""Changes of so many pages, 32 MiB, are carried over together: pages of totals change again and again meanwhile."""
CACHE_KIB = 8192
"""So much of the file a writer keeps in memory: the pages of one transaction of some hundred games. With SQLite's 2 MiB
it would write some of them twice."""


def connect(path: Path, mode: str, *, unchanging: bool = False) -> Engine:
    """Return an engine on the file; see `sqlite_file.opened`.

    This opens nothing yet. Transactions of a connection with the execution option
    `write` take the write lock at once; all others see a single state of the file.
    """

    def connected() -> sqlite3.Connection:
        connection = opened(path, mode, unchanging=unchanging)
        connection.execute("PRAGMA synchronous = NORMAL")
        if mode != "ro":
            connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
            connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        return connection

    engine = create_engine("sqlite+pysqlite://", creator=connected, poolclass=QueuePool)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("write", False)
        driver_of(connection).execute("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def driver_of(connection: Connection) -> sqlite3.Connection:
    """Return SQLite's own connection, in the same transaction: past SQLAlchemy, it takes a fraction of the time."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)  # noqa: S101 - by the engine's address
    return driver


def rows(connection: Connection, text: str, **values: Any) -> list[Any]:
    """Return the rows of a statement with named values: plain tuples of what SQLite keeps."""
    return driver_of(connection).execute(text, values).fetchall()


def write(connection: Connection, text: str, many: Sequence[Any]) -> int:
    """Run a statement once for each of several tuples of values, or mappings by name; return how many rows changed."""
    return driver_of(connection).executemany(text, many).rowcount if many else 0


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
    ((version,),) = driver_of(connection).execute("PRAGMA user_version")
    return int(version)


def version_of_store(engine: Engine, path: Path) -> int:
    """Return the version of the file's tables; 0 for an empty file. Raises NotAStore for another program's file."""
    with translated(path), engine.connect() as connection, connection.begin():
        return version_in(driver_of(connection), APPLICATION_ID, path)


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
            f"{path} is damaged: a value that should be JSON isn't ({error})", VERIFY
        ) from error
    except (DBAPIError, sqlite3.Error) as error:
        raise in_words(error, path) from error


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
        with self.changing(adds=True) as connection:
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
    def changing(self, *, adds: bool = False) -> Iterator[Connection]:
        """Return a connection whose changes are committed together, or rolled back if an error passes through.

        `adds`: whether rows may be added singly. What that takes is loaded before others have to wait.
        """
        if self.readonly:
            raise LedgerError(f"{self.path} was opened for reading only", "this is a bug in Arena")
        if adds:
            from results.store.tables.checksums import prepare_adding

            prepare_adding()
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


Record = TypeVar("Record", bound=msgspec.Struct)


def record(kind: type[Record], row: Any, **values: Any) -> Record:
    """Return a row as a record whose fields are columns of it, but for the given values."""
    names = [name for name in kind.__struct_fields__ if name not in values]
    return kind(**{name: getattr(row, name) for name in names}, **values)


def to_text(value: object) -> str:
    """Return a value as canonical JSON. Raises TypeError for values that JSON can't hold."""
    return msgspec.json.encode(value, order="sorted").decode()


def from_text(text: str) -> Any:
    """Parse a JSON text that the store wrote. Raises msgspec.DecodeError if it is damaged."""
    return msgspec.json.decode(text)


def object_from_text(text: str) -> dict[str, Any]:
    """Parse a JSON object that the store wrote. Raises msgspec.DecodeError if it isn't one any more."""
    return msgspec.json.decode(text, type=dict[str, Any])
