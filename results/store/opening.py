"""Opens a store, or creates one that appears complete or not at all, and tells whether a file has changed."""

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from results.base.clock import utc_now
from results.base.errors import NotAStore, StoreBusy, StoreFailed, StoreFull, StoreMissing, StoreTooOld
from results.base.permissions import make_store
from results.store.database import VERSION, Connections, has_columns, use_wal, version_of_store
from results.store.sqlite_file import also_named, opened, too_new
from results.store.store import Store
from results.store.updating_derived_tables import catch_up

if TYPE_CHECKING:
    from results.store.upgrade import Migration


class Untouched(NamedTuple):
    """What a file looks like from outside; this differs once somebody has written to it."""

    inode: int
    size_bytes: int
    changed_ns: int
    log_bytes: int
    """The size of the file next to it that holds changes not yet carried over."""


def untouched(path: Path) -> Untouched:
    """Return the current look of a store's file. Raises OSError if it is unavailable."""
    now = path.stat()
    try:
        log_bytes = _log(path).stat().st_size
    except FileNotFoundError:
        log_bytes = 0
    return Untouched(now.st_ino, now.st_size, max(now.st_mtime_ns, now.st_ctime_ns), log_bytes)


def is_touched(path: Path, before: Untouched) -> bool:
    """Return whether a store's file has changed since."""
    try:
        return untouched(path) != before
    except OSError:  # it is gone
        return True


class Opened(NamedTuple):
    """A store that was opened for reading."""

    connections: Connections
    version: int
    """Version of its tables; 0 for a file without any."""
    untouched: Untouched | None
    """Its look when opened, if it is read as a file that never changes."""


def open_for_reading(path: Path, *, traceless: bool = False) -> Opened:
    """Open a store's file for reading; `traceless`: leave no file beside it. Raises NotAStore, StoreFailed."""
    if traceless and (before := _at_rest(path)) is not None:
        return _opened(path, before)
    try:
        return _opened(path, None)
    except StoreFailed as error:
        return _open_unchanging(path, error)


def _opened(path: Path, before: Untouched | None) -> Opened:
    """Open a file for reading, as one that never changes if its look is given."""
    connections = Connections(path, "ro", unchanging=before is not None)
    with _closing(connections):
        return Opened(connections, version_of_store(connections, path), before)


@contextmanager
def _closing(connections: Connections) -> Iterator[None]:
    """Close connections if an error passes through."""
    try:
        yield
    except BaseException:
        connections.close()
        raise


def _open_unchanging(path: Path, refused: StoreFailed) -> Opened:
    could_write = os.access(path.absolute().parent, os.W_OK) and not isinstance(refused, StoreFull)
    if not os.access(path, os.R_OK) or could_write:
        raise refused
    before = untouched(path)
    if before.log_bytes and isinstance(refused, StoreFull):
        raise refused
    if before.log_bytes:
        raise StoreFailed(
            f"{path} can't be read here: {_log(path).name} next to it holds changes that it lacks, and "
            "reading both requires a writable folder",
            f"copy both to a folder of your own, or merge them where the folder is writable: "
            f"arena db backup COPY --store {path}",
        ) from refused
    return _opened(path, before)


def _at_rest(path: Path) -> Untouched | None:
    """Return the look of a store's file if all changes are in it; None if there may be others next to it."""
    try:
        before = untouched(path)
        return None if _log(path).exists() else before
    except OSError:  # opening it will say what is wrong
        return None


def _log(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


@contextmanager
def new_store(path: Path, growing: Path, *, keep: bool = True) -> Iterator[Store]:
    """Create a store that appears at `path`, complete, when the context ends without an error.

    Until then it is at `growing`, which is removed afterwards unless the process is killed. With `keep` false, it never
    moves to `path`. Raises StoreBusy if another process has created a store at `path` in the meantime.
    """
    store = open_store(growing, create=True, known_as=path)
    try:
        try:
            yield store
        finally:
            store.close()
        if keep:
            _appear(growing, path)
    finally:
        for left in (growing, *(growing.with_name(growing.name + end) for end in ("-wal", "-shm"))):
            left.unlink(missing_ok=True)


def _appear(growing: Path, path: Path) -> None:
    """Rename a file, unless the new name is taken."""
    try:
        also_named(growing, path)
    except FileExistsError:
        raise StoreBusy(
            f"another process has made a store at {path} meanwhile", "run the same command again"
        ) from None
    except OSError as error:
        raise StoreFailed(f"{path} can't be made: {error.strerror}", "check folder and disk") from error


def open_store(
    path: Path | str,
    *,
    create: bool = False,
    readonly: bool = False,
    traceless: bool = False,
    now: Callable[[], str] = utc_now,
    migrations: "Sequence[Migration] | None" = None,
    known_as: Path | None = None,
) -> Store:
    """Open a store.

    `known_as`: the path to show in messages and to keep its files next to, if it differs from `path`.
    `create`: create it if it doesn't exist · `readonly`: change nothing, not even by an upgrade ·
    `traceless`, with `readonly`: leave no file next to it either; reads raise StoreBusy once somebody writes to it ·
    `now`: the time of day as text. Unless opened for reading only, a store of an older version is
    upgraded, after a backup next to it.

    Raises StoreMissing, NotAStore, StoreTooNew, StoreTooOld (for reading only), StoreBusy, StoreFailed.
    """
    path = Path(path)
    check_place(path, create=create and not readonly)
    newest = migrations[-1].number if migrations else VERSION
    if readonly:
        return _open_for_reading(path, newest, now, traceless=traceless)
    if create:
        make_store(path)
    connections = Connections(path, "rw")
    with _closing(connections):
        found = version_of_store(connections, path)
        _check_version(path, found, newest, may_be_empty=create)
        store = Store(known_as or path, connections, newest, readonly=False, now=now)
        use_wal(connections, path)
        if found != VERSION or migrations is not None or not has_columns(connections, path):
            from results.store.upgrade import MIGRATIONS, upgrade

            if upgrade(connections, path, now, migrations or MIGRATIONS):
                catch_up(store)
    return store


def _open_for_reading(path: Path, newest: int, now: Callable[[], str], *, traceless: bool) -> Store:
    connections, version, before = open_for_reading(path, traceless=traceless)
    with _closing(connections):
        _check_version(path, version, newest, may_be_empty=False)
        if version < newest:
            raise StoreTooOld(
                f"{path} is of version {version}, this program reads version {newest}",
                "upgrade it with a command that writes, such as `arena db rebuild`, which makes a backup first",
            )
    touched = None if before is None else partial(is_touched, path, before)
    return Store(path, connections, newest, readonly=True, now=now, is_touched=touched)


def _check_version(path: Path, found: int, newest: int, *, may_be_empty: bool) -> None:
    if found > newest:
        raise too_new(path, found, newest)
    if found == 0 and not may_be_empty:
        raise NotAStore(f"{path} holds no tables", "pass another file with --store")


def check_place(path: Path, *, create: bool) -> None:
    """Raise an error if there can't be a store at this path, as far as that is known without opening it."""
    try:
        if path.is_dir():
            raise NotAStore(f"{path} is a folder", "a store is a file, such as arena.sqlite")
        if path.exists():
            if path.stat().st_size == 0 and not create:
                raise NotAStore(f"{path} is empty", "pass another file with --store")
            return
    except OSError as error:
        raise StoreFailed(
            f"{path} can't be opened: {error.strerror}", "check the permissions of its folders"
        ) from error
    if not create:
        raise StoreMissing(
            f"there is no store at {path.absolute()}",
            "go to the folder of your store, or name it with --store or ARENA_STORE; "
            "`arena league create` or `arena submit` creates one",
        )
    if not path.absolute().parent.is_dir():
        raise StoreMissing(f"there is no folder {path.absolute().parent}", "create it first")


class Watch:
    """Looks at one store's file. May be used from several threads."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._inode = -1
        self._opened = 0

    def version(self) -> tuple[int, int] | None:
        """Return a value that differs once the file was changed or replaced; None if it is missing or unreadable."""
        with self._lock:
            try:
                inode = self._path.stat().st_ino
                if self._connection is None or inode != self._inode:
                    self._close()
                    self._connection = opened(self._path, timeout_s=1.0)
                    self._inode = inode
                    self._opened += 1
                ((changes,),) = self._connection.execute("PRAGMA data_version").fetchall()
            except (OSError, sqlite3.Error):
                self._close()
                return None
            return self._opened, int(changes)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
        self._connection = None
