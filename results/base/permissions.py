"""Who may read a store: its owner alone, unless the owner shares it.

Whatever the umask, the store, the folder next to it and its locks are made for their owner alone. What is made in that
folder later can be read by those who may read the folder that it is in. Nobody else may ever write there.
"""

import errno
import getpass
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from enum import StrEnum
from pathlib import Path

FILES_SUFFIX = ".files"
"""Of the folder next to a store."""

_OPEN = os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
_BESIDE = ("", "-wal", "-shm")
_CLOSED = {"locks", "uploads", "staging"}
"""Folders next to a store that are never shared: a lock could be held, and what is uploaded isn't in the store yet."""


class Readers(StrEnum):
    """Which accounts of the machine may read a store, besides its owner and root."""

    NOBODY = "nobody"
    GROUP = "group"
    EVERYONE = "everyone"

    @property
    def bits(self) -> int:
        """Return the permission to read and to enter folders."""
        return {Readers.NOBODY: 0, Readers.GROUP: 0o050, Readers.EVERYONE: 0o055}[self]


def user_name() -> str:
    """Return the name of this process's user, or `user 1000` if the system doesn't know the number."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"user {os.getuid()}"


def caches() -> Path:
    """Return the folder for what this user's commands keep. Raises RuntimeError for a user without a home folder."""
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (base if base.is_absolute() else Path.home() / ".cache") / "arena"


def make_folder(folder: Path) -> None:
    """Make a folder, with the missing ones above it, unless it is there. Raises OSError.

    The folder next to a store is for its owner alone; others are for those who may read the folder that they are in.
    """
    if folder.is_dir():
        return
    mode = 0o700
    if folder.suffix != FILES_SUFFIX:
        make_folder(folder.parent)
        mode |= folder.parent.stat().st_mode & 0o055
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        if not folder.is_dir():
            raise
    else:
        if mode != 0o700:
            folder.chmod(mode)


def created(path: Path, *, like: Path | None = None) -> int:
    """Make a new file in place of any, readable as `like` (by default its folder); return its descriptor."""
    mode = 0o600 | (like or path.parent).stat().st_mode & 0o044
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | _OPEN, 0o600)
    if mode != 0o600:
        with suppress(OSError):  # not every mounted storage can
            os.fchmod(descriptor, mode)
    return descriptor


def to_disk(path: Path) -> None:
    """Return when a file, or the names in a folder, have reached the disk. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_whole(path: Path, content: bytes, *, flushed: bool = False) -> None:
    """Write a file that appears complete or not at all, readable as its folder. Raises OSError, leaving nothing.

    `flushed`: it is on the disk after the return.
    """
    growing = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        make_folder(path.parent)
        with os.fdopen(created(growing), "wb") as file:
            file.write(content)
            if flushed:
                file.flush()
                os.fsync(file.fileno())
        growing.replace(path)
        if flushed:
            to_disk(path.parent)
    finally:
        with suppress(OSError):
            growing.unlink(missing_ok=True)


def read_regular(path: Path, most_bytes: int) -> bytes:
    """Return at most so many bytes of a regular file; follows no link and never waits. Raises OSError."""
    if not stat.S_ISREG(path.lstat().st_mode):
        raise OSError(errno.EINVAL, "not a regular file")
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):  # replaced in between
            raise OSError(errno.EINVAL, "not a regular file")
        return file.read(most_bytes)


def make_store(path: Path) -> None:
    """Make the empty file of a store, for its owner alone, unless it is there; SQLite's others follow its mode."""
    with suppress(OSError):  # SQLite then says what is wrong
        os.close(os.open(path, os.O_RDWR | _OPEN, 0o600))


def exposed(store: Path) -> list[Path]:
    """Return the store and what belongs to it, as far as other accounts of the machine can read it."""
    store = store.absolute()
    if shut_folder(store, Readers.EVERYONE):
        return []
    return [path for path in _of(store) if _has(path, stat.S_IXOTH if path.is_dir() else stat.S_IROTH)]


def shut_folder(store: Path, readers: Readers) -> Path | None:
    """Return the outermost folder above a store that its readers can't enter; None if they get there."""
    for folder in reversed(store.absolute().parents):
        is_theirs = readers is Readers.GROUP and folder.stat().st_gid == store.stat().st_gid
        if not _has(folder, stat.S_IXGRP if is_theirs else stat.S_IXOTH):
            return folder
    return None


def share(store: Path, readers: Readers) -> None:
    """Let these accounts read a store and what belongs to it, and no others. Raises OSError, also if it isn't yours.

    Folders come last when access is given and first when it is taken, so that nothing is open for a moment that
    should not be.
    """
    paths = [path for path in _of(store.absolute()) if path.exists() and not path.is_symlink()]
    for place in paths[:]:  # of a file, there is nothing to walk
        for folder, inner, names in os.walk(place):
            inner[:] = [name for name in inner if not (name in _CLOSED and Path(folder) == place)]
            paths += [Path(folder) / name for name in inner]
            paths += [Path(folder) / name for name in names if ".log" not in Path(name).suffixes]
    paths.sort(key=lambda path: len(path.parts), reverse=readers is not Readers.NOBODY)
    for path in paths:
        with suppress(FileNotFoundError):  # a runner may have removed it
            mode = path.lstat().st_mode
            if stat.S_ISDIR(mode) or stat.S_ISREG(mode):
                runs = stat.S_ISDIR(mode) or mode & stat.S_IXUSR
                wanted = stat.S_IMODE(mode) & 0o700 | readers.bits & (0o077 if runs else 0o066)
                path.chmod(wanted)


def _of(store: Path) -> Iterator[Path]:
    for end in _BESIDE:
        yield store.with_name(store.name + end)
    yield store.with_suffix(FILES_SUFFIX)


def _has(path: Path, bit: int) -> bool:
    """Return whether others have a permission; false for a path that isn't there."""
    try:
        return bool(path.stat().st_mode & bit)
    except OSError:
        return False
