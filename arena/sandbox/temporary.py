"""The folder for temporary files: where it is, and why it is not the one that $TMPDIR names."""

import os
import tempfile
from pathlib import Path

VARIABLE = "TMPDIR"


def passed_over() -> str:
    """Return why $TMPDIR is not used, in words; empty where it is used or not set.

    The standard library takes the next folder that can be written to without a word, and bots' copies and scratch
    folders then fill a disk that nobody meant. Raises OSError where no folder can be written to.
    """
    given, used = os.environ.get(VARIABLE), tempfile.gettempdir()
    if not given or Path(given).absolute() == Path(used).absolute():
        return ""
    return f"{VARIABLE}={given} can't be used ({_refused(given)}): temporary files go to {used}"


def _refused(folder: str) -> str:
    """Return what the system says to a file in a folder."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"tried")
    except OSError as error:
        return error.strerror or str(error)
    return "it could not be written to when the command began"
