"""The lock of a store: its holder writes, nobody else does. The lock file says which process that is and what it does.

Like every lock here, the kernel releases it when its holder ends, however it ends.
"""

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import Struct, field

from results.base.errors import StoreBusy, StoreFailed
from results.store.database import APPLICATION_ID, files_beside
from results.store.file_locks import (
    ending,
    has_ended,
    holder,
    is_there,
    noted,
    opened,
    process_words,
    take,
)
from results.store.sqlite_file import BUSY_TIMEOUT_MS

WRITES = "writes"
"""What a short writer does: it holds the lock for a moment."""
RUNNERS = ("runs ", "serves ")
"""How the words of a holder begin that plays games, and takes up commands from the inbox meanwhile."""
CLEARING_S = 60.0
"""How long to wait for the clean-up after a killed holder, which holds the lock until it is done."""
PATIENCE_S = BUSY_TIMEOUT_MS / 1000
"""How long to wait for a holder that isn't a runner."""

_LOOK_S = 0.05
_MOST_BYTES = 512
_APPLICATION_ID_AT = 68
"""Offset in the header of an SQLite file."""


class Holder(Struct, frozen=True):
    """The process that holds the lock of a store, as far as the lock file says."""

    pid: int | None
    does: str
    """Words that follow the process: `runs league main`, `serves leagues`, `writes`."""

    @property
    def is_runner(self) -> bool:
        """Whether it takes up commands from the inbox."""
        return self.does.startswith(RUNNERS)

    def __str__(self) -> str:
        """Return a clause: `process 1234 runs league main`."""
        who = "another process" if self.pid is None else process_words(self.pid)
        return f"{who} {self.does or 'holds its lock'}"


class StoreHeld(StoreBusy):
    """Another process holds the store's lock."""

    def __init__(self, store: Path, holder: Holder, *, would_run: bool) -> None:
        """`would_run`: whether this process wants to play games, and not only to write for a moment."""
        hint = f"wait until it is done, or {ending(holder.pid)}; nothing is lost"
        if would_run:
            hint += ". `arena run` runs all leagues of a store; or give each league a store of its own with --store"
        super().__init__(f"{store} is in use: {holder}", hint)
        self.holder = holder


def lock_file(store: Path) -> Path:
    """Return the path of a store's lock file."""
    return files_beside(store) / "locks" / "store.lock"


@contextmanager
def holding(store: Path, does: str = WRITES) -> Iterator[int]:
    """Hold the lock of the store at this path, which needn't exist yet, and yield the lock's descriptor.

    `does` tells others what for. A process may hold the lock several times; it is released with the last. A process
    that inherits the descriptor holds the lock too, until it ends. Waits for the clean-up after a killed runner, and
    up to `PATIENCE_S` for a holder that isn't a runner. Raises StoreHeld, which names the holder, and StoreFailed.
    """
    held = _hold(store, does)
    try:
        yield held.descriptor
    finally:
        held.release(does)


def holder_of(store: Path) -> Holder | None:
    """Return who holds the lock of a store; None if nobody does. Changes nothing."""
    found = holder(lock_file(store))
    return None if found is None else Holder(*found)


class _Held(Struct):
    """The lock, held by this process."""

    store: Path
    path: Path
    descriptor: int
    pid: int
    """This process: a fork inherits the object, but not the right to release the lock."""
    uses: list[str] = field(default_factory=list)
    """What the process does, one for each time that it holds the lock."""

    @property
    def key(self) -> tuple[int, int]:
        return _identity(self.descriptor)

    def use(self, does: str) -> None:
        """Hold it once more."""
        self.uses.append(does)
        self._tell()

    def release(self, does: str) -> None:
        """Hold it once less; release the lock with the last."""
        if self.pid != os.getpid():
            return
        with _guard:
            self.uses.remove(does)
            self._tell()
            if self.uses:
                return
            del _held[self.key]
            if not _is_store(self.store):  # nothing was made, so nothing is left behind
                for remove in (self.path.unlink, self.path.parent.rmdir, self.path.parent.parent.rmdir):
                    with suppress(OSError):
                        remove()
            fcntl.flock(self.descriptor, fcntl.LOCK_UN)
            os.close(self.descriptor)

    def _tell(self) -> None:
        """Write into the file what the process does; a runner that also writes stays a runner."""
        runs = [does for does in self.uses if does.startswith(RUNNERS)]
        words = f"{self.pid} {(runs or self.uses)[-1]}\n" if self.uses else ""
        with suppress(OSError):  # the disk may be full, and the words are only for messages
            os.ftruncate(self.descriptor, 0)
            os.pwrite(self.descriptor, words.encode()[:_MOST_BYTES], 0)


_held: dict[tuple[int, int], _Held] = {}
"""By device and inode of the lock file."""
_guard = threading.RLock()


def _hold(store: Path, does: str) -> _Held:
    path = lock_file(store)
    began = time.monotonic()
    while True:
        with _guard:
            descriptor = opened(path, os.O_NONBLOCK)
            mine = _held.get(_identity(descriptor))
            if mine is not None and mine.pid == os.getpid():
                os.close(descriptor)
                mine.use(does)
                return mine
            if take(descriptor) and is_there(path, descriptor):
                taken = _Held(store, path, descriptor, os.getpid())
                _held[taken.key] = taken
                taken.use(does)
                return taken
            other = Holder(*noted(descriptor))
            os.close(descriptor)
        clearing = other.pid is not None and has_ended(other.pid)
        patience_s = CLEARING_S if clearing else 0 if other.is_runner else PATIENCE_S
        if time.monotonic() - began >= patience_s:
            raise StoreHeld(store, other, would_run=does.startswith(RUNNERS))
        time.sleep(_LOOK_S)


def _identity(descriptor: int) -> tuple[int, int]:
    status = os.fstat(descriptor)
    return status.st_dev, status.st_ino


def _is_store(path: Path) -> bool:
    """Return whether a file is a store, from its header."""
    if path.with_name(f"{path.name}-wal").exists():
        return True  # it is open, and its header may not be in the file yet
    try:
        with path.open("rb") as file:
            header = file.read(_APPLICATION_ID_AT + 4)
    except OSError:
        return False
    return header[_APPLICATION_ID_AT:] == APPLICATION_ID.to_bytes(4, "big")


def server_file(store: Path) -> Path:
    """Return the path of the lock file of the one server of a store."""
    return files_beside(store) / "locks" / "server"


@contextmanager
def serving(store: Path, does: str = "serves it") -> Iterator[None]:
    """Be the one server of a store, or keep servers from it meanwhile; `does` tells others which.

    Raises StoreBusy, which names the process that has the lock, and StoreFailed if the folder can't have it.
    """
    if not store.absolute().parent.is_dir():
        raise StoreFailed(f"there is no folder {store.absolute().parent}", "create it first")
    path = server_file(store)
    while True:
        descriptor = opened(path)
        if not take(descriptor):
            pid, words = noted(descriptor)
            os.close(descriptor)
            who = "another process" if pid is None else process_words(pid)
            raise StoreBusy(
                f"{store} is in use: {who} {words or 'serves it'}", f"stop that first: {ending(pid)}"
            )
        if is_there(path, descriptor):
            break
        os.close(descriptor)
    with suppress(OSError):  # the disk may be full, and the words are only for messages
        os.pwrite(descriptor, f"{os.getpid()} {does}\n".encode(), 0)
    try:
        yield
    finally:
        above = () if store.exists() else (path.parent.rmdir, path.parent.parent.rmdir)
        for remove in (path.unlink, *above):
            with suppress(OSError):
                remove()
        os.close(descriptor)
