"""Who may read a store: its owner alone, unless somebody opens it to others by chmod.

Whatever the umask, the store, the folder next to it and its locks are made for their owner alone. What is made in that
folder later can be read by those who may read the folder that it is in. Nobody else may ever write there.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

FILES_SUFFIX = ".files"
"""Of the folder next to a store."""

_OPEN = os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
_BESIDE = ("", "-wal", "-shm")


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


def make_store(path: Path) -> None:
    """Make the empty file of a store, for its owner alone, unless it is there; SQLite's others follow its mode."""
    with suppress(OSError):  # SQLite then says what is wrong
        os.close(os.open(path, os.O_RDWR | _OPEN, 0o600))


def exposed(store: Path) -> list[Path]:
    """Return the store and what belongs to it, as far as other accounts of the machine can read it."""
    store = store.absolute()
    if not all(_has(folder, stat.S_IXOTH) for folder in store.parents):
        return []
    return [path for path in _of(store) if _has(path, stat.S_IXOTH if path.is_dir() else stat.S_IROTH)]


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
