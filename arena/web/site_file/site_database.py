"""The site's file, which lies next to the store: `arena.site.sqlite` of `arena.sqlite`.

It holds what the store must not: who has an account. Only its owner can read it. The server and commands such as
`arena accounts` write to it, each in short transactions. Each transaction opens the file anew, so a file that was
restored meanwhile is noticed.
"""

import os
import re
import shutil
import sqlite3
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import fields
from pathlib import Path
from typing import TypeVar

from arena.core.errors import ArenaError
from results.base.clock import utc_now
from results.base.errors import LedgerError, NotAStore, StoreBusy, StoreDamaged, StoreFailed, StoreFull
from results.store.sqlite_file import (
    Definition,
    defined,
    full_disk,
    in_words,
    opened,
    refuse_foreign,
    transaction,
    unwritable,
    version_in,
)


class SiteFileError(ArenaError):
    """The site's file can't be used."""


class SiteFileUnwritable(SiteFileError):
    """The site's file can't be written to: the folder is read-only or the disk is full."""


_WRITABLE = "make the file and its folder writable for the user of the server"
_MOVE_AWAY = "move it away; the server makes a new one without accounts"
_OTHER_FILE = f"restore it from a backup, or {_MOVE_AWAY}"


def _of_the_site(error: LedgerError) -> SiteFileError:
    """Return an error about an SQLite file as one about the site's."""
    if isinstance(error, StoreFull):
        return SiteFileUnwritable(str(error), error.advice)
    if isinstance(error, StoreFailed):
        return SiteFileUnwritable(str(error), _WRITABLE)
    if isinstance(error, NotAStore | StoreDamaged):
        return SiteFileError(str(error), _OTHER_FILE)
    if isinstance(error, StoreBusy):
        return SiteFileError(str(error), "try again")
    return SiteFileError(str(error), "this is a bug in Arena: please report it")


_TABLES = """
CREATE TABLE accounts (
    name TEXT PRIMARY KEY,
    role TEXT NOT NULL CHECK (role IN ('author', 'organiser')),
    created_at TEXT NOT NULL,
    closed_at TEXT
);
CREATE TABLE tokens (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account TEXT NOT NULL REFERENCES accounts (name),
    hash TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL,
    created_by TEXT NOT NULL,
    expires_at TEXT,
    revoked_at TEXT,
    used_at TEXT
);
CREATE INDEX tokens_by_account ON tokens (account);
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account TEXT NOT NULL REFERENCES accounts (name),
    token INTEGER NOT NULL REFERENCES tokens (id),
    hash TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL,
    seen_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    ended_at TEXT,
    address TEXT NOT NULL,
    browser TEXT NOT NULL
);
CREATE INDEX sessions_by_account ON sessions (account);
CREATE TABLE commands (
    uuid TEXT PRIMARY KEY,
    account TEXT NOT NULL,
    kind TEXT NOT NULL,
    data TEXT NOT NULL,
    created_at TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'done', 'refused')),
    answer TEXT NOT NULL DEFAULT '',
    hint TEXT NOT NULL DEFAULT '',
    answered_at TEXT
);
CREATE INDEX commands_waiting ON commands (created_at) WHERE state = 'waiting';
CREATE INDEX commands_by_account ON commands (account, created_at);
CREATE TABLE audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    who TEXT NOT NULL,
    what TEXT NOT NULL,
    command TEXT,
    address TEXT NOT NULL
);
CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit
BEGIN SELECT RAISE (ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_is_never_shortened BEFORE DELETE ON audit
BEGIN SELECT RAISE (ABORT, 'the audit log is append-only'); END;
CREATE TABLE failed_sign_ins (
    address TEXT NOT NULL,
    at_s REAL NOT NULL
);
CREATE INDEX failed_sign_ins_by_address ON failed_sign_ins (address, at_s);
CREATE TABLE facts (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
CREATE TABLE uploads (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account TEXT NOT NULL REFERENCES accounts (name),
    archive TEXT NOT NULL,
    leagues TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN
        ('receiving', 'queued', 'reading', 'building', 'checking', 'entering', 'refused', 'broken')),
    created_at TEXT NOT NULL,
    ended_at TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    bot TEXT NOT NULL DEFAULT '',
    steps TEXT NOT NULL DEFAULT '[]',
    said TEXT NOT NULL DEFAULT '',
    build_log TEXT NOT NULL DEFAULT '',
    refusal TEXT,
    sha256 TEXT NOT NULL DEFAULT '',
    kept_bytes INTEGER NOT NULL DEFAULT 0,
    command TEXT,
    words TEXT NOT NULL DEFAULT ''
);
CREATE INDEX uploads_by_account ON uploads (account, number);
CREATE INDEX uploads_waiting ON uploads (number)
    WHERE state IN ('receiving', 'queued', 'reading', 'building', 'checking');
CREATE TABLE played_tables (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    game TEXT NOT NULL,
    uuid TEXT NOT NULL,
    started_at TEXT NOT NULL,
    ended_at TEXT,
    words TEXT NOT NULL DEFAULT ''
);
"""

_INVITATIONS = """
ALTER TABLE tokens ADD COLUMN is_invitation INTEGER NOT NULL DEFAULT 0;
"""

MIGRATIONS: Sequence[str] = (_TABLES, _INVITATIONS)
"""Step n makes version n, counted from 1."""


APPLICATION_ID = 0x41726553
"""Marks an SQLite file as a site's: the bytes "AreS"."""
BUSY_S = 5.0
"""How long a writer waits for another one."""

MOST_VALUE_BYTES = 64 * 2**20
"""Of one value or row; more is an error, whoever wrote the file."""

Kind = TypeVar("Kind")
Transaction = sqlite3.Connection
"""What functions of this room work on: a connection inside a transaction of `SiteFile`."""


def from_row(kind: type[Kind], row: sqlite3.Row, **values: object) -> Kind:
    """Return a row as a dataclass whose fields are columns; `values`: those that aren't."""
    names = [field.name for field in fields(kind) if field.name not in values]  # type: ignore[arg-type]  # a dataclass
    return kind(**{name: row[name] for name in names}, **values)


def fact(db: Transaction, name: str) -> str:
    """Return a value; empty if there is none."""
    row = db.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
    return "" if row is None else str(row["value"])


def note_fact(db: Transaction, name: str, value: str) -> None:
    """Write a value down, in place of an earlier one."""
    db.execute("INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)", (name, value))


_PLAIN = ("createtable", "createindex", "createuniqueindex")
"""How the tables and indexes of extensions are defined, without spaces; not as virtual tables."""


def _of_extensions(db: sqlite3.Connection, name: str = "*") -> frozenset[Definition]:
    """Return the tables and indexes of an extension, or of all: nothing that acts when others use the file."""
    theirs = "SELECT name FROM sqlite_master WHERE name GLOB ?1 AND tbl_name GLOB ?1"
    names = {plain for (plain,) in db.execute(theirs, (f"x_{name}_*",))}
    return frozenset(one for one in defined(db) if one[1] in names and one[2].startswith(_PLAIN))


def _steps_in(db: Transaction, extension: str) -> int:
    """Return how many steps of an extension have made its tables; 0 for none."""
    known = "SELECT CAST(value AS INTEGER) FROM facts WHERE name = ?"
    return next((int(steps) for (steps,) in db.execute(known, (f"x_{extension}",))), 0)


def remove_from_extensions(db: Transaction, account: str) -> None:
    """Remove what extensions keep of an account: the rows that have it in a column `account`, also of those not here.

    Rows that others of theirs refer to stay, because an account can always be closed.
    """
    columns = "SELECT t.name FROM sqlite_master AS t, pragma_table_info(t.name) AS c WHERE c.name = 'account'"
    for (table,) in db.execute(f"{columns} AND t.type = 'table' AND t.name GLOB 'x_*'").fetchall():
        quoted = str(table).replace('"', '""')
        with suppress(sqlite3.IntegrityError):
            db.execute(f'DELETE FROM "{quoted}" WHERE account = ?', (account,))  # noqa: S608 - quoted


def site_file_of(store: Path) -> Path:
    """Return the path of the site's file: `arena.site.sqlite` of `arena.sqlite`."""
    return store.with_name(f"{store.stem}.site{store.suffix or '.sqlite'}")


class SiteFile:
    """The file of a site. May be used from several threads and processes."""

    def __init__(
        self,
        path: Path,
        now: Callable[[], str] = utc_now,
        migrations: Sequence[str] = MIGRATIONS,
        known_as: Path | None = None,
    ) -> None:
        """`now` returns the time of day in the format of `results.base.clock.utc_text`; `known_as`: in messages."""
        self.path = path
        self.now = now
        self._migrations = migrations
        self._known_as = known_as or path

    @property
    def exists(self) -> bool:
        """Whether there is such a file."""
        return os.path.lexists(self.path)

    def prepare(self) -> None:
        """Create the file or upgrade it if needed. Raises SiteFileError if it can't be used, or isn't ours."""
        with self.writing() as connection, closing(sqlite3.connect(":memory:")) as ours:
            for step in self._migrations:
                ours.executescript(step)
            try:
                refuse_foreign(connection, defined(ours) | _of_extensions(connection), self._known_as)
            except NotAStore as error:
                raise SiteFileError(str(error), f"restore a backup that you made, or {_MOVE_AWAY}") from None

    def extend(self, name: str, steps: Sequence[str]) -> None:
        """Make or upgrade the tables of an extension.

        Step n makes version n, counted from 1. Raises SiteFileError if it defines anything but tables and indexes named
        `x_NAME_…`, or the file has other ones of that name.
        """
        with closing(sqlite3.connect(":memory:")) as ours:
            for step in steps:
                ours.executescript(step)
            own = _of_extensions(ours, name)
            if not re.fullmatch("[a-z][a-z0-9]*", name) or defined(ours) - own:
                raise SiteFileError(
                    f"{name} may have only tables and indexes whose names begin with x_{name}_",
                    "its name is lower-case letters and digits",
                )
        with self.writing() as db:
            if (known := _steps_in(db, name)) > len(steps):
                raise SiteFileError(
                    f"{self._known_as} was written by a newer version of {name}", "upgrade its package"
                )
            for statement in _statements("\n".join(steps[known:])):
                db.execute(statement)
            note_fact(db, f"x_{name}", str(len(steps)))
            if _of_extensions(db, name) != own:
                raise SiteFileError(
                    f"the tables of {name} in {self._known_as} aren't those that its package makes",
                    "install the version of its package that made them",
                )

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """Yield a transaction that sees one state of the file; creates it if needed. Raises SiteFileError."""
        with self._transaction() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Transaction]:
        """Yield a transaction that is committed at the end, or rolled back if an error passes through.

        Keep it short, because others wait. Raises SiteFileError.
        """
        if self.exists and (found := unwritable(self.path)):
            raise SiteFileUnwritable(found[0], _WRITABLE)
        with self._transaction(writes=True) as connection:
            yield connection

    @contextmanager
    def _transaction(self, *, writes: bool = False) -> Iterator[Transaction]:
        """Do either. SQLite's errors, and those of the machine, become a SiteFileError."""
        try:
            self._check_place()
            with closing(opened(self.path, "rw", timeout_s=BUSY_S)) as connection:
                connection.row_factory = sqlite3.Row
                connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_VALUE_BYTES)
                if self._version(connection) < len(self._migrations):
                    with transaction(connection, writes=True):
                        self._upgrade(connection)
                with transaction(connection, writes=writes):
                    yield connection
        except OSError as error:
            message, hint = full_disk(self.path, surely=False) or (
                f"{self.path} can't be used: {error.strerror}",
                "the folder of the store must be writable for the user of the server",
            )
            raise SiteFileUnwritable(message, hint) from error
        except sqlite3.Error as error:
            found = in_words(error, self._known_as, what="an SQLite file", timeout_s=BUSY_S)
            raise _of_the_site(found) from error

    def _check_place(self) -> None:
        """Create the file if there is none; refuse what isn't a plain file; let only its owner read it."""
        try:
            status = self.path.lstat()
        except FileNotFoundError:
            with suppress(FileExistsError):
                os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
            status = self.path.lstat()
        if stat.S_ISLNK(status.st_mode):
            raise SiteFileError(
                f"{self.path} is a link, so it isn't used", "put the file itself there, next to the store"
            )
        if not stat.S_ISREG(status.st_mode):
            raise SiteFileError(f"{self.path} is not a file", _MOVE_AWAY)
        if status.st_mode & 0o077:
            self.path.chmod(0o600)

    def _version(self, connection: sqlite3.Connection) -> int:
        """Return the version of the file's tables; 0 if it is empty."""
        try:
            version = version_in(connection, APPLICATION_ID, self._known_as)
        except NotAStore as error:
            raise SiteFileError(str(error), _MOVE_AWAY) from None
        if version > len(self._migrations):
            raise SiteFileError(
                f"{self._known_as} was written by a newer Arena: it has version {version}, this one knows "
                f"{len(self._migrations)}",
                "upgrade Arena",
            )
        return version

    def _upgrade(self, connection: sqlite3.Connection) -> None:
        """Bring the tables to the newest version, unless another process was faster."""
        for step in self._migrations[self._version(connection) :]:
            for statement in _statements(step):
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(self._migrations)}")


def _statements(script: str) -> Iterator[str]:
    """Yield the statements of a script. Unlike `executescript`, running them leaves the transaction open."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def copy_site_file(file: SiteFile, target: Path) -> None:
    """Copy the file to a new one that only its owner can read, even while others write. Raises SiteFileError."""
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    with file.reading() as db, closing(sqlite3.connect(target)) as copy:
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()  # from here on, nobody changes the file
        db.backup(copy)


@contextmanager
def checked_copy(backup: Path, place: Path) -> Iterator[Path]:
    """Yield a copy of a backup next to its place, in which all sessions have ended; at the end, remove it.

    Raises SiteFileError for a backup that is no such file, or has more in it than Arena puts there.
    """
    growing = place.with_name(f"{place.name}.restoring")
    growing.unlink(missing_ok=True)
    try:
        descriptor = os.open(growing, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with backup.open("rb") as source, os.fdopen(descriptor, "wb") as target:
            shutil.copyfileobj(source, target)
            target.flush()
            os.fsync(target.fileno())
        file = SiteFile(growing, known_as=backup)
        try:
            file.prepare()
        except SiteFileError as error:
            raise SiteFileError(str(error), "restore only backups that you made") from None
        with file.writing() as db:
            db.execute("UPDATE sessions SET ended_at = ? WHERE ended_at IS NULL", (file.now(),))
        yield growing
    finally:
        growing.unlink(missing_ok=True)
