"""Which store a command means: --store, else ARENA_STORE, else ./arena.sqlite."""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from results.store import Store

DEFAULT_STORE = Path("arena.sqlite")

StoreOption = Annotated[
    Path,
    typer.Option(
        "--store", envvar="ARENA_STORE", help="The results store, an SQLite file.", show_envvar=True
    ),
]


def naming_store(path: Path) -> str:
    """Return what to add to a command so that it means this store; empty for the default one."""
    return "" if path == DEFAULT_STORE else f" --store {shlex.quote(str(path))}"


@contextmanager
def reading(path: Path) -> "Iterator[Store]":
    """Open the store for reading; it is never created by that. Raises StoreMissing."""
    from results.store import open_store

    store = open_store(path, create=False, readonly=True)
    try:
        yield store
    finally:
        store.close()


@contextmanager
def writing(path: Path, *, create: bool = True) -> "Iterator[Store]":
    """Open the store for writing, making it where there is none if `create`."""
    from results.store import open_store

    store = open_store(path, create=create)
    try:
        yield store
    finally:
        store.close()
