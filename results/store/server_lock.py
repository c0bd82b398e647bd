"""The lock of servers: those that serve a store share it, so that nobody replaces the store under them."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from results.base.errors import StoreBusy, StoreFailed
from results.store.database import files_beside
from results.store.locks import ending, has_ended, lockers, opened, process_words, take

PATIENCE_S = 60.0
"""How long a server that starts waits while the store is replaced."""
_LOOK_S = 0.05
_MOST_BYTES = 4096


def server_file(store: Path) -> Path:
    """Return the path of the lock file, which has a line with the process for each server."""
    return files_beside(store) / "locks" / "servers"


@contextmanager
def serving(store: Path) -> Iterator[None]:
    """Share the lock with other servers. Does nothing if the folder is read-only and has no lock file.

    Raises StoreBusy if the store is being replaced for longer than `PATIENCE_S`.
    """
    path = server_file(store)
    descriptor = _shared(store, path)
    if descriptor is None:
        yield
        return
    with suppress(OSError):  # the disk may be full, and the number is only for messages
        os.write(descriptor, f"{os.getpid()}\n".encode())
    try:
        yield
    finally:
        if take(descriptor) and _is_there(path, descriptor):  # the last server
            with suppress(OSError):
                path.unlink()
        os.close(descriptor)


@contextmanager
def unserved(store: Path) -> Iterator[None]:
    """Keep servers from starting. Raises StoreBusy, which names the process, while one serves the store."""
    path = server_file(store)
    descriptor = opened(path)
    try:
        if not take(descriptor):
            raise _busy(store, descriptor)
        try:
            yield
        finally:
            for remove in (
                path.unlink,
                *(() if store.exists() else (path.parent.rmdir, path.parent.parent.rmdir)),
            ):
                with suppress(OSError):
                    remove()
    finally:
        os.close(descriptor)


def _shared(store: Path, path: Path) -> int | None:
    """Return the descriptor of the lock file, locked; None if there can be none."""
    if not store.absolute().parent.is_dir():
        return None
    until_s = time.monotonic() + PATIENCE_S
    while True:
        try:
            descriptor = opened(path, os.O_APPEND)
        except StoreFailed:
            try:
                descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            except OSError:
                return None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            pass
        else:
            if _is_there(path, descriptor):
                return descriptor
        os.close(descriptor)
        if time.monotonic() > until_s:
            raise StoreBusy(f"{store} is being restored by another process", "wait until it is done")
        time.sleep(_LOOK_S)


def _busy(store: Path, descriptor: int) -> StoreBusy:
    """Return the error that names the newest server that is alive."""
    lines = os.pread(descriptor, _MOST_BYTES, 0).decode(errors="replace").split()
    alive = [int(line) for line in lines if line.isdecimal() and not has_ended(int(line))]
    found = alive or lockers(descriptor)
    pid = found[-1] if found else None
    return StoreBusy(
        f"{store} is in use: {'another process' if pid is None else process_words(pid)} serves it",
        f"stop that server first: {ending(pid)}",
    )


def _is_there(path: Path, descriptor: int) -> bool:
    """Return whether the locked file still has its name: the last holder removes it."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
