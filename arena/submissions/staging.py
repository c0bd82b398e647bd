"""Files of versions on their way in: written aside, and moved to their place once the ledger names them.

A transaction of the ledger and a move of folders cannot be one step. So the files are written to a folder of their
own first, then the transaction is committed, then they are moved. Who is killed in between leaves such a folder:
whoever comes next moves what the ledger names to its place, and removes the rest.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from arena.core.errors import ArenaError
from arena.sandbox.folders import remove_tree
from arena.submissions.kept_files import VERSIONS
from results.store import open_store

_ROOM = "arriving"


@contextmanager
def staging(files: Path, store: Path) -> Iterator[Path]:
    """Return an empty folder for what is on its way into the folder `files` of a store, below `VERSIONS` in it.

    In the end the versions that the store names are moved to their place, and everything else is removed, with
    the folders that were made for it and are empty. Raises ArenaError where the machine refuses, as with a full disk.
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


def sweep(files: Path, store: Path) -> None:
    """Finish what killed processes left on its way into a store, or between it and its files."""
    room = files / _ROOM
    left = sorted(room.glob(f"{store.name}.*")) if room.is_dir() else []
    for place in left:
        with suppress(OSError):  # among others: its process lives and holds the lock
            descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _finish(place, files, store)
            finally:
                os.close(descriptor)
    if left:
        _remove_empty((room, files))


def _claimed(place: Path) -> int:
    """Make a folder and lock it for as long as this process lives; return the descriptor that holds the lock."""
    while True:
        place.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(descriptor), place.stat()):
                return descriptor
        os.close(descriptor)  # somebody swept it between the two steps


def _finish(place: Path, files: Path, store: Path) -> None:
    """Move the versions that the store names to their place and remove the rest; if that fails, all stays."""
    arrived = sorted((place / VERSIONS).iterdir()) if (place / VERSIONS).is_dir() else []
    if arrived and store.exists():
        with open_store(store) as opened:
            named = {version.sha256 for version in opened.versions.all()}
        for folder in arrived:
            if folder.name in named:
                _move(folder, files / VERSIONS / folder.name)
    remove_tree(place)


def _move(folder: Path, place: Path) -> None:
    """Move a version to its place, unless it is there."""
    if place.is_dir():
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        folder.rename(place)
    except OSError:
        if not place.is_dir():  # else somebody else was quicker with the same
            raise


def _remove_empty(folders: Iterator[Path] | tuple[Path, ...]) -> None:
    for folder in folders:
        with suppress(OSError):  # it is not empty
            folder.rmdir()


@contextmanager
def _in_words(place: Path) -> Iterator[None]:
    """Say what the system refused."""
    try:
        yield
    except OSError as error:
        raise ArenaError(
            f"{error.filename or place} can't be written: {error.strerror}",
            "nothing was left behind; mend that, then run the same command again",
        ) from error
