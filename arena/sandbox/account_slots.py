"""Slots: numbers for the bots alive on one machine, so that no two bots share an account if Arena runs as root.

A slot is held by a lock on a file, which the kernel releases however the process ends.
"""

import contextlib
import errno
import fcntl
import os
from pathlib import Path

from arena.sandbox.survivors import BOT_UIDS

PROBE_SLOT = len(BOT_UIDS) - 1
"""The slot of all probes. They can share it, as their program changes nothing and ends at once."""
FOLDER = Path("/run/arena-slots")


class Slots:
    """The slots of one process: numbers, and as root also accounts, that no two living bots share.

    Reuses slots that were given back first, so that few are ever in use.
    """

    def __init__(self, *, distinct: bool, folder: Path = FOLDER) -> None:
        """If `distinct`, no other process on this machine gets the same slots; needed for accounts."""
        self._folder = folder if distinct else None
        self._free: list[int] = []
        self._locks: dict[int, int] = {}
        self._next = os.getpid() % PROBE_SLOT if distinct else 0  # so that processes seldom collide

    def take(self) -> int:
        """Return a slot that no living bot has. Raises OSError if all are taken, or the system refuses."""
        if self._free:
            return self._free.pop()
        if self._folder is not None:
            self._folder.mkdir(mode=0o700, exist_ok=True)
        for _ in range(PROBE_SLOT):
            slot, self._next = self._next, (self._next + 1) % PROBE_SLOT
            if self._folder is None or (slot not in self._locks and self._lock(slot)):
                return slot
        raise OSError(errno.EAGAIN, f"all {PROBE_SLOT} slots for bots are taken")

    def give_back(self, slot: int) -> None:
        """Make a slot available again. Call it when nothing runs under its account any more."""
        self._free.append(slot)

    def close(self) -> None:
        """Free all slots. May be called twice."""
        for descriptor in self._locks.values():
            os.close(descriptor)
        self._locks.clear()
        self._free.clear()

    def _lock(self, slot: int) -> bool:
        assert self._folder is not None  # noqa: S101 - checked by `take`
        descriptor = os.open(self._folder / str(slot), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._locks[slot] = descriptor
            return True
        os.close(descriptor)
        return False
