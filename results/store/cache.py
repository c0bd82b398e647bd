"""A cache of results that take seconds to compute, in files beside the store. You can delete any of them at any time.

Each file says which results it is based on, and whoever reads it checks that they are still those of the ledger.
"""

import os
from contextlib import suppress
from pathlib import Path

from results.base.permissions import created, make_folder

FOLDER = "fits"
"""Of these files, in the folder beside the store."""


class Cache:
    """The files of one store."""

    def __init__(self, files: Path) -> None:
        """`files`: the folder beside the store."""
        self.folder = files / FOLDER

    def state(self) -> int:
        """Return a value that differs once a file has been written."""
        try:
            return self.folder.stat().st_mtime_ns  # each is written under another name and renamed
        except OSError:
            return 0

    def read(self, name: str) -> bytes | None:
        """Return the content of a file; None if there is none, or it can't be read."""
        try:
            return (self.folder / name).read_bytes()
        except OSError:
            return None

    def write(self, name: str, content: bytes) -> None:
        """Write a file, so that it appears complete or not at all; a folder that can't be written to is no error."""
        path = self.folder / name
        part = path.with_name(f"{name}.{os.getpid()}.part")
        try:
            make_folder(self.folder)
            with os.fdopen(created(part), "wb") as file:
                file.write(content)
            part.replace(path)
        except OSError:
            pass
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)
