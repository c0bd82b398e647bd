"""Empty stores copied from one: nearly every test has a store, and making its tables takes long."""

from pathlib import Path
from typing import Any
from unittest.mock import patch

from results.base.permissions import make_store
from results.store import Store, opening
from results.store.opening import open_store
from tests.support.ledgers import empty_store


def copy_empty_stores() -> None:
    """Have commands that make a store copy an empty one, from now on; `open_store` makes one as ever."""
    patch.object(opening, "open_store", open_copied).start()


def open_copied(path: Path, **options: Any) -> Store:
    """Do what `open_store` does, but copy an empty store instead of making one."""
    if options.get("create") and not path.exists():
        make_store(path)
        path.write_bytes(empty_store())
    return open_store(path, **options)
