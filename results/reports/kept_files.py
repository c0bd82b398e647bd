"""Files of results that take seconds to compute, next to the store. You can delete any of them at any time."""

import os
from contextlib import suppress
from pathlib import Path

from results.permissions import created, make_folder

KEPT_FOLDER = "fits"
"""Of these files, in the folder beside the store."""


def latest_kept(files: Path) -> int:
    """Return a value that differs once a result has been kept; `files` is the folder beside the store."""
    try:
        return (files / KEPT_FOLDER).stat().st_mtime_ns  # each is written under another name and renamed
    except OSError:
        return 0


def keep(path: Path, text: bytes) -> None:
    """Write a file, so that it appears complete or not at all; a folder that can't be written to is no error."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        make_folder(path.parent)
        with os.fdopen(created(part), "wb") as file:
            file.write(text)
        part.replace(path)
    except OSError:
        pass
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
