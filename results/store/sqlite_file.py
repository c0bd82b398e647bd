"""SQLite files of any kind: opening, checking, replacing and telling in plain words what is wrong with them.

SQLite itself doesn't say whether a disk is full, why a file can't be written, and whether it has a known bug.
"""

import errno
import os
import sqlite3
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from results.base.advice import Advice, run
from results.base.errors import (
    LedgerError,
    NotAStore,
    StoreBusy,
    StoreDamaged,
    StoreFailed,
    StoreFull,
    StoreTooNew,
)
from results.base.permissions import created

BUSY_TIMEOUT_MS = 10_000
"""How long a writer waits for another one."""
VERIFY = Advice("run ", run("db verify"), " to find the value and how to fix it")

Definition = tuple[str, str, str]
"""What a file defines: its kind, its name, and its SQL without differences in spaces, quotes and case."""


class Connection(sqlite3.Connection):
    """SQLite's connection, which knows the columns of tables. Its rows are plain tuples."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._columns: dict[str, dict[str, int]] = {}

    def columns(self, table: str) -> Mapping[str, int]:
        """Return the columns of a table in order, each with its place in the primary key, from 1; 0: not in it."""
        if table not in self._columns:
            info = self.execute("SELECT name, pk FROM pragma_table_info(?)", (table,))
            self._columns[table] = dict(info.fetchall())
        return self._columns[table]

    def keys(self, table: str) -> list[str]:
        """Return the columns of a table's primary key, in order."""
        places = self.columns(table)
        return sorted(filter(places.__getitem__, places), key=places.__getitem__)


def opened(
    path: Path,
    mode: str = "ro",
    *,
    unchanging: bool = False,
    timeout_s: float | None = None,
) -> Connection:
    """Return a connection to a file, without transactions of its own; `mode`: `ro` or `rw`.

    `unchanging`: assume that nobody writes to the file, and use no locks or extra files. `timeout_s`: how long to wait
    for a writer; by default `BUSY_TIMEOUT_MS`.
    """
    uri = f"{path.absolute().as_uri()}?mode={mode}{'&immutable=1' if unchanging else ''}"
    timeout_s = BUSY_TIMEOUT_MS / 1000 if timeout_s is None else timeout_s
    connection = sqlite3.connect(
        uri, uri=True, timeout=timeout_s, isolation_level=None, check_same_thread=False, factory=Connection
    )
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection, *, writes: bool = False) -> Iterator[None]:
    """Run the block in a transaction, which an error rolls back; `writes`: take the write lock at once."""
    connection.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
    try:
        yield
        if connection.in_transaction:
            connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # otherwise SQLite has undone all of it: a full disk
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
        raise


def version_in(connection: sqlite3.Connection, mark: int, path: Path) -> int:
    """Return the version of the tables in a file with our `mark`; 0 for an empty file. Raises NotAStore for others."""
    ((found,),) = connection.execute("PRAGMA application_id")
    ((version,),) = connection.execute("PRAGMA user_version")
    if found == mark:
        return int(version)
    if connection.execute("SELECT 1 FROM sqlite_master").fetchone():
        raise NotAStore(f"{path} is an SQLite file of another program", "pass another file with --store")
    return 0


def too_new(path: Path, found: int, known: int) -> StoreTooNew:
    """Return the error for a file whose version this program doesn't know."""
    return StoreTooNew(
        f"{path} was written by a newer program: it has version {found}, this program knows {known}",
        "upgrade Arena, or use another store",
    )


def other_tables(path: Path, why: str) -> StoreFailed:
    """Return the error for a file that has the right version, but not its tables."""
    return StoreFailed(
        f"{path} was made by another version of Arena: its tables are different ({why})",
        "open it with the version that made it, or use a new store; before 1.0, stores can't be upgraded",
    )


def defined(connection: sqlite3.Connection) -> frozenset[Definition]:
    """Return what a file defines."""
    rows = connection.execute("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master")
    return frozenset(
        (kind, name, "".join(sql.translate(_QUOTES).split()).lower())
        for kind, name, table, sql in rows
        if not (name.startswith(_OF_SQLITE) and (kind == "index" or table == name))
    )


_OF_SQLITE = "sqlite_"
"""Names that only SQLite itself can give."""
_QUOTES = str.maketrans("", "", "\"`'")


def refuse_foreign(connection: sqlite3.Connection, own: frozenset[Definition], known_as: Path) -> None:
    """Raise NotAStore if a file defines anything that no Arena has put there, such as a trigger.

    `own`: what a file of ours defines · `known_as`: the file in messages.
    """
    for kind, name, _ in sorted(defined(connection) - own):
        raise NotAStore(
            f"{known_as} has a {kind} {name!r} that Arena hasn't made", "restore only backups that you made"
        )


_BESIDE = ("-wal", "-shm", "-journal")
"""Suffixes of SQLite's own files next to a file; they belong to that one alone."""


def put_in_place(path: Path, growing: Path) -> Path | None:
    """Give a new file the name of another one; return the new path of that one, None if there was none.

    The old file may be damaged. It is never overwritten, and keeps its name until the new one takes it. Raises OSError,
    and StoreBusy if somebody writes to it.
    """
    aside = None
    if path.exists():
        with path.open("rb") as file:
            is_sqlite = file.read(16) == b"SQLite format 3\x00"
        if is_sqlite:  # SQLite would delete the log next to a file that it can't read
            _settle(path)
        growing.chmod(stat.S_IMODE(path.stat().st_mode) | 0o600)
        aside = _lay_aside(path)
    else:
        growing.chmod(0o600)  # whoever may read the backup
    # Otherwise SQLite would apply changes of the old file to the new one.
    for end in _BESIDE:
        path.with_name(path.name + end).unlink(missing_ok=True)
    growing.replace(path)
    return aside


def _settle(path: Path) -> None:
    """Wait for writers, then let SQLite carry over all changes, so that the store is a single file."""
    with (
        suppress(sqlite3.DatabaseError),  # an unreadable file is renamed as it is
        closing(opened(path, "rw")) as connection,
    ):
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorname.startswith("SQLITE_BUSY"):
                raise in_words(error, path) from error
            raise


def _lay_aside(path: Path) -> Path:
    """Give a file, with SQLite's files next to it, a free name; return it."""
    number = 1
    while True:
        aside = path.with_name(f"{path.name}.before-restore-{number}")
        number += 1
        if any(os.path.lexists(aside.with_name(aside.name + end)) for end in ("", *_BESIDE)):
            continue
        try:
            also_named(path, aside)
        except FileExistsError:
            continue
        log = path.with_name(f"{path.name}-wal")
        for end in _BESIDE if not log.exists() or log.stat().st_size > 0 else ():  # an empty log is of no use
            with suppress(FileNotFoundError):
                also_named(path.with_name(path.name + end), aside.with_name(aside.name + end))
        return aside


def also_named(path: Path, name: Path) -> None:
    """Give a file a second name, or rename it if the file system has no links. Raises FileExistsError."""
    try:
        os.link(path, name)
    except (FileExistsError, FileNotFoundError):
        raise
    except OSError:
        if os.path.lexists(name):
            raise FileExistsError(name) from None
        path.rename(name)


def in_words(
    error: Exception, path: Path, *, what: str = "a store", timeout_s: float | None = None
) -> LedgerError:
    """Return an error of SQLite in plain words; `what`: the kind of file, `timeout_s`: as `opened`."""
    waited_s = BUSY_TIMEOUT_MS / 1000 if timeout_s is None else timeout_s
    name = str(getattr(error, "sqlite_errorname", ""))
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
            f"has been locked by another process for {waited_s:.0f} seconds",
            "wait until it is done, then try again; nothing was written",
        ),
        ("SQLITE_NOTADB", NotAStore, f"is not {what}", "pass another file with --store"),
        (
            "SQLITE_CORRUPT",
            StoreDamaged,
            f"is damaged: {error}",
            "restore a backup, or save what can be read with `sqlite3 FILE .recover`",
        ),
        ("SQLITE_READONLY", StoreFailed, "can't be written to", "check its permissions"),
        ("SQLITE_CANTOPEN", StoreFailed, "can't be opened", "check the permissions of file and folder"),
    ):
        if name.startswith(prefix):
            return kind(f"{path} {message}", hint)
    if name.startswith("SQLITE_IOERR"):
        return StoreFailed(f"{path}: the disk failed: {error}", "check the disk")
    if "decode to UTF-8" in str(error):
        return StoreDamaged(f"{path} is damaged: a text is not UTF-8 ({error})", VERIFY)
    if any(words in str(error) for words in ("no such column", "no such table")):
        return other_tables(path, str(error))
    a_bug = Advice("this is a bug in Arena; check the store with ", run("db verify"))
    return LedgerError(f"{path}: {error}", a_bug)


ENOUGH_BYTES = 16_000_000
"""Enough for any single change of a store: SQLite's log of changes and its temporary files."""

_PROBE_BYTES = 65_536


def full_disk(path: Path, *, surely: bool) -> tuple[str, str] | None:
    """Return what is full and what to do, in words, or None if nothing is full.

    `path`: the file that was written to · `surely`: SQLite reported a full disk; otherwise this is tested by
    writing a little.
    """
    folder = path.absolute().parent
    if _is_full(folder):
        return _told(path, folder, "")
    for name in ("SQLITE_TMPDIR", "TMPDIR"):
        if (place := os.environ.get(name)) and _is_full(Path(place)):
            return _told(path, Path(place), f", where temporary files are made ({name})")
    return _told(path, folder, "") if surely else None


def _told(path: Path, folder: Path, why: str) -> tuple[str, str]:
    place = _file_system(folder)
    hint = (
        f"make room there, {ENOUGH_BYTES / 1e6:.0f} MB at least, then run the same command again; nothing was half "
        "written"
    )
    try:
        room = os.statvfs(folder)
    except OSError:
        return f"{path}: the disk is full: {place}{why}", hint
    free_bytes = room.f_bavail * room.f_frsize
    if room.f_files and not room.f_favail:
        return f"{path}: the disk is full: there is no room for another file on {place}{why}", hint
    if free_bytes > ENOUGH_BYTES:
        return (
            f"{path}: the disk is full, though {free_bytes / 1e6:.0f} MB are free on {place}{why}: there is a quota, "
            "or a bound on the size of a file",
            "raise it, or put the store elsewhere, then run the same command again; nothing was half written",
        )
    return f"{path}: the disk is full: {free_bytes / 1e6:.1f} MB are free on {place}{why}", hint


def _is_full(folder: Path) -> bool:
    """Return whether a folder has no room for even a little more."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(_PROBE_BYTES))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        return error.errno in (errno.ENOSPC, errno.EDQUOT)
    return False


def _file_system(folder: Path) -> str:
    """Return the mount point of a folder's file system."""
    place = folder.resolve()
    while not place.is_mount() and place != place.parent:
        place = place.parent
    return f"the file system {place}"


def refuse_read_only(path: Path) -> None:
    """Raise StoreFailed for a store that certainly can't be written to, before doing any work."""
    if found := unwritable(path):
        raise StoreFailed(*found)


def unwritable(path: Path) -> tuple[str, str] | None:
    """Return why a store can't be written to and what to do, in words, or None if no reason is found."""
    folder = path.absolute().parent
    there = path.exists()
    if there and not os.access(path, os.R_OK):
        return None
    place = path if there else folder
    what = f"{path} can't be {'written to' if there else 'made'}"
    hint = "pass a writable path with --store"
    if there:
        hint = (
            f"commands that only read still work; to continue, copy {path.name} and {path.with_suffix('.files').name} "
            "to a folder of your own and pass the copy with --store"
        )
    try:
        if os.statvfs(place).f_flag & os.ST_RDONLY:
            return f"{what}: the file system of {place.absolute()} is mounted read-only", hint
    except OSError:
        return None
    if there and not os.access(path, os.W_OK):
        return (
            f"{what}: you have no write permission for this file",
            f"if it is yours: chmod u+w {path}; {hint}",
        )
    if not os.access(folder, os.W_OK | os.X_OK) and not path.with_name(f"{path.name}-wal").exists():
        made = "SQLite creates files next to the store" if there else "that is where the store would be"
        return f"{what}: you have no write permission for the folder {folder}, and {made}", hint
    return None


_FIRST, _FIXED = (3, 7, 0), (3, 51, 3)
_NOTE = "warned-of-sqlite"
_FIXED_BRANCHES: dict[tuple[int, ...], tuple[int, int, int]] = {(3, 50): (3, 50, 7), (3, 44): (3, 44, 6)}


def has_wal_reset_bug(version: tuple[int, ...]) -> bool:
    """Return whether this version of SQLite has the bug."""
    fixed = _FIXED_BRANCHES.get(version[:2], _FIXED)
    return _FIRST <= version < fixed


def bug_warning() -> str | None:
    """Return a line for people if this process uses an SQLite with the bug, which says what to do; None if not."""
    if not has_wal_reset_bug(sqlite3.sqlite_version_info):
        return None
    return (
        f"SQLite {sqlite3.sqlite_version} has a bug that can damage a file if two programs write to it at the same "
        "moment; Arena lets only one write, which makes that very unlikely; use a Python with SQLite 3.51.3 or newer "
        "to be sure"
    )


def new_bug_warning(files: Path) -> str | None:
    """Return `bug_warning` if it is new for this store and SQLite, and note it in its folder; None if not."""
    line, note = bug_warning(), files / _NOTE
    if line is None:
        return None
    with suppress(OSError, UnicodeDecodeError):  # there is no note yet
        if note.read_text() == sqlite3.sqlite_version:
            return None
    with suppress(OSError), os.fdopen(created(note), "w") as file:  # otherwise it is said again
        file.write(sqlite3.sqlite_version)
    return line


def sqlite_version() -> str:
    """Return the version of SQLite that this process uses."""
    return sqlite3.sqlite_version
