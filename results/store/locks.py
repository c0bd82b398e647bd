"""One runner per league: a lock that the kernel frees when its holder dies, however it dies."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from results.errors import StoreBusy, StoreFailed

CLEARING_S = 60.0
"""How long is waited for whoever clears up after a holder that was killed, and has the lock as long as that takes."""
_LOOK_S = 0.05


@contextmanager
def exclusive(path: Path, what: str) -> Iterator[int]:
    """Hold a lock file for the time of the context, and give its descriptor; its folder is made.

    A process that inherits the descriptor holds the lock too. Raises StoreBusy, naming the process that holds it, if
    another does. The file stays behind and means nothing by itself.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise StoreFailed(
            f"{path} can't be made: {error.strerror}", "check the room and the permissions of the folder"
        ) from error
    try:
        until_s = time.monotonic() + CLEARING_S
        while not _locked(descriptor):
            holder = os.pread(descriptor, 32, 0).decode(errors="replace").strip() or "unknown"
            if not _has_ended(holder) or time.monotonic() > until_s:
                raise StoreBusy(
                    f"{what} is being run by another process, number {holder}",
                    "wait until it is done, or end it with Ctrl-C; nothing is lost",
                )
            time.sleep(_LOOK_S)
        with suppress(OSError):  # a full disk: the number is for messages, and to wait no longer than needed
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield descriptor
    finally:
        os.close(descriptor)


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _has_ended(holder: str) -> bool:
    """Return whether the process that wrote its number into a lock file is known to be gone."""
    try:
        os.kill(int(holder), 0)
    except ProcessLookupError:
        return True
    except (ValueError, OSError):  # no number, or another user's process
        return False
    return False
