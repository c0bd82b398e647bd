"""Stages the files of new versions: writes them to a separate folder, and moves them when the ledger lists them.

A database transaction and a move of folders can't be a single atomic step. So files are first written to a staging
folder, then the transaction is committed, then the files are moved. A process killed in between leaves a staging folder
behind. The next process moves the versions that the ledger lists to their place, and removes the rest.
"""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from arena.core.errors import ArenaError
from arena.sandbox.folder_removal import remove_tree
from arena.submissions.kept_version_files import SOURCES, VERSIONS
from results.base.errors import StoreTooOld
from results.base.permissions import make_folder
from results.records import VersionRecord
from results.store import Store, check_place, files_beside, open_store, refuse_read_only

_STAGING = "staging"


@contextmanager
def staging_beside(store: Path) -> Iterator[Path]:
    """Yield a staging folder for the files of new bots; the store at this path needn't exist yet.

    Raises as `check_place` and `refuse_read_only` if the store can't be written to.
    """
    check_place(store, create=True)
    refuse_read_only(store)
    files = files_beside(store)
    sweep(files, store)
    with staging_folder(files, store) as staging:
        yield staging


@contextmanager
def staging_folder(files: Path, store: Path) -> Iterator[Path]:
    """Yield an empty staging folder for versions of a store, to be written below `VERSIONS` in it.

    At the end, versions that the store lists are moved to the store's folder `files`. Everything else is removed,
    including new folders that are empty. Raises ArenaError if the machine refuses, for example if the disk is full.
    """
    room = files / _STAGING
    made = [folder for folder in (files, room) if not folder.exists()]
    place = room / f"{store.name}.{token_hex(8)}"
    with _in_words(place):
        descriptor = _claimed(place)
        try:
            yield place
        finally:
            try:
                _finish(place, files, store)
            finally:
                os.close(descriptor)
                _remove_empty(reversed(made))


def keep_all(staging: Path, files: Path) -> None:
    """Move all versions in a staging folder to the store's folder `files`, whether the store lists them or not."""
    for kind, folder in _folders(staging):
        _move(folder, files / kind / folder.name)


def sweep(files: Path, store: Path) -> None:
    """Finish the staging folders that killed processes left behind."""
    room = files / _STAGING
    left = sorted(room.glob(f"{store.name}.*")) if room.is_dir() else []
    for place in left:
        # For example, its process is alive and holds the lock, or the store needs an upgrade first.
        with suppress(OSError, StoreTooOld):
            descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _finish(place, files, store)
            finally:
                os.close(descriptor)
    if left:
        _remove_empty((room, files))


def _claimed(place: Path) -> int:
    """Make a folder and lock it; return the descriptor that holds the lock."""
    while True:
        make_folder(place.parent)
        try:
            place.mkdir(mode=0o700, exist_ok=True)  # whoever can open it can lock it
            descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except FileNotFoundError:  # another process swept it, or the folder that it is in
            continue
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(descriptor), place.stat()):
                return descriptor
        os.close(descriptor)  # another process swept it in between


def _finish(place: Path, files: Path, store: Path) -> None:
    """Move the versions that the store lists to their place and remove the rest; on failure, keep everything."""
    arrived = _folders(place)
    if arrived and store.exists():
        with open_store(store, readonly=True) as opened:
            named = _listed(opened)
        for kind, folder in arrived:
            if folder.name in named[kind]:
                _move(folder, files / kind / folder.name)
    remove_tree(place)


def _folders(place: Path) -> list[tuple[str, Path]]:
    kinds = [kind for kind in (VERSIONS, SOURCES) if (place / kind).is_dir()]
    return [(kind, folder) for kind in kinds for folder in sorted((place / kind).iterdir())]


def _listed(store: Store) -> dict[str, set[object]]:
    """Return the names of the folders that the versions in a store have, by kind."""
    versions = store.versions.all()
    return {
        VERSIONS: {version.sha256 for version in versions},
        SOURCES: {version.build.get("source") for version in versions},
    }


def _move(folder: Path, place: Path) -> None:
    if place.is_dir():
        return
    make_folder(place.parent)
    try:
        folder.rename(place)
    except OSError:
        if not place.is_dir():  # otherwise, another process has just moved the same
            raise


def _remove_empty(folders: Iterator[Path] | tuple[Path, ...]) -> None:
    for folder in folders:
        with suppress(OSError):  # it is not empty
            folder.rmdir()


@contextmanager
def _in_words(place: Path) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:  # the command that holds the folder printed to `head`
        raise
    except OSError as error:
        raise ArenaError(
            f"{error.filename or place} can't be written: {error.strerror}",
            "nothing was left behind; fix that, then run the same command again",
        ) from error


_LEAVING = "leaving"


def mark_deleted(files: Path, version: VersionRecord) -> None:
    """Mark the files of a version that is about to be deleted; `files` is the folder next to the store."""
    for kind, sha256 in ((VERSIONS, version.sha256), (SOURCES, version.build.get("source"))):
        if sha256:
            marker = files / _LEAVING / kind / str(sha256)
            make_folder(marker.parent)
            marker.touch(mode=0o600)


def remove_deleted(store: Store, waits_for: Callable[[str], bool]) -> None:
    """Remove the marked files that no version in the store has; to be called while holding the store's lock.

    `waits_for` returns whether a command that is still to be carried out needs the files with a hash; these stay for
    now. Leaves what can't be removed for the next time.
    """
    room = store.files / _LEAVING
    if not room.is_dir():
        return
    with suppress(OSError):
        for kind, listed in _listed(store).items():
            for marker in sorted((room / kind).glob("*")):
                if marker.name not in listed:
                    if waits_for(marker.name):
                        continue
                    place = store.files / kind / marker.name
                    remove_tree(place)
                    if place.exists():
                        continue
                marker.unlink(missing_ok=True)
            if (room / kind).is_dir():
                (room / kind).rmdir()
        room.rmdir()
