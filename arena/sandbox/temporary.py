"""Explains why the folder for temporary files isn't the one in $TMPDIR."""

import os
import tempfile
from pathlib import Path

VARIABLE = "TMPDIR"


def passed_over() -> str:
    """Return why $TMPDIR isn't used, in words; empty if it is used or not set.

    The standard library silently falls back to the next writable folder, and copies of bots and scratch folders then
    fill the wrong disk. Raises OSError if no folder is writable.
    """
    given, used = os.environ.get(VARIABLE), tempfile.gettempdir()
    if not given or Path(given).absolute() == Path(used).absolute():
        return ""
    return f"{VARIABLE}={given} can't be used ({_refused(given)}): temporary files go to {used}"


def _refused(folder: str) -> str:
    """Return the system's error for making a file in a folder."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"tried")
    except OSError as error:
        return error.strerror or str(error)
    return "it was not writable when the command started"
