"""Makes the tables of a new store, upgrades an older one, and restores a backup."""

import os
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path

from msgspec import Struct

from results.base.advice import Advice, run
from results.base.clock import utc_now
from results.base.errors import NotAStore, StoreDamaged, StoreFailed, StoreMissing
from results.store.beside_store import VERIFIED_FILE, Cache, remove_notes
from results.store.database import (
    APPLICATION_ID,
    VERSION,
    Connections,
    copy,
    files_beside,
    translated,
    version_of,
    version_of_store,
)
from results.store.opening import open_for_reading
from results.store.schema.all_tables import definitions, refuse_other_tables
from results.store.schema.checked_rows import seal_rows
from results.store.segments.files import SEGMENTS, copy_missing
from results.store.segments.lookup import segments_in
from results.store.sqlite_file import (
    Connection,
    Definition,
    defined,
    opened,
    put_in_place,
    refuse_foreign,
    too_new,
    transaction,
)
from results.store.store_lock import holding, serving


class Migration(Struct, frozen=True):
    """One step from version `number` − 1 to `number`."""

    number: int
    name: str
    apply: Callable[[Connection], None]
    """Changes the tables within the given transaction, and seals the rows that it changes. It empties derived tables
    that change and sets `progress.next_match_no` to 0; the fold fills them again."""


MIGRATIONS: tuple[Migration, ...] = ()
"""All steps, in order, numbered from 2 without gaps to `VERSION`. A released step never changes."""


def create_tables(connection: Connection) -> None:
    """Make all tables, indexes and views of the newest version."""
    for statement in definitions():
        connection.execute(statement)


def upgrade(
    connections: Connections,
    path: Path,
    now: Callable[[], str],
    migrations: Sequence[Migration] = MIGRATIONS,
    *,
    keeps_backup: bool = True,
) -> bool:
    """Upgrade the file to the newest version, or create the tables in an empty one. Return whether it was older.

    Before the first step, the file is copied to `backup_path`, unless told not to. A step that fails leaves the file
    as it was before the step, and its error passes through. Raises StoreTooNew if the file's version is beyond the
    last step, NotAStore for a file of another program.
    """
    found = version_of_store(connections, path)
    newest = migrations[-1].number if migrations else VERSION
    if found > newest:
        raise too_new(path, found, newest)
    if not found:
        _step(connections, path, Migration(newest, "new store", create_tables), now(), None)
        return False
    if found == newest:
        with translated(path), connections.transaction() as connection:
            refuse_other_tables(connection, path)
    backup = backup_path(path, found) if keeps_backup else None
    for migration in migrations:
        if migration.number > found:
            _step(connections, path, migration, now(), backup, copies=migration.number == found + 1)
    return found < newest


def backup_path(path: Path, version: int) -> Path:
    """Return the path of the backup for a file of this version: `arena.v1.backup.sqlite` for `arena.sqlite`."""
    return path.with_name(f"{path.stem}.v{version}.backup{path.suffix}")


def _step(
    connections: Connections,
    path: Path,
    migration: Migration,
    at: str,
    backup: Path | None,
    *,
    copies: bool = False,
) -> None:
    connections.close()  # they don't know the new columns
    with translated(path), closing(opened(path, "rw")) as connection:
        # Tables can be rebuilt only while foreign keys are off; they are checked at the end.
        connection.execute("PRAGMA foreign_keys = OFF")
        with transaction(connection, writes=True):
            if version_of(connection) >= migration.number:
                return  # another process was faster
            if backup and copies:
                copy(connections, path, backup)  # on a second connection, while this one blocks writers
            migration.apply(connection)
            if broken := connection.execute("PRAGMA foreign_key_check").fetchall():
                raise StoreDamaged(
                    f"{path}: after the step {migration.name!r} {len(broken)} rows refer to nothing",
                    "the file is as it was before the step; please report this",
                )
            connection.execute(
                "INSERT INTO migration (number, name, at, backup) VALUES (?, ?, ?, ?)",
                (migration.number, migration.name, at, backup.name if backup else None),
            )
            seal_rows(connection, "migration")
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {migration.number}")
    connections.close()  # the copy was made by one of them


@cache
def _own_definitions() -> frozenset[Definition]:
    """Return what a file of the newest version defines."""
    with closing(Connection(":memory:")) as connection:
        create_tables(connection)
        return defined(connection)


_A_BACKUP = Advice("name a file that ", run("db backup"), " wrote")


def restore(store: Path, backup: Path) -> Path | None:
    """Replace a store with a copy of a backup; return the new path of the old store, None if there was none.

    The current store may be damaged, or not a store at all. It is never overwritten. If any step fails, it stays
    complete, either in place or under its new name.
    Segments of replays that are next to the backup and not next to the store are copied.
    Raises StoreMissing, NotAStore, StoreTooNew or StoreDamaged for the backup, StoreBusy while a process serves the
    store or writes to it, and StoreFailed.
    """
    _check_place(store, backup)
    with serving(store, "restores a backup"):
        return restore_unserved(store, backup)


def restore_unserved(store: Path, backup: Path) -> Path | None:
    """Do what `restore` does, for a caller that keeps servers from the store by `serving`."""
    _check_place(store, backup)
    try:
        connections, version, _ = open_for_reading(backup)
    except NotAStore as error:
        raise NotAStore(str(error), _A_BACKUP) from None
    try:
        if version == 0:
            raise NotAStore(f"{backup} is not a store", _A_BACKUP)
        if version > VERSION:
            raise too_new(backup, version, VERSION)
        with holding(store, "restores a backup"):
            growing = store.with_name(f"{store.name}.restoring")
            copy(connections, backup, growing)
            try:
                if version < VERSION:
                    _upgrade(growing)
                # Triggers and changed tables would act whenever Arena writes.
                with closing(opened(growing)) as connection:
                    refuse_foreign(connection, _own_definitions(), backup)
                _add_segments(store, backup, growing)
                Cache(files_beside(store)).remove(VERIFIED_FILE)
                remove_notes(files_beside(store))
                return put_in_place(store, growing)
            except OSError as error:
                raise StoreFailed(
                    f"{store} can't be replaced: {error.strerror}", "check the permissions of its folder"
                ) from error
            finally:
                growing.unlink(missing_ok=True)
    finally:
        connections.close()


def _upgrade(growing: Path) -> None:
    """Upgrade the copy of a backup, so that there is one form to check what it defines by."""
    connections = Connections(growing, "rw")
    try:
        upgrade(connections, growing, utc_now, keeps_backup=False)
    finally:
        connections.close()


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
