"""Stages the files of new versions: writes them to a separate folder, and moves them when the ledger lists them.

A database transaction and a move of folders can't be a single atomic step. So files are first written to a staging
folder, then the transaction is committed, then the files are moved. A process killed in between leaves a staging folder
behind. The next process moves the versions that the ledger lists to their place, and removes the rest.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from arena.core.errors import ArenaError
from arena.sandbox.folders import remove_tree
from arena.submissions.kept_files import SOURCES, VERSIONS
from results.base.errors import StoreTooOld
from results.base.permissions import make_folder
from results.store import check_place, files_beside, open_store, refuse_read_only

_ROOM = "arriving"


@contextmanager
def arriving_beside(store: Path) -> Iterator[Path]:
    """Yield a folder of `staging` for the files of new bots; the store at this path needn't exist yet.

    Raises as `check_place` and `refuse_read_only` if the store can't be written to.
    """
    check_place(store, create=True)
    refuse_read_only(store)
    files = files_beside(store)
    sweep(files, store)
    with staging(files, store) as arriving:
        yield arriving


@contextmanager
def staging(files: Path, store: Path) -> Iterator[Path]:
    """Yield an empty staging folder for versions of a store, to be written below `VERSIONS` in it.

    At the end, versions that the store lists are moved to the store's folder `files`. Everything else is removed,
    including new folders that are empty. Raises ArenaError if the machine refuses, for example if the disk is full.
    """
    room = files / _ROOM
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


def keep_all(arriving: Path, files: Path) -> None:
    """Move all versions in a folder of `staging` to the store's folder `files`, whether the store lists them or not."""
    for kind in (VERSIONS, SOURCES):
        if (arriving / kind).is_dir():
            for folder in sorted((arriving / kind).iterdir()):
                _move(folder, files / kind / folder.name)


def sweep(files: Path, store: Path) -> None:
    """Finish the staging folders that killed processes left behind."""
    room = files / _ROOM
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
    arrived = [
        (kind, folder)
        for kind in (VERSIONS, SOURCES)
        if (place / kind).is_dir()
        for folder in sorted((place / kind).iterdir())
    ]
    if arrived and store.exists():
        with open_store(store, readonly=True) as opened:
            versions = opened.versions.all()
        named: dict[str, set[object]] = {
            VERSIONS: {version.sha256 for version in versions},
            SOURCES: {version.build.get("source") for version in versions},
        }
        for kind, folder in arrived:
            if folder.name in named[kind]:
                _move(folder, files / kind / folder.name)
    remove_tree(place)


def _move(folder: Path, place: Path) -> None:
    """Move a version to its place, unless it is already there."""
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
    """Turn an OSError into an ArenaError."""
    try:
        yield
    except OSError as error:
        raise ArenaError(
            f"{error.filename or place} can't be written: {error.strerror}",
            "nothing was left behind; fix that, then run the same command again",
        ) from error
