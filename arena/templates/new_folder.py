"""Writes a new folder: all of its files or none."""

import errno
import os
import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path

from arena.core.errors import UsageError

_MISTAKES = (
    errno.EACCES,
    errno.EPERM,
    errno.EROFS,
    errno.ENOENT,
    errno.ENOTDIR,
    errno.ELOOP,
    errno.ENAMETOOLONG,
)
"""Errors of the system that a path of the user's can cause."""


def write_new_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files, by name, to a folder that doesn't exist or is empty.

    A link at its place is never followed. A folder that doesn't exist appears complete or not at all; an empty one is
    empty again after an error. Raises UsageError if there is something at the place, or if it can't be written to.
    """
    try:
        if os.path.lexists(folder):
            _fill_empty(folder, files)
        else:
            _make(folder, files)
    except OSError as error:
        if error.errno not in _MISTAKES:
            raise
        raise UsageError(
            f"can't make the folder {folder}: {error.strerror}", "name a place that you can write to"
        ) from None


def _make(folder: Path, files: Mapping[str, bytes]) -> None:
    growing = folder.with_name(f".{folder.name[:40]}.{secrets.token_hex(4)}")
    growing.mkdir()
    try:
        _fill_empty(growing, files)
        growing.rename(folder)
    except BaseException:  # an interruption too
        shutil.rmtree(growing, ignore_errors=True)
        raise


def _fill_empty(folder: Path, files: Mapping[str, bytes]) -> None:
    if folder.is_symlink():
        raise UsageError(f"{folder} is a link; a new bot needs a folder of its own", "name another folder")
    if not folder.is_dir():
        raise UsageError(f"{folder} already exists, and is no folder", "name another folder")
    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    written = []
    try:
        if os.listdir(place):  # noqa: PTH208  of the descriptor, which nobody can exchange
            raise UsageError(
                f"{folder} already exists, and isn't empty; nothing was written",
                "name another folder, or an empty one",
            )
        for name, content in files.items():
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
            descriptor = os.open(name, flags, 0o666, dir_fd=place)
            written.append(name)
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
    except BaseException:  # an interruption too
        for name in written:
            os.unlink(name, dir_fd=place)
        raise
    finally:
        os.close(place)
