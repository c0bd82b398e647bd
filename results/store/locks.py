"""One runner per league: a lock that the kernel releases when its holder dies, however it dies."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from results.errors import StoreBusy, StoreFailed

CLEARING_S = 60.0
"""How long to wait for the clean-up after a killed holder, which holds the lock until it is done."""
_LOOK_S = 0.05


@contextmanager
def exclusive(path: Path, what: str) -> Iterator[int]:
    """Hold a lock file during the context and yield its descriptor; creates its folder.

    A process that inherits the descriptor holds the lock too. Raises StoreBusy, naming the process, if another one
    holds the lock. The file stays behind; on its own it means nothing.
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
        while not take(descriptor):
            holder = os.pread(descriptor, 32, 0).decode(errors="replace").strip() or "unknown"
            if not (holder.isdecimal() and has_ended(int(holder))) or time.monotonic() > until_s:
                raise StoreBusy(
                    f"{what} is being run by another process, number {holder}",
                    f"wait until it is done, or end it with Ctrl-C or `kill {holder}`; nothing is lost",
                )
            time.sleep(_LOOK_S)
        with suppress(OSError):  # the disk may be full; the number is only for messages and to shorten waits
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield descriptor
    finally:
        os.close(descriptor)


def is_held(path: Path) -> bool:
    """Return whether a process holds a lock file, or may hold it as far as can be seen. Changes nothing."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def take(descriptor: int) -> bool:
    """Lock an open file exclusively; return False if somebody else has it locked."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def has_ended(pid: int) -> bool:
    """Return whether a process is certainly gone."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except (OverflowError, OSError):  # no number of a process, or another user's
        return False
    return False
