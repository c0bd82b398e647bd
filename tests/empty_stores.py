"""Empty stores copied from one: nearly every test has a store, and making its tables takes long."""

from pathlib import Path
from typing import Any
from unittest.mock import patch

from results.store import Store, opening
from results.store.opening import open_store
from tests.results.ledgers import empty_store


def copy_empty_stores() -> None:
    """Have commands that make a store copy an empty one, from now on; `open_store` makes one as ever."""
    patch.object(opening, "open_store", _copied).start()


def _copied(path: Path, **options: Any) -> Store:
    if options.get("create") and not path.exists():
        path.write_bytes(empty_store())
    return open_store(path, **options)
