"""Opens the store of a command, for reading or for writing."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from results.store import Store


@contextmanager
def reading(path: Path) -> "Iterator[Store]":
    """Open the store for reading; never create one. Raises StoreMissing."""
    from results.store import open_store

    store = open_store(path, create=False, readonly=True)
    try:
        yield store
    finally:
        store.close()


@contextmanager
def writing(path: Path, *, create: bool = True) -> "Iterator[Store]":
    """Open the store for writing; if there is none and `create` is true, create it."""
    from results.store import open_store

    store = open_store(path, create=create)
    try:
        yield store
    finally:
        store.close()
