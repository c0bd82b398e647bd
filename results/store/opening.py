"""Opens a store, or creates one that appears complete or not at all."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from results.clock import utc_now
from results.errors import NotAStore, StoreBusy, StoreFailed, StoreMissing
from results.permissions import make_store
from results.store.database import (
    VERSION,
    Database,
    connect,
    too_new,
    too_old,
    use_wal,
    version_of_store,
)
from results.store.readonly import is_touched, open_for_reading
from results.store.store import Store

if TYPE_CHECKING:
    from results.store.upgrade import Migration


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
        try:
            os.link(growing, path)
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            if path.exists():
                raise FileExistsError from None
            growing.replace(path)
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
    from results.store.rebuilding import catch_up
    from results.store.upgrade import MIGRATIONS, upgrade

    if create:
        make_store(path)
    engine = connect(path, "rw")
    try:
        _check_version(path, version_of_store(engine, path), newest, may_be_empty=create)
        database = Database(known_as or path, engine, newest, readonly=False, now=now)
        use_wal(engine, path)
        if upgrade(engine, path, now, migrations or MIGRATIONS):
            catch_up(database)
    except BaseException:
        engine.dispose()
        raise
    return Store(database)


def _open_for_reading(path: Path, newest: int, now: Callable[[], str], *, traceless: bool) -> Store:
    engine, version, before = open_for_reading(path, traceless=traceless)
    try:
        _check_version(path, version, newest, may_be_empty=False)
        if version < newest:
            raise too_old(path, version, newest)
    except BaseException:
        engine.dispose()
        raise
    touched = None if before is None else partial(is_touched, path, before)
    return Store(Database(path, engine, newest, readonly=True, now=now, is_touched=touched))


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
