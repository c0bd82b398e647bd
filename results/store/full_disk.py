"""Finds out whether a store's disk is full: SQLite itself doesn't always tell a full disk from a failing one."""

import errno
import os
import tempfile
from pathlib import Path

ENOUGH_BYTES = 16_000_000
"""Enough for any single change of a store: SQLite's log of changes and its temporary files."""

_PROBE_BYTES = 65_536


def full_disk(path: Path, *, surely: bool) -> tuple[str, str] | None:
    """Return what is full and what to do, in words, or None if nothing is full.

    `path`: the file that was written to · `surely`: SQLite reported a full disk; otherwise this is tested by
    writing a little.
    """
    folder = path.absolute().parent
    if _is_full(folder):
        return _told(path, folder, "")
    for name in ("SQLITE_TMPDIR", "TMPDIR"):
        if (place := os.environ.get(name)) and _is_full(Path(place)):
            return _told(path, Path(place), f", where temporary files are made ({name})")
    return _told(path, folder, "") if surely else None


def _told(path: Path, folder: Path, why: str) -> tuple[str, str]:
    place = _file_system(folder)
    hint = (
        f"make room there, {ENOUGH_BYTES / 1e6:.0f} MB at least, then run the same command again; nothing was half "
        "written"
    )
    try:
        room = os.statvfs(folder)
    except OSError:
        return f"{path}: the disk is full: {place}{why}", hint
    free_bytes = room.f_bavail * room.f_frsize
    if room.f_files and not room.f_favail:
        return f"{path}: the disk is full: there is no room for another file on {place}{why}", hint
    if free_bytes > ENOUGH_BYTES:
        return (
            f"{path}: the disk is full, though {free_bytes / 1e6:.0f} MB are free on {place}{why}: there is a quota, "
            "or a bound on the size of a file",
            "raise it, or put the store elsewhere, then run the same command again; nothing was half written",
        )
    return f"{path}: the disk is full: {free_bytes / 1e6:.1f} MB are free on {place}{why}", hint


def _is_full(folder: Path) -> bool:
    """Return whether a folder has no room for even a little more."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(_PROBE_BYTES))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        return error.errno in (errno.ENOSPC, errno.EDQUOT)
    return False


def _file_system(folder: Path) -> str:
    """Return the mount point of a folder's file system."""
    place = folder.resolve()
    while not place.is_mount() and place != place.parent:
        place = place.parent
    return f"the file system {place}"
