"""Finds out why a store can't be written to: SQLite says only that it can't, or that it can't open a file."""

import os
from pathlib import Path

from results.errors import StoreFailed


def refuse_read_only(path: Path) -> None:
    """Raise StoreFailed for a store that certainly can't be written to, before doing any work."""
    if found := unwritable(path):
        raise StoreFailed(*found)


def unwritable(path: Path) -> tuple[str, str] | None:
    """Return why a store can't be written to and what to do, in words, or None if no reason is found.

    `path`: its file, which needn't exist yet. This doesn't cover files that can't be read either.
    """
    folder = path.absolute().parent
    there = path.exists()
    if there and not os.access(path, os.R_OK):
        return None
    place = path if there else folder
    what = f"{path} can't be {'written to' if there else 'made'}"
    hint = "pass a writable path with --store"
    if there:
        hint = (
            f"commands that only read still work; to continue, copy {path.name} and {path.with_suffix('.files').name} "
            "to a folder of your own and pass the copy with --store"
        )
    try:
        if os.statvfs(place).f_flag & os.ST_RDONLY:
            return f"{what}: the file system of {place.absolute()} is mounted read-only", hint
    except OSError:
        return None
    if there and not os.access(path, os.W_OK):
        return (
            f"{what}: you have no write permission for this file",
            f"if it is yours: chmod u+w {path}; {hint}",
        )
    if not os.access(folder, os.W_OK | os.X_OK) and not path.with_name(f"{path.name}-wal").exists():
        made = "SQLite creates files next to the store" if there else "that is where the store would be"
        return f"{what}: you have no write permission for the folder {folder}, and {made}", hint
    return None
