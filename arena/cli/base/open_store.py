"""Opens the store of a command, for reading or for writing."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from arena.cli.base import options
from arena.cli.terminal.messages import warn
from results.base.errors import StoreTooOld
from results.store import Store, check_place, exposed, holding, new_store, open_store, refuse_read_only

OPEN_TO_ALL = "secrets of sealed leagues, logs and games that are still hidden"
"""What is in a store that its readers should not see."""


def warn_of_readers(path: Path) -> None:
    """Warn if every account of this machine can read a store."""
    if exposed(path):
        warn(f"every account of this machine can read {OPEN_TO_ALL}; stop that with: {closing(path)}")


def closing(path: Path) -> str:
    """Return the command after which only the owner of a store can read it."""
    return f"arena db share nobody{options.naming_store(path)}"


@contextmanager
def reading(path: Path, *, traceless: bool = False) -> Iterator[Store]:
    """Open the store for reading; never create one. Raises StoreMissing.

    `traceless`: create no file next to it either. Then reads raise StoreBusy once somebody writes to it.
    """
    store = open_store(path, create=False, readonly=True, traceless=traceless)
    try:
        yield store
    finally:
        store.close()


@contextmanager
def trying(path: Path) -> Iterator[Store]:
    """Open the store for writing; if there is none, open an empty one in its place, which is removed at the end.

    For what may refuse a command, so that a refused one leaves no store behind.
    """
    if path.exists():
        with writing(path) as store:
            yield store
        return
    check_place(path, create=True)
    refuse_read_only(path)
    with (
        TemporaryDirectory(prefix="arena-trying-") as scratch,
        new_store(path, Path(scratch) / "new.sqlite", keep=False) as store,
    ):
        yield store


@contextmanager
def reading_if_there(path: Path) -> Iterator[Store | None]:
    """Open the store for reading, upgrading an older one first; None if there is none yet. For commands that write."""
    if not path.exists() or not path.stat().st_size:
        yield None
        return
    try:
        with reading(path):
            pass
    except StoreTooOld:
        with writing(path):
            pass
    with reading(path) as store:
        yield store


@contextmanager
def writing(path: Path, *, create: bool = True, does: str = "writes") -> Iterator[Store]:
    """Hold the store's lock and open the store for writing; if there is none and `create` is true, create it.

    `does` tells other processes what for. Raises StoreHeld if another process writes to the store.
    """
    check_place(path, create=create)
    refuse_read_only(path)
    with holding(path, does):
        store = open_store(path, create=create)
        try:
            yield store
        finally:
            store.close()
