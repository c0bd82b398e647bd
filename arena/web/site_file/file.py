"""Opens the site's file, which lies next to the store: `arena.site.sqlite` of `arena.sqlite`.

It holds what the store must not: who has an account. Only its owner can read it. The server and commands such as
`arena accounts` write to it, each in short transactions. Each transaction opens the file anew, so a file that was
restored meanwhile is noticed.
"""

import os
import sqlite3
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from arena.core.errors import ArenaError
from results.base.clock import utc_now
from results.store.sqlite_file import full_disk, unwritable


class SiteFileError(ArenaError):
    """The site's file can't be used."""


class SiteFileUnwritable(SiteFileError):
    """The site's file can't be written to: the folder is read-only or the disk is full."""


_ACCOUNTS = """
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
CREATE TABLE attempts (
    what TEXT NOT NULL,
    key TEXT NOT NULL,
    at_s REAL NOT NULL
);
CREATE INDEX attempts_by_key ON attempts (what, key, at_s);
CREATE TABLE facts (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
"""

_UPLOADS = """
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
"""

_PLAYED_TABLES = """
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

MIGRATIONS: Sequence[str] = (_ACCOUNTS, _UPLOADS, _PLAYED_TABLES)
"""Step n makes version n, counted from 1."""


APPLICATION_ID = 0x41726553
"""Marks an SQLite file as a site's: the bytes "AreS"."""
BUSY_S = 5.0
"""How long a writer waits for another one."""

MOST_VALUE_BYTES = 64 * 2**20
"""Of one value or row; more is an error, whoever wrote the file."""

Transaction = sqlite3.Connection
"""What functions of this room work on: a connection inside a transaction of `SiteFile`."""


def site_file_of(store: Path) -> Path:
    """Return the path of the site's file: `arena.site.sqlite` of `arena.sqlite`."""
    return store.with_name(f"{store.stem}.site{store.suffix or '.sqlite'}")


class SiteFile:
    """The file of a site. May be used from several threads and processes."""

    def __init__(
        self, path: Path, now: Callable[[], str] = utc_now, migrations: Sequence[str] = MIGRATIONS
    ) -> None:
        """`now` returns the time of day in the format of `results.base.clock.utc_text`."""
        self.path = path
        self.now = now
        self._migrations = migrations

    @property
    def exists(self) -> bool:
        """Whether there is such a file."""
        return os.path.lexists(self.path)

    def prepare(self) -> None:
        """Create the file or upgrade it if needed. Raises SiteFileError if it can't be used, or isn't ours."""
        with self.writing() as connection:
            self._check_schema(connection)

    def _check_schema(self, connection: sqlite3.Connection) -> None:
        """Raise SiteFileError if the file defines anything that no Arena has put there, such as triggers."""
        with closing(sqlite3.connect(":memory:")) as ours:
            for step in self._migrations:
                ours.executescript(step)
            expected = frozenset(_defined(ours))
        for kind, name, _ in sorted(frozenset(_defined(connection)) - expected):
            raise SiteFileError(
                f"{self.path} has a {kind} {name!r} that Arena hasn't made",
                "restore a backup that you made, or move the file away; the server makes a new one without accounts",
            )

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """Yield a transaction that sees one state of the file; creates it if needed. Raises SiteFileError."""
        with self._transaction("BEGIN") as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Transaction]:
        """Yield a transaction that is committed at the end, or rolled back if an error passes through.

        Keep it short, because others wait. Raises SiteFileError.
        """
        if self.exists and (found := unwritable(self.path)):
            raise SiteFileUnwritable(
                found[0], "make the file and its folder writable for the user of the server"
            )
        with self._transaction("BEGIN IMMEDIATE") as connection:
            yield connection

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[Transaction]:
        with self._in_words():
            self._check_place()
            with closing(self._connect()) as connection:
                version = self._checked_version(connection)
                if version < len(self._migrations):
                    self._upgrade(connection)
                connection.execute(begin)
                try:
                    yield connection
                    connection.execute("COMMIT")
                except BaseException:
                    with suppress(sqlite3.Error):  # a full disk has rolled it back already
                        connection.execute("ROLLBACK")
                    raise

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
            raise SiteFileError(f"{self.path} is not a file", "move it away; the server makes a new one")
        if status.st_mode & 0o077:
            self.path.chmod(0o600)

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            f"{self.path.absolute().as_uri()}?mode=rw",
            uri=True,
            timeout=BUSY_S,
            isolation_level=None,
            check_same_thread=False,
        )
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_VALUE_BYTES)
        return connection

    def _checked_version(self, connection: sqlite3.Connection) -> int:
        """Return the version of the file's tables; 0 if it is empty."""
        (mark,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if mark != APPLICATION_ID:
            if mark or version or connection.execute("SELECT 1 FROM sqlite_master").fetchone():
                raise SiteFileError(
                    f"{self.path} is an SQLite file of another program",
                    "move it away; the server makes a new one",
                )
            return 0
        if version > len(self._migrations):
            raise SiteFileError(
                f"{self.path} was written by a newer Arena: it has version {version}, this one knows "
                f"{len(self._migrations)}",
                "upgrade Arena",
            )
        return int(version)

    def _upgrade(self, connection: sqlite3.Connection) -> None:
        """Bring the tables to the newest version, in one transaction."""
        connection.execute("BEGIN IMMEDIATE")
        try:
            version = self._checked_version(connection)  # another process may have been faster
            for step in self._migrations[version:]:
                for statement in _statements(step):
                    connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {len(self._migrations)}")
            connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        """Turn errors of SQLite and the machine into SiteFileError, each with what to do."""
        try:
            yield
        except OSError as error:
            full = full_disk(self.path, surely=False)
            message, hint = full or (
                f"{self.path} can't be used: {error.strerror}",
                "the folder of the store must be writable for the user of the server",
            )
            raise SiteFileUnwritable(message, hint) from error
        except sqlite3.Error as error:
            raise self._of_sqlite(error) from error

    def _of_sqlite(self, error: sqlite3.Error) -> SiteFileError:
        name = str(getattr(error, "sqlite_errorname", ""))
        if name.startswith(("SQLITE_FULL", "SQLITE_IOERR", "SQLITE_CANTOPEN")) and (
            full := full_disk(self.path, surely=name == "SQLITE_FULL")
        ):
            return SiteFileUnwritable(*full)
        if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
            return SiteFileUnwritable(
                f"{self.path} can't be written to", "make the file and its folder writable for the server"
            )
        if name.startswith("SQLITE_BUSY"):
            return SiteFileError(
                f"{self.path} has been locked by another process for {BUSY_S:.0f} seconds", "try again"
            )
        if name.startswith("SQLITE_NOTADB"):
            return SiteFileError(
                f"{self.path} is not an SQLite file",
                "restore it from a backup, or move it away; the server makes a new one without accounts",
            )
        if name.startswith("SQLITE_CORRUPT"):
            return SiteFileError(
                f"{self.path} is damaged: {error}",
                "restore it from a backup, or move it away; the server makes a new one without accounts",
            )
        return SiteFileError(f"{self.path}: {error}", "this is a bug in Arena: please report it")


def _statements(script: str) -> Iterator[str]:
    """Yield the statements of a script. Unlike `executescript`, running them leaves the transaction open."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _defined(connection: sqlite3.Connection) -> Iterator[tuple[str, str, str]]:
    """Yield what a file defines: the kind, the name, and the SQL without its spaces."""
    for kind, name, table, sql in connection.execute(
        "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master"
    ):
        if not (name.startswith("sqlite_") and (kind == "index" or table == name)):
            yield kind, name, "".join(sql.split())
