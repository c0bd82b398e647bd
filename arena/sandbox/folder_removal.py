"""Empties and removes folders that bots could write to, whatever the bots left there.

A bot may leave links, folders without permissions, folders nested thousands deep, or it may delete the folder itself.
Nothing here follows links, recurses, or runs forever.
"""

import contextlib
import errno
import os
import stat
import sys
import time
from pathlib import Path

EMPTY_S = 5.0
REMOVE_S = 60.0
"""How long to try to empty, and to remove, a folder in which a bot keeps making files."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_NOT_EMPTY = frozenset({errno.ENOTEMPTY, errno.EEXIST})


def empty(folder: Path) -> None:
    """Empty a folder; make it if it is missing, and replace anything else with that name. Raises OSError on failure."""
    try:
        is_folder = stat.S_ISDIR(folder.lstat().st_mode)
    except FileNotFoundError:
        folder.mkdir()
        return
    if not is_folder:
        folder.unlink()
        folder.mkdir()
        return
    _clear(folder, EMPTY_S)


def remove_tree(folder: Path, most_s: float = REMOVE_S) -> None:
    """Remove a folder and its contents, if it exists; leave what can't be removed, or not within that time."""
    with contextlib.suppress(OSError):
        if stat.S_ISDIR(folder.lstat().st_mode):
            _clear(folder, most_s)
            folder.rmdir()
        else:
            folder.unlink()


def _clear(folder: Path, most_s: float) -> None:
    """Remove all entries of a folder. Raises OSError if an entry can't be removed.

    Descends and ascends with a single descriptor, so that depth costs nothing. On the way up, checks that it returns
    to the same folder, as someone may be moving folders around.
    """
    until = time.monotonic() + most_s
    here = _open_folder(str(folder))
    above: list[tuple[tuple[int, int], list[str], str]] = []
    """For each folder above: its identity, its entries still to remove, and the entry we descended into."""
    try:
        left = _names(here)
        while left or above:
            if left:
                name = left.pop()
                with contextlib.suppress(FileNotFoundError):  # already removed by its owner
                    if not _unlinked(name, here):
                        below = _open_folder(name, here)
                        above.append((_identity(here), left, name))
                        here = _exchanged(here, below)
                        left = _names(here)
            else:
                identity, left, name = above.pop()
                here = _exchanged(here, os.open("..", _FOLDER, dir_fd=here))
                if _identity(here) != identity:
                    raise OSError(errno.EBUSY, "folders are being moved while they are removed")
                _remove_folder(name, here, left)
            if not left and not above:
                left = _names(here)
            if time.monotonic() > until:
                raise OSError(errno.EBUSY, "files are created as fast as they are removed")
    finally:
        os.close(here)


def _names(folder: int) -> list[str]:
    return os.listdir(folder)


def _exchanged(old: int, new: int) -> int:
    os.close(old)
    return new


def _identity(descriptor: int) -> tuple[int, int]:
    status = os.fstat(descriptor)
    return status.st_dev, status.st_ino


def _remove_folder(name: str, parent: int, left: list[str]) -> None:
    """Remove an emptied folder; if it has new entries, add it to `left` to try again."""
    try:
        os.rmdir(name, dir_fd=parent)
    except FileNotFoundError:
        pass
    except OSError as error:
        if error.errno not in _NOT_EMPTY:
            raise
        left.append(name)


def _unlinked(name: str, folder: int) -> bool:
    """Remove an entry unless it is a folder; return whether it was removed."""
    try:
        os.unlink(name, dir_fd=folder)
    except (IsADirectoryError, PermissionError):  # the error for a folder depends on the system
        return False
    return True


def _open_folder(name: str, parent: int | None = None) -> int:
    """Return a descriptor of a folder, after making it readable and writable. Never follows a link."""
    try:
        descriptor = os.open(name, _FOLDER, dir_fd=parent)
    except PermissionError:
        _unlock(name, parent)
        descriptor = os.open(name, _FOLDER, dir_fd=parent)
    if os.fstat(descriptor).st_mode & stat.S_IRWXU != stat.S_IRWXU:
        os.fchmod(descriptor, stat.S_IRWXU)
    return descriptor


def _unlock(name: str, parent: int | None) -> None:
    """Give the owner all permissions on a folder that can't even be opened."""
    if sys.platform == "linux":
        handle = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)
        try:
            os.chmod(f"/proc/self/fd/{handle}", stat.S_IRWXU)  # noqa: PTH101 - chmod itself would follow a link
        finally:
            os.close(handle)
    else:
        os.chmod(name, stat.S_IRWXU, dir_fd=parent, follow_symlinks=False)
