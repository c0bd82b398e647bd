"""A site of a copy of the store that all tests share, for tests that change something."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.web.site import Site
from results.store import files_beside, open_store


@contextmanager
def copied_site(demo_store: Path, folder: Path, *, with_files: bool = False) -> Iterator[Site]:
    """Yield the site of a copy in a folder; with the files of its bots if they are looked at."""
    path = folder / "arena.sqlite"
    with open_store(demo_store, readonly=True) as store:
        store.backup(path)
    if with_files:
        shutil.copytree(files_beside(demo_store), files_beside(path), dirs_exist_ok=True)
    found = Site.of(path)
    yield found
    found.close()
