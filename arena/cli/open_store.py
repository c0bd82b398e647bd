"""Opens the store of a command, for reading or for writing."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from arena.cli.messages import warn

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
def writing(path: Path, *, create: bool = True, does: str = "writes") -> "Iterator[Store]":
    """Hold the store's lock and open the store for writing; if there is none and `create` is true, create it.

    `does` tells other processes what for; a runner (`runs …`, `serves …`) is warned of an SQLite with a bug.
    Raises StoreHeld if another process writes to the store.
    """
    from results.store import RUNNERS, bug_warning, check_place, holding, open_store, refuse_read_only

    check_place(path, create=create)
    refuse_read_only(path)
    with holding(path, does):
        if does.startswith(RUNNERS) and (line := bug_warning()):
            warn(line)
        store = open_store(path, create=create)
        try:
            yield store
        finally:
            store.close()
