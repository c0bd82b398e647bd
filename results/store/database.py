"""The file: opening it, transactions, and SQLite's errors in plain words.

There is one writer at a time and any number of readers (WAL). A transaction sees a
single state of the file from its first statement to its last.
"""

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar, get_args, get_type_hints

import msgspec

from results.base.errors import LedgerError, StoreBusy, StoreDamaged, StoreFailed, UnknownInStore
from results.base.permissions import FILES_SUFFIX, created
from results.store.sqlite_file import VERIFY, Connection, in_words, opened, too_new, transaction, version_in

APPLICATION_ID = 0x4172656E
"""Marks an SQLite file as a store: the bytes "Aren"."""
VERSION = 1
"""The version of the tables that this program knows."""
COLUMNS = "98dd139e145e397f"
"""The hash of all columns of that version; whoever opens such a file needn't load the declarations of its tables."""

LOG_PAGES = 8192
"""Changes of so many pages, 32 MiB, are carried over together: pages of totals change again and again meanwhile."""
CACHE_KIB = 8192
"""So much of the file a writer keeps in memory: the pages of one transaction of some hundred games. With SQLite's 2 MiB
it would write some of them twice."""


class MissingColumn(AttributeError, sqlite3.OperationalError):
    """A file lacks a column, as one of another version does."""


class Row(sqlite3.Row):
    """A row whose columns are attributes: values as SQLite keeps them, so flags are 0 or 1."""

    __slots__ = ()

    def __getattr__(self, column: str) -> Any:
        try:
            return self[column]
        except IndexError:
            raise MissingColumn(f"no such column: {column}") from None


class Connections:
    """The connections to one file, each used by one thread at a time; a few are kept open."""

    def __init__(self, path: Path, mode: str, *, unchanging: bool = False) -> None:
        """Open nothing yet; for the arguments see `sqlite_file.opened`."""
        self._path = path
        self._mode = mode
        self._unchanging = unchanging
        self._idle: list[Connection] = []
        self._lock = threading.Lock()

    @contextmanager
    def using(self) -> Iterator[Connection]:
        """Yield a connection outside of a transaction."""
        with self._lock:
            connection = self._idle.pop() if self._idle else None
        connection = connection or self._open()
        try:
            yield connection
        finally:
            with self._lock:
                is_kept = not connection.in_transaction and len(self._idle) < _MOST_IDLE
                if is_kept:
                    self._idle.append(connection)
            if not is_kept:
                connection.close()

    @contextmanager
    def transaction(self, *, writes: bool = False) -> Iterator[Connection]:
        """Yield a connection that sees a single state of the file; for `writes`, see `sqlite_file.transaction`."""
        with self.using() as connection, transaction(connection, writes=writes):
            yield connection

    def close(self) -> None:
        """Close those that nobody uses."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _open(self) -> Connection:
        connection = opened(self._path, self._mode, unchanging=self._unchanging)
        connection.execute("PRAGMA synchronous = NORMAL")
        if self._mode != "ro":
            connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
            connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        return connection


_MOST_IDLE = 5


def rows(connection: Connection, text: str, **values: Any) -> list[Any]:
    """Return the rows of a statement with named values, as tuples."""
    return connection.execute(text, values).fetchall()


def named_rows(connection: Connection, text: str, **values: Any) -> list[Row]:
    """Return the rows of a statement with named values, as rows with attributes."""
    cursor = connection.cursor()
    cursor.row_factory = Row
    return cursor.execute(text, values).fetchall()


def value(connection: Connection, text: str, **values: Any) -> Any:
    """Return the first value of the first row of a statement with named values; None if there is no row."""
    row = connection.execute(text, values).fetchone()
    return None if row is None else row[0]


def write(connection: Connection, text: str, many: Sequence[Any]) -> int:
    """Run a statement once for each of several tuples of values, or mappings by name; return how many rows changed."""
    return connection.executemany(text, many).rowcount if many else 0


def insert(connection: Connection, table: str, many: Sequence[Sequence[Any]], otherwise: str = "") -> int:
    """Add complete rows to a table; return how many. `otherwise`: what to do where the key exists, in SQL."""
    return write(connection, f"{inserting(connection, table)} {otherwise}", many)


def inserting(connection: Connection, table: str) -> str:
    """Return the statement that adds a complete row to a table, given its values in column order."""
    names = connection.columns(table)
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' for _ in names)})"


def insert_or(
    connection: Connection, table: str, many: Sequence[Sequence[Any]], combined: Callable[[str], str]
) -> None:
    """Add rows to a table; where the key exists, each other column becomes the expression for its name."""
    values = ", ".join(
        f"{name} = {combined(name)}" for name, place in connection.columns(table).items() if not place
    )
    keys = ", ".join(connection.keys(table))
    insert(connection, table, many, f"ON CONFLICT ({keys}) DO UPDATE SET {values}")


def replaced(name: str) -> str:
    """Return the expression of a column that new rows replace."""
    return f"excluded.{name}"


def summed(name: str) -> str:
    """Return the expression of a column to which new rows are added; `max_` columns keep the larger value.

    Scores may have decimals: their sum is that of `scoring.added`.
    """
    if name.startswith("max_"):
        return f"max({name}, excluded.{name})"
    total = f"{name} + excluded.{name}"
    return f"iif(typeof({total}) = 'real', round({total}, 4), {total})" if name == "score" else total


def use_wal(connections: Connections, path: Path) -> None:
    """Put the file into WAL mode permanently, so readers and the writer don't wait. Raises StoreFailed."""
    with translated(path), connections.using() as connection:
        mode = value(connection, "PRAGMA journal_mode")
        if mode != "wal":
            mode = value(connection, "PRAGMA journal_mode = WAL")
    if mode != "wal":
        raise StoreFailed(
            f"{path}: this file system can't hold a store (journal mode {mode})",
            "put the store on a local disk, not on a network drive",
        )


def version_of(connection: Connection) -> int:
    """Return the version of the file's tables; 0 if there are none."""
    return int(value(connection, "PRAGMA user_version"))


def version_of_store(connections: Connections, path: Path) -> int:
    """Return the version of the file's tables; 0 for an empty file. Raises NotAStore for another program's file."""
    with translated(path), connections.transaction() as connection:
        return version_in(connection, APPLICATION_ID, path)


def columns_of(connection: Connection) -> list[str]:
    """Return the names of all columns of a file, such as `match.deal_no`, in order."""
    text = "SELECT of.name || '.' || one.name FROM sqlite_master AS of JOIN pragma_table_info(of.name) AS one"
    return [name for (name,) in connection.execute(f"{text} WHERE of.name NOT LIKE 'sqlite%' ORDER BY 1")]


def has_columns(connections: Connections, path: Path) -> bool:
    """Return whether a file has exactly the columns of the newest version."""
    with translated(path), connections.transaction() as connection:
        return sha256("\n".join(columns_of(connection)).encode()).hexdigest().startswith(COLUMNS)


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
    except sqlite3.Error as error:
        raise in_words(error, path) from error


def copy(connections: Connections, path: Path, target: Path) -> None:
    """Copy a store, even while it is being written to; the target appears complete or not at all."""
    part = target.with_name(target.name + ".part")
    try:
        with translated(target):
            with suppress(OSError):  # SQLite then says what is wrong
                os.close(created(part, like=path))
            with connections.using() as connection, closing(sqlite3.connect(part)) as destination:
                _fill(destination, connection, target, path)
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


@contextmanager
def undoing(connection: Connection) -> Iterator[None]:
    """Undo what the block does to a transaction if an error passes through."""
    connection.execute("SAVEPOINT inner")
    try:
        yield
    except BaseException:
        if connection.in_transaction:  # otherwise SQLite has undone all of it: a full disk
            connection.execute("ROLLBACK TO inner")
            connection.execute("RELEASE inner")
        raise
    connection.execute("RELEASE inner")


def files_beside(store: Path) -> Path:
    """Return the folder next to a store for versions, logs and locks: `arena.files` of `arena.sqlite`."""
    return store.with_suffix(FILES_SUFFIX)


class Database:
    """An open store file; every `Part` of a store works on it."""

    def __init__(
        self,
        path: Path,
        connections: Connections,
        version: int,
        *,
        readonly: bool,
        now: Callable[[], str],
        is_touched: Callable[[], bool] | None = None,
    ) -> None:
        """Use the connections to a file of the given version; `now` returns the time of day as text.

        For a file that is read without locks, `is_touched` says whether somebody has written to it since.
        """
        self._is_touched = is_touched
        self.path = path
        self.readonly = readonly
        self.connections = connections
        self._version = version
        self.now = now
        """Return the time of day as text."""
        self._together: Connection | None = None
        self.writes = 0
        """How many transactions that may write this object has begun. The lock holder sees no change meanwhile."""
        self.played: list[str] = []
        """The uuids of the leagues that are being played with it."""

    @property
    def files(self) -> Path:
        """The folder next to the store for versions, logs and locks: `arena.files` of `arena.sqlite`."""
        return files_beside(self.path)

    @contextmanager
    def together(self, *, adds: bool = True) -> Iterator[None]:
        """Run everything inside the block in one transaction, which an error rolls back; `adds` as for `changing`.

        Inside another such block, it is part of that one's transaction; an error undoes what the inner block did.
        """
        if self._together is not None:
            with translated(self.path), undoing(self._together):
                yield
            return
        with self.changing(adds=adds) as connection:
            self._together = connection
            try:
                yield
            finally:
                self._together = None

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Return a connection that sees a single state of the ledger. For the parts of the store."""
        if self._together is not None:
            with translated(self.path):
                yield self._together
            return
        with self._undisturbed(), translated(self.path), self.connections.transaction() as connection:
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
        if self._together is not None:
            with translated(self.path):
                yield self._together
            return
        if adds:
            from results.store.schema.checked_rows import prepare_adding

            prepare_adding()
        self.writes += 1
        with translated(self.path), self.connections.transaction(writes=True) as connection:
            self._check_version(connection)
            yield connection

    @property
    def is_together(self) -> bool:
        """Whether a block of `together` is being run."""
        return self._together is not None

    def close(self) -> None:
        """Close the file. Leaving it open or killing the process loses nothing."""
        self.connections.close()

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
    """Return a row as a record whose fields are columns of it, but for the given values; flags become truth values."""
    if kind not in _FLAGS:
        _FLAGS[kind] = {
            name for name, hint in get_type_hints(kind).items() if bool in (hint, *get_args(hint))
        }
    found = {name: getattr(row, name) for name in kind.__struct_fields__ if name not in values}
    for name in _FLAGS[kind] & found.keys():
        found[name] = None if found[name] is None else bool(found[name])
    return kind(**found, **values)


_FLAGS: dict[type[msgspec.Struct], set[str]] = {}


def to_text(value: object) -> str:
    """Return a value as canonical JSON. Raises TypeError for values that JSON can't hold."""
    return msgspec.json.encode(value, order="sorted").decode()


def from_text(text: str) -> Any:
    """Parse a JSON text that the store wrote. Raises msgspec.DecodeError if it is damaged."""
    return msgspec.json.decode(text)


def object_from_text(text: str) -> dict[str, Any]:
    """Parse a JSON object that the store wrote. Raises msgspec.DecodeError if it isn't one any more."""
    return msgspec.json.decode(text, type=dict[str, Any])
