"""Emptying and removing folders that bots could write to, whatever they left there.

A bot may leave links, folders without permissions, folders nested thousands deep, or nothing where a folder was.
Nothing here follows a link, recurses, or goes on for ever.
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
"""How long a bot that goes on making files may keep us busy with emptying and with removing a folder."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_NOT_EMPTY = frozenset({errno.ENOTEMPTY, errno.EEXIST})


def empty(folder: Path) -> None:
    """Have an empty folder of that name, whatever is there now. Raises OSError where that cannot be had."""
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


def remove_tree(folder: Path) -> None:
    """Remove a folder and all that is in it, if it is there; what cannot be removed stays."""
    with contextlib.suppress(OSError):
        if stat.S_ISDIR(folder.lstat().st_mode):
            _clear(folder, REMOVE_S)
            folder.rmdir()
        else:
            folder.unlink()


def _clear(folder: Path, most_s: float) -> None:
    """Remove all entries of a folder. Raises OSError for what cannot be removed.

    Goes down and up again with one descriptor, so that depth costs nothing, and makes sure on the way up that it
    comes back to where it was: somebody may be moving folders about.
    """
    until = time.monotonic() + most_s
    here = _open_folder(str(folder))
    above: list[tuple[tuple[int, int], list[str], str]] = []
    """Of each folder that we went down from: its identity, what is left to do there, where we went."""
    try:
        left = _names(here)
        while left or above:
            if left:
                name = left.pop()
                with contextlib.suppress(FileNotFoundError):  # its owner was quicker
                    if not _unlinked(name, here):
                        below = _open_folder(name, here)
                        above.append((_identity(here), left, name))
                        here = _exchanged(here, below)
                        left = _names(here)
            else:
                identity, left, name = above.pop()
                here = _exchanged(here, os.open("..", _FOLDER, dir_fd=here))
                if _identity(here) != identity:
                    raise OSError(errno.EBUSY, "folders are moved while they are removed")
                _remove_folder(name, here, left)
            if not left and not above:
                left = _names(here)
            if time.monotonic() > until:
                raise OSError(errno.EBUSY, "files are made as fast as they are removed")
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
    """Remove a folder that was emptied; where something new is in it, it is left to do once more."""
    try:
        os.rmdir(name, dir_fd=parent)
    except FileNotFoundError:
        pass
    except OSError as error:
        if error.errno not in _NOT_EMPTY:
            raise
        left.append(name)


def _unlinked(name: str, folder: int) -> bool:
    """Remove what is no folder; return whether it was none."""
    try:
        os.unlink(name, dir_fd=folder)
    except (IsADirectoryError, PermissionError):  # systems differ in what they say of a folder
        return False
    return True


def _open_folder(name: str, parent: int | None = None) -> int:
    """Return a descriptor of a folder that we may read and change; never through a link."""
    try:
        descriptor = os.open(name, _FOLDER, dir_fd=parent)
    except PermissionError:
        _unlock(name, parent)
        descriptor = os.open(name, _FOLDER, dir_fd=parent)
    if os.fstat(descriptor).st_mode & stat.S_IRWXU != stat.S_IRWXU:
        os.fchmod(descriptor, stat.S_IRWXU)
    return descriptor


def _unlock(name: str, parent: int | None) -> None:
    """Give the owner all permissions on a folder that cannot even be opened."""
    if sys.platform == "linux":
        handle = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)
        try:
            os.chmod(f"/proc/self/fd/{handle}", stat.S_IRWXU)  # noqa: PTH101 - chmod itself would follow a link
        finally:
            os.close(handle)
    else:
        os.chmod(name, stat.S_IRWXU, dir_fd=parent, follow_symlinks=False)
