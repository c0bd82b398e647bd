"""Where the files of a store lie."""

from pathlib import Path


def files_beside(store: Path) -> Path:
    """Return the folder beside a store for versions, logs and locks: `arena.files` of `arena.sqlite`."""
    return store.with_suffix(".files")
