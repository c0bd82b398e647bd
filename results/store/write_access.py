"""Why a store can't be written to: SQLite says only that it can't, or that it can't open a file."""

import os
from pathlib import Path

from results.errors import StoreFailed


def refuse_read_only(path: Path) -> None:
    """Raise StoreFailed for a store that surely can't be written to, before anything is done for it."""
    if found := unwritable(path):
        raise StoreFailed(*found)


def unwritable(path: Path) -> tuple[str, str] | None:
    """Return in words what keeps a store from being written to and what to do, or None if nothing is seen to.

    `path`: its file, which need not be there yet. A file that can't be read either is none of this.
    """
    folder = path.absolute().parent
    there = path.exists()
    if there and not os.access(path, os.R_OK):
        return None
    place = path if there else folder
    what = f"{path} can't be {'written to' if there else 'made'}"
    hint = "name a place that you may write to with --store"
    if there:
        hint = (
            f"commands that only read still work; to go on, copy {path.name} and {path.with_suffix('.files').name} "
            "to a folder of yours, and name the copy with --store"
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
        made = "SQLite makes files beside the store" if there else "that is where the store would be"
        return f"{what}: you may not write to the folder {folder}, and {made}", hint
    return None
