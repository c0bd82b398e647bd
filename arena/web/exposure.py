"""What of a store other accounts of the machine can read: secrets of sealed leagues, logs, games still hidden."""

import stat
from collections.abc import Iterator
from pathlib import Path

from results.store import files_beside

_BESIDE = ("", "-wal", "-shm")


def exposed(store: Path) -> list[Path]:
    """Return the store and what belongs to it, as far as other accounts can read it."""
    store = store.absolute()
    if not all(_has(folder, stat.S_IXOTH) for folder in store.parents):
        return []
    return [path for path in _of(store) if _has(path, stat.S_IXOTH if path.is_dir() else stat.S_IROTH)]


def _of(store: Path) -> Iterator[Path]:
    for end in _BESIDE:
        yield store.with_name(store.name + end)
    yield files_beside(store)


def _has(path: Path, bit: int) -> bool:
    """Return whether others have a permission; false for a path that isn't there."""
    try:
        return bool(path.stat().st_mode & bit)
    except OSError:
        return False
