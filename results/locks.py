"""One runner per league: a lock that the kernel frees when its holder dies, however it dies."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from results.errors import StoreBusy, StoreFailed


@contextmanager
def exclusive(path: Path, what: str) -> Iterator[None]:
    """Hold a lock file for the time of the context; its folder is made.

    Raises StoreBusy, naming the process that holds it, if another does. The file
    stays behind and means nothing by itself.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise StoreFailed(
            f"{path} can't be made: {error.strerror}", "check the room and the permissions of the folder"
        ) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(descriptor, 32).decode(errors="replace").strip() or "unknown"
            raise StoreBusy(
                f"{what} is being run by another process, number {holder}",
                "wait until it is done, or end it with Ctrl-C; nothing is lost",
            ) from None
        with suppress(OSError):  # a full disk: the number is for messages only
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)
