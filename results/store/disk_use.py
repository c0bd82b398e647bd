"""How much room a store takes on its disk, and how much is left there."""

import os
import shutil
from collections import deque
from dataclasses import dataclass
from pathlib import Path

from results.store.database import files_beside

MOST_FILES = 20_000
"""How many files to look at, at most, in the folder next to a store."""


@dataclass(frozen=True, slots=True)
class DiskUse:
    """Sizes in bytes."""

    store_bytes: int
    wal_bytes: int
    """The file next to the store that holds changes not yet carried over."""
    files_bytes: int
    """The folder next to the store."""
    files_complete: bool
    """Whether all of it was counted; if not, it is larger."""
    free_bytes: int | None
    """Free for this user on the store's file system; None if that is unknown."""


def disk_use(store: Path) -> DiskUse:
    """Return how much room the store at this path takes. Reads names and sizes only, and follows no links."""
    files_bytes, complete = _size_of(files_beside(store))
    try:
        free = shutil.disk_usage(store.absolute().parent).free
    except OSError:
        free = None
    wal = store.with_name(f"{store.name}-wal")
    return DiskUse(_size(store), _size(wal), files_bytes, complete, free)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _size_of(folder: Path) -> tuple[int, bool]:
    """Return the size of all files below a folder, and whether none was left out."""
    folders, total, seen = deque([str(folder)]), 0, 0
    while folders:
        try:
            with os.scandir(folders.popleft()) as entries:
                for entry in entries:
                    seen += 1
                    if seen > MOST_FILES:
                        return total, False
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    else:
                        total += entry.stat(follow_symlinks=False).st_size
        except OSError:  # it has gone, or is another user's
            continue
    return total, True
