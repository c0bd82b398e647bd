"""Where the processes that a server starts write what they have to say."""

import os
from contextlib import suppress
from pathlib import Path

from results.permissions import make_folder

MOST_BYTES = 4 * 2**20
"""A larger log is put aside before the next process begins, in place of the one put aside before."""


def open_log(path: Path) -> int:
    """Return a descriptor that appends to a log which only its owner can read; never follows a link."""
    make_folder(path.parent)
    with suppress(OSError):
        if path.stat().st_size > MOST_BYTES:
            path.replace(path.with_name(f"{path.name}.1"))
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
